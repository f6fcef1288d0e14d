/** Statements of the simulated agents: the truth in several wordings, and false ones. */
export interface Fact {
  name: string
  category: 'timing' | 'dependency' | 'behavior' | 'maintenance'
  service: string
  truth: readonly string[]
  /** The truth after the change; the above is what was believed before. */
  later?: readonly string[]
  /** The dissenting agents and their wordings. */
  against?: { who: 'liar' | 'flapper'; lies: readonly string[] }
  /** An operator states it on the first day. */
  operator?: true
}

export const FACTS: readonly Fact[] = [
  {
    name: 'lied about',
    category: 'behavior',
    service: 'proxy',
    truth: [
      'The proxy listens on port 8443',
      'proxy is reachable on port 8443',
      'The proxy accepts connections on port 8443',
      'Port 8443 is where the proxy listens',
    ],
    against: {
      who: 'liar',
      lies: ['The proxy listens on port 9000', 'The proxy accepts connections on port 9000'],
    },
  },
  {
    name: 'changed',
    category: 'timing',
    service: 'jellyfin',
    truth: [
      'Takes 60s to start after a restart',
      'Needs 60 seconds to start after a restart',
      'It takes 60 seconds until it is up after a restart',
    ],
    later: [
      'Takes 90s to start after a restart',
      'Needs 90 seconds to start after a restart',
      'It takes 90 seconds until it is up after a restart',
    ],
  },
  {
    name: 'flapped',
    category: 'dependency',
    service: 'caddy',
    truth: [
      'Must be started after WireGuard',
      'Has to start after WireGuard',
      'caddy must not be started before WireGuard',
    ],
    against: {
      who: 'flapper',
      lies: ['Can be started before WireGuard', 'Can be started independently of WireGuard'],
    },
  },
  {
    name: 'an operator’s',
    category: 'dependency',
    service: 'deploys',
    truth: ['Every deploy to production needs a ticket'],
    against: {
      who: 'liar',
      lies: ['Deploys to production need no ticket', 'No ticket is needed for a deploy to production'],
    },
    operator: true,
  },
  {
    name: 'undisputed',
    category: 'maintenance',
    service: 'backup',
    truth: [
      'Backups run at 03:00 every night',
      'The backup starts at 03:00 each night',
      'Every night at 03:00 a backup runs',
    ],
  },
]
