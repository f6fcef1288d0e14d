import { spawn } from 'node:child_process'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import type { Captured } from '../../capture/captured.ts'
import { captureLearnings } from '../../capture/learnings.ts'
import { readOutput } from '../../capture/read-output.ts'
import { redactSecrets } from '../../guard/redact-secrets.ts'
import { MemoryError } from '../../model/errors.ts'
import { describeRun, EXTRACTION_PROMPT, EXTRACTION_SCHEMA, type RunSummary } from './extraction-prompt.ts'
import { killGroup } from './signals.ts'

export interface ExtractionOptions {
  /** Claude Code's program, or a shell command that reads the prompt on standard input and prints a JSON array. */
  with: { claude: string } | { shell: string }
  timeoutMs: number
  /** Maximum cost of one call in US dollars; Claude Code stops there. */
  maxBudgetUsd: number
  env: NodeJS.ProcessEnv
  signal?: AbortSignal
}

/** The person who started the run is waiting. */
export const DEFAULT_EXTRACTION = { timeoutMs: 15_000, maxBudgetUsd: 0.05 } as const

/** More than five learnings ever need. */
const MOST_OUTPUT_BYTES = 1 << 20
/**
 * Several times what five learnings and all confirmations need. A truncated answer is requested again, up to four times,
 * each time at full price.
 */
const MOST_OUTPUT_TOKENS = 4000

/** A lower limit of the user's own is kept. */
function outputTokens(set: string | undefined): number {
  const own = Number(set)
  return own >= 1 ? Math.min(own, MOST_OUTPUT_TOKENS) : MOST_OUTPUT_TOKENS
}

/** The environment of a call. Claude Code refuses to start inside another Claude Code, such as in a hook. */
function environmentOf({ CLAUDECODE: _, CLAUDE_CODE_ENTRYPOINT: __, ...env }: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return {
    ...env,
    CLAUDE_CODE_MAX_RETRIES: env.CLAUDE_CODE_MAX_RETRIES ?? '1',
    CLAUDE_CODE_MAX_OUTPUT_TOKENS: `${outputTokens(env.CLAUDE_CODE_MAX_OUTPUT_TOKENS)}`,
    // Same as the flag, for versions without it.
    CLAUDE_CODE_EFFORT_LEVEL: 'low',
    NOKOSU_EXTRACTION: '1',
  }
}

/**
 * A second, small call that reads what a run said and returns one to five things worth keeping, and which of the memories it was
 * shown still hold or are wrong. Throws if the call fails or takes too long. Unusable parts of the answer are listed in
 * refusals.
 */
export async function extractLearnings(run: RunSummary, options: ExtractionOptions): Promise<Captured> {
  // Evidence is searched for in the text that the call was given.
  const given = { ...run, said: redactSecrets(run.said).text }
  const output = await ask(describeRun(given), options)
  return captureLearnings('shell' in options.with ? output.toString('utf8') : await readAnswer(output), given)
}

/**
 * Finds the answer in a Claude Code stream. A model that answers in plain text instead of the structured-output tool is
 * asked again until its turns run out. Its plain text is just as good, and it is in the stream.
 */
async function readAnswer(output: Buffer): Promise<string> {
  let said = ''
  let failure: string | null = null
  for await (const event of readOutput(Readable.from([output]), 'stream-json')) {
    if (event.kind === 'text') said += `${event.text}\n`
    if (event.kind !== 'result') continue
    if (event.structuredOutput !== undefined) return JSON.stringify(event.structuredOutput)
    if (event.isError) failure = redactSecrets(event.result ?? event.subtype).text
  }
  if (said.trim() === '' && failure !== null) {
    throw new MemoryError('PROVIDER_ERROR', `The extraction call failed: ${failure}`, { retryable: true })
  }
  return said
}

interface Program {
  program: string
  args: string[]
}

function commandOf(how: ExtractionOptions['with'], maxBudgetUsd: number): Program {
  if ('claude' in how) return { program: how.claude, args: claudeArguments(maxBudgetUsd) }
  return process.platform === 'win32'
    ? { program: 'cmd', args: ['/c', how.shell] }
    : { program: 'sh', args: ['-c', how.shell] }
}

function claudeArguments(maxBudgetUsd: number): string[] {
  return [
    ...['-p', 'What is worth keeping of this run?', '--system-prompt', EXTRACTION_PROMPT, '--model', 'haiku'],
    ...['--max-turns', '1', '--max-budget-usd', String(maxBudgetUsd), '--tools', '', '--no-session-persistence'],
    ...['--output-format', 'stream-json', '--verbose', '--json-schema', EXTRACTION_SCHEMA],
    // The caller's hooks, plugins and servers are not needed here and would cost time and tokens.
    ...['--safe-mode', '--strict-mcp-config'],
  ]
}

async function ask(
  text: string,
  { with: how, timeoutMs, maxBudgetUsd, env, signal }: ExtractionOptions,
): Promise<Buffer> {
  const { program, args } = commandOf(how, maxBudgetUsd)
  // Outside the workspace, whose instructions are for the agent.
  const folder = await mkdtemp(join(tmpdir(), 'nokosu-extract-'))
  try {
    const input = 'shell' in how ? `${EXTRACTION_PROMPT}\n\n${text}` : text
    return await collect(program, args, input, { folder, timeoutMs, env, signal })
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

interface Call {
  folder: string
  timeoutMs: number
  env: NodeJS.ProcessEnv
  signal: AbortSignal | undefined
}

function collect(program: string, args: readonly string[], input: string, call: Call): Promise<Buffer> {
  const { folder, timeoutMs, env, signal } = call
  return new Promise((resolve, reject) => {
    const child = spawn(program, args, {
      cwd: folder,
      env: environmentOf(env),
      stdio: ['pipe', 'pipe', 'pipe'],
      detached: process.platform !== 'win32',
    })
    const parts: Buffer[] = []
    let bytes = 0
    let complaint = ''
    const end = (finish: () => void) => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', cancel)
      killGroup(child, 'SIGKILL')
      child.stdout.destroy()
      child.stderr.destroy()
      finish()
    }
    const fail = (reason: string) => end(() => reject(new MemoryError('PROVIDER_ERROR', reason, { retryable: true })))
    const cancel = () => fail('The extraction was interrupted.')
    const timer = setTimeout(() => fail(`The extraction took longer than ${timeoutMs / 1000} s.`), timeoutMs)
    signal?.addEventListener('abort', cancel)
    child.once('error', ({ message }) => fail(`The extraction could not be started: ${message}.`))
    child.stdout.on('data', (part: Buffer) => {
      parts.push(part)
      bytes += part.length
      if (bytes > MOST_OUTPUT_BYTES) fail('The extraction printed more than 1 MiB.')
    })
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      complaint = `${complaint}${part}`.slice(0, 2000)
    })
    child.once('close', (code) => {
      const output = Buffer.concat(parts)
      // A failed call to Claude Code gives the reason in its result, which is read like any other answer.
      if (code !== 0 && output.length === 0) {
        fail(`The extraction failed with exit code ${code}. ${redactSecrets(complaint.trim()).text}`.trim())
      } else end(() => resolve(output))
    })
    // The program may answer or fail before it has read all input.
    child.stdin.on('error', () => {})
    child.stdin.end(input)
    if (signal?.aborted) cancel()
  })
}
