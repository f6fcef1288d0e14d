import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { onTestFinished } from 'vitest'

/** A stand-in for AWS Secrets Manager with one secret, which has no value at first. */
export interface SecretsManager {
  endpoint: string
  value: string | null
  /** Refuses this many of the next values. */
  refusals: number
}

export async function startSecretsManager(): Promise<SecretsManager> {
  const state: SecretsManager = { endpoint: '', value: null, refusals: 0 }
  const server = createServer(async (request, response) => {
    const asked = JSON.parse(Buffer.concat(await Array.fromAsync(request)).toString()) as { SecretString?: string }
    const operation = String(request.headers['x-amz-target']).split('.')[1]
    const refused = operation === 'PutSecretValue' && state.refusals-- > 0
    if (operation === 'PutSecretValue' && !refused) state.value = asked.SecretString!
    const stages = state.value === null ? {} : { VersionIdsToStages: { v1: ['AWSCURRENT'] } }
    response.writeHead(refused ? 400 : 200, { 'content-type': 'application/x-amz-json-1.1' })
    response.end(JSON.stringify(refused ? { __type: 'AccessDeniedException', message: 'not allowed' } : stages))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  onTestFinished(() => void server.close())
  state.endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  return state
}
