import { CommanderError } from 'commander'
import { ERROR_CODES, type ErrorCode, MemoryError } from '../model/errors.ts'
import { flagOf } from './identifiers.ts'
import { INTERRUPTED, wasInterrupted } from './interruption.ts'
import { paint, writeError, writeJsonError } from './output.ts'
import { shell } from './shell.ts'

/** For `nokosu --help`, from the table of codes in model/errors.ts. */
export function describeExitCodes(): string {
  const byExit = new Map<number, string[]>()
  for (const [code, { exit }] of Object.entries(ERROR_CODES)) byExit.set(exit, [...(byExit.get(exit) ?? []), code])
  const lines = [...byExit].sort(([a], [b]) => a - b).map(([exit, codes]) => `  ${exit}    ${codes.join(', ')}`)
  return [
    'Exit codes:',
    '  0    done',
    '  1    an unexpected failure, or doctor or import found a problem',
    ...lines,
    `  ${INTERRUPTED}  interrupted (Ctrl-C)`,
  ].join('\n')
}

/** Prints on standard error what went wrong and how to fix it, and returns the exit code. */
export function reportFailure(error: unknown, { json }: { json: boolean }): number {
  if (wasInterrupted()) return INTERRUPTED
  // The command needs a subcommand. Its help was printed already.
  if (error instanceof CommanderError && error.code === 'commander.help') return ERROR_CODES.INVALID_INPUT.exit
  const failure = toFailure(error)
  if (json) {
    const { code, message, details, retryable } = failure
    writeJsonError(`${JSON.stringify({ error: { code, message, details, retryable } })}\n`)
  } else {
    const { stderr } = shell()
    writeError(`${paint('red', `nokosu: ${failure.code}`, stderr)} ${failure.message}\n`)
    if (failure.hint) writeError(`${paint('dim', failure.hint, stderr)}\n`)
  }
  return failure.exit
}

interface Failure {
  code: ErrorCode | 'UNEXPECTED'
  message: string
  details: Record<string, unknown>
  retryable: boolean
  exit: number
  hint: string | null
}

function toFailure(error: unknown): Failure {
  if (error instanceof CommanderError) {
    const message = error.message.replace(/^error: /, '')
    const hint = "Run 'nokosu --help' or 'nokosu COMMAND --help'."
    return { code: 'INVALID_INPUT', message, details: {}, retryable: false, exit: ERROR_CODES.INVALID_INPUT.exit, hint }
  }
  if (MemoryError.is(error)) {
    const { code, message, details, retryable } = error
    return { code, message, details, retryable, exit: ERROR_CODES[code].exit, hint: hintFor(error) }
  }
  const { code, path } = error as NodeJS.ErrnoException
  const problem = FILE_PROBLEMS[code ?? '']
  if (problem) {
    const message = path === undefined ? `${problem.say}.` : `${problem.say}: ${path}.`
    const { exit, retryable } = ERROR_CODES[problem.code]
    return { code: problem.code, message, details: path === undefined ? {} : { path }, retryable, exit, hint: null }
  }
  const message = error instanceof Error ? (error.stack ?? error.message) : String(error)
  const hint = 'This is a bug in Nokosu. Please report it with the lines above.'
  return { code: 'UNEXPECTED', message, details: {}, retryable: false, exit: 1, hint }
}

/** Errors of files on the command line and of standard output. */
const FILE_PROBLEMS: Record<string, { code: ErrorCode; say: string }> = {
  ENOENT: { code: 'INVALID_INPUT', say: 'There is no such file or folder' },
  ENOTDIR: { code: 'INVALID_INPUT', say: 'A part of the path is not a folder' },
  EISDIR: { code: 'INVALID_INPUT', say: 'It is a folder, not a file' },
  EACCES: { code: 'INVALID_INPUT', say: 'Permission denied' },
  ENOSPC: { code: 'PROVIDER_ERROR', say: 'The disk is full: not everything was written' },
}

function hintFor({ code, details }: MemoryError): string | null {
  if (typeof details.hint === 'string') return details.hint
  switch (code) {
    case 'MISSING_IDENTIFIER':
      return details.identifier === undefined
        ? 'Add --project ID or another identifier, or --all for the whole store.'
        : `Add ${flagOf(details.identifier) ?? 'the identifier'} ID.`
    case 'CONTENT_TOO_LONG':
      return 'A memory is one observation: shorten it, or add several.'
    case 'MEMORY_NOT_FOUND':
      return "Find the id with 'nokosu list' or 'nokosu search'. A memory is found only with identifiers that may read it, or with --all."
    case 'CONFLICT':
      return "Look at the newest version with 'nokosu get', then try again."
    case 'CONFIGURATION_ERROR':
      return details.file === undefined ? null : "'nokosu doctor' shows which settings are in use."
    case 'PROVIDER_ERROR':
    case 'EMBEDDING_FAILED':
    case 'MISSING_DEPENDENCY':
      return "'nokosu doctor' looks for the cause."
    default:
      return null
  }
}
