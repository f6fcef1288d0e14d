import { runToken, tokenFrom } from '../../engine/run-token.ts'
import type { Identifiers } from '../../model/layer.ts'

/**
 * The environment that an agent receives. The server's token stays with the run's own process; programs inside the run reach the
 * server with a token that only opens the run's own project and agent.
 */
export function runEnvironment(env: NodeJS.ProcessEnv, identifiers: Identifiers): NodeJS.ProcessEnv {
  const { NOKOSU_TOKEN: _, NOKOSU_RUN_TOKEN: __, ...rest } = env
  const { projectId, agentId } = identifiers
  const bound = { ...(projectId === undefined ? {} : { projectId }), ...(agentId === undefined ? {} : { agentId }) }
  const own = tokenFrom(env)
  const weaker = own === undefined ? null : runToken(own, bound)
  return weaker === null ? rest : { ...rest, NOKOSU_RUN_TOKEN: weaker }
}
