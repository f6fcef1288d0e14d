import { type MemoryError, wrongSetting } from '../../model/errors.ts'
import { shownUrl } from '../shown-url.ts'
import type { DynamodbOptions } from './connection.ts'

const KNOWN = ['prefix', 'endpoint', 'timeoutMs', 'cache', 'vectors', 'vectorsFrom']

/**
 * Parses `dynamodb://region?prefix=&endpoint=&timeoutMs=&cache=&vectors=&vectorsFrom=`, where `cache` is a folder or `off`,
 * and `vectors` a bucket; missing parts come from the environment, as in the AWS SDK.
 */
export function dynamodbOptions(
  url: string,
): Pick<DynamodbOptions, 'region' | 'prefix' | 'endpoint' | 'timeoutMs' | 'cache' | 'vectors'> {
  const found = /^dynamodb:\/\/([^/?]*)\/?(?:\?(.*))?$/s.exec(url)
  if (!found) throw refused(`Cannot read '${shownUrl(url)}'`)
  const given = new URLSearchParams(found[2] ?? '')
  const names = [...given.keys()]
  const wrong = names.find((name, i) => !KNOWN.includes(name) || names.indexOf(name) !== i)
  if (wrong !== undefined) throw refused(`Cannot read '${wrong}' of the DynamoDB store`)
  const region = found[1]!.trim().toLowerCase()
  const [prefix, endpoint] = [given.get('prefix')?.trim(), given.get('endpoint')?.trim()]
  if (region.includes('@'))
    throw refused('Credentials come from the environment, not from the address of the DynamoDB store')
  if (!/^[a-z0-9-]*$/.test(region)) throw refused(`'${region}' is not a region`)
  if (prefix && !/^[\w.-]+$/.test(prefix)) throw refused(`'${prefix}' cannot begin the name of a table`)
  if (endpoint && !(URL.canParse(endpoint) && /^https?:/i.test(endpoint))) {
    throw refused(`'${shownUrl(endpoint)}' is not an endpoint: it needs http:// or https://`)
  }
  const timeoutMs = given.get('timeoutMs')
  if (timeoutMs !== null && !/^[1-9]\d{0,6}$/.test(timeoutMs))
    throw refused(`'${timeoutMs}' is no time in milliseconds`)
  const cache = given.get('cache')?.trim()
  const [bucket, from] = [given.get('vectors')?.trim(), given.get('vectorsFrom')]
  if (bucket !== undefined && !/^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/.test(bucket))
    throw refused(`'${bucket}' is no vector bucket`)
  if (from !== null && !/^\d{1,9}$/.test(from)) throw refused(`'${from}' is no number of memories`)
  if (from !== null && !bucket) throw refused(`'vectorsFrom' needs 'vectors'`)
  return {
    ...(bucket ? { vectors: { bucket, ...(from === null ? {} : { from: Number(from) }) } } : {}),
    ...(timeoutMs === null ? {} : { timeoutMs: Number(timeoutMs) }),
    ...(region ? { region } : {}),
    ...(prefix ? { prefix } : {}),
    ...(endpoint ? { endpoint } : {}),
    ...(cache ? { cache: cache === 'off' ? false : cache } : {}),
  }
}

function refused(what: string): MemoryError {
  const text = `${what}: use dynamodb://region?prefix=name-&endpoint=url.`
  return wrongSetting('db', text)
}
