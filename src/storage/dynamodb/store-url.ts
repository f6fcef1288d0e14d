import { MemoryError } from '../../model/errors.ts'
import type { DynamodbOptions } from './connection.ts'

const KNOWN = ['prefix', 'endpoint']

/** Reads `dynamodb://region?prefix=&endpoint=`; what is not given comes from the environment, as the AWS SDK reads it. */
export function dynamodbOptions(url: string): Pick<DynamodbOptions, 'region' | 'prefix' | 'endpoint'> {
  const found = /^dynamodb:\/\/([^/?]*)\/?(?:\?(.*))?$/s.exec(url)
  const given = new URLSearchParams(found?.[2] ?? '')
  const unknown = found ? [...given.keys()].find((name) => !KNOWN.includes(name)) : url
  if (unknown !== undefined) {
    const text = `Cannot read '${unknown}' of the DynamoDB store: use dynamodb://region?prefix=name-&endpoint=url.`
    throw new MemoryError('CONFIGURATION_ERROR', text, { details: { key: 'db' } })
  }
  const [region, prefix, endpoint] = [found?.[1], given.get('prefix'), given.get('endpoint')]
  return { ...(region ? { region } : {}), ...(prefix ? { prefix } : {}), ...(endpoint ? { endpoint } : {}) }
}
