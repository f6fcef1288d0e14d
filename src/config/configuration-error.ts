import type { z } from 'zod'
import { MemoryError } from '../model/errors.ts'

/** A CONFIGURATION_ERROR that names the source (a file or an environment variable) and the key. */
export function configurationError(source: string, key: string, problem: string, cause?: unknown): MemoryError {
  return new MemoryError('CONFIGURATION_ERROR', `${source}: ${key === '' ? '' : `${key} `}${problem}`, {
    details: { file: source, key },
    ...(cause === undefined ? {} : { cause }),
  })
}

export function explainIssues(source: string, issues: readonly z.core.$ZodIssue[]): MemoryError {
  const issue = issues[0]!
  const key = issue.path.map(String).join('.')
  if (issue.code === 'unrecognized_keys') {
    const unknown = [...issue.path.map(String), issue.keys[0]!].join('.')
    return configurationError(source, unknown, 'is not a setting: check its spelling, or remove it')
  }
  // A union's schema says itself what it takes.
  if (issue.code === 'invalid_union') return configurationError(source, key, issue.message)
  return configurationError(source, key, `is wrong: ${issue.message.charAt(0).toLowerCase()}${issue.message.slice(1)}`)
}
