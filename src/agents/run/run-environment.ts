import { runToken, tokenFrom } from '../../engine/run-token.ts'
import type { Identifiers } from '../../model/layer.ts'

/**
 * The caller's environment as an agent gets it. A token of a server stays with the run's own process; what runs inside the run reaches the
 * server with a token that opens no more than the run's own project and agent.
 */
export function runEnvironment(env: NodeJS.ProcessEnv, identifiers: Identifiers): NodeJS.ProcessEnv {
  const { NOKOSU_TOKEN: _, NOKOSU_RUN_TOKEN: __, ...rest } = env
  const { projectId, agentId } = identifiers
  const bound = { ...(projectId === undefined ? {} : { projectId }), ...(agentId === undefined ? {} : { agentId }) }
  const own = tokenFrom(env)
  const weaker = own === undefined ? null : runToken(own, bound)
  return weaker === null ? rest : { ...rest, NOKOSU_RUN_TOKEN: weaker }
}
