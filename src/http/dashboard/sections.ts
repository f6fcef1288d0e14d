import type { IconName } from './parts/icon.tsx'

/** The entries of the sidebar. `g` and the key open one. */
export const SECTIONS: readonly [path: string, name: string, icon: IconName, key: string][] = [
  ['/', 'Overview', 'overview', 'o'],
  ['/sessions', 'Sessions', 'sessions', 's'],
  ['/events', 'Events', 'events', 'v'],
  ['/memories', 'Memories', 'memories', 'm'],
  ['/cooldowns', 'Cooldowns', 'cooldowns', 'c'],
  ['/agents', 'Agents', 'agents', 'a'],
  ['/fleet', 'Fleet', 'fleet', 'l'],
  ['/search', 'Search', 'search', 'f'],
  ['/review', 'Review', 'review', 'r'],
]
