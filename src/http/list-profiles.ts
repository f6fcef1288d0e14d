import type { Nokosu } from '../engine/nokosu.ts'
import { BUILT_IN_AGENTS, type Profile } from '../model/personality.ts'

export async function listProfiles(personality: Nokosu['personality']): Promise<Profile[]> {
  const stored = await personality.list()
  const others = BUILT_IN_AGENTS.filter((name) => !stored.some(({ agentName }) => agentName === name))
  const builtIn = await Promise.all(others.map((name) => personality.profile(name)))
  const all: Profile[] = [...stored, ...builtIn.filter((profile) => profile !== null)]
  return all.sort((a, b) => (a.agentName < b.agentName ? -1 : 1))
}
