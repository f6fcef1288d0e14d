import type { Step } from '../output-event.ts'
import { commandParts, type Part } from './command-parts.ts'

/** Tools that act on a page: what works depends on the page, and the next agent finds another page. */
const DRIVES_A_PAGE = /^mcp__[^_]*(?:browser|playwright|puppeteer|chrome)/i

/** How Claude Code, a hook or the user report that a tool did not run. */
const NOT_RUN =
  /^\s*(?:<tool_use_error>|\[Request interrupted by user|The user (?:doesn['’]t want to|rejected)|User rejected|Claude requested permissions? to|Permission to use \S+|Th(?:is|e) (?:\S+ )?command (?:requires approval|contains multiple)|\S+ operation blocked by hook|(?:PreToolUse:?\S* )?hook (?:error|blocked)|Sibling tool call errored|Cancelled: parallel tool call)/i

/** A command that did not run has neither failed nor succeeded. */
function wasRun({ ok, output }: Step): boolean {
  return ok || !NOT_RUN.test(output)
}

/** The command line of a step; null if it has none or did not run. MCP tool calls are written as one: `mcp__jira__create project=PAY`. */
export function commandOf(step: Step): string | null {
  const { tool, input } = step
  if (!wasRun(step)) return null
  if (tool === 'Bash') return input.command ?? null
  if (!tool.startsWith('mcp__') || DRIVES_A_PAGE.test(tool)) return null
  const fields = Object.entries(input).map(([name, value]) => `${name}=${/\s/.test(value) ? `'${value}'` : value}`)
  return [tool, ...fields].join(' ').replace(/[\n;|&]+/g, ' ')
}

/** The file that a tool edits. */
export function fileOf({ tool, input }: Step): string | null {
  if (!/^(?:Edit|MultiEdit|Write|NotebookEdit)$/.test(tool)) return null
  return input.file_path ?? input.notebook_path ?? null
}

/** The purpose of a command line: its last command that changes or queries something. Reading files has no purpose of its own. */
export function goalOf(command: string): Part | null {
  return commandParts(command).findLast(({ looks, asks }) => !looks || asks) ?? null
}

/** Seconds after which Claude Code stops a command that sets no limit. */
const DEFAULT_LIMIT = 120
const UNITS: Record<string, number> = { s: 1, m: 60, h: 3600, d: 86_400 }

/** Seconds that a step may take; null without a limit. */
export function limitOf({ input }: Step): number | null {
  const [, number, unit] = /(?:^|[\s;&|])timeout\s+(?:-\S+\s+)*(\d+)([smhd]?)\b/.exec(input.command ?? '') ?? []
  if (number !== undefined) return Number(number) * UNITS[unit || 's']!
  if (input.run_in_background === 'true') return null
  return Number(input.timeout) / 1000 || DEFAULT_LIMIT
}

/** Whether a step timed out: from Claude Code's message, or from the exit code of `timeout`. */
export function ranOutOfTime({ ok, input, output }: Step): boolean {
  if (ok) return false
  return (
    /^\s*(?:Error: )?Command timed out after /.test(output) ||
    (/\btimeout\s/.test(input.command ?? '') && /^\s*Exit code 124\b/.test(output))
  )
}

const FILTERS = /\|\s*(?:tail|head|grep|egrep|tee|sed|awk|cut|sort|less|cat)\b[^|;&]*$|\|\|\s*true\s*$/
const SAYS_FAILURE =
  /^\s*(?:(?:\w+ )?error\s*(?:\[|:|$)|fatal\b|FAIL(?:ED)?\b|FATAL ERROR\b|Traceback \(|panic:|BUILD FAILED|\w+ aborted!|npm (?:ERR!|error)|ELIFECYCLE|[\w.:]+(?:Error|Exception)\b|\S+: error\b|.*\b[1-9]\d* (?:failed|failures?)\b)/im

/** A filter after a command hides its exit code; then its output decides. */
export function withTrueEnd(step: Step): Step {
  const command = step.tool === 'Bash' ? (step.input.command ?? '') : ''
  if (!step.ok || !FILTERS.test(command) || goalOf(command)?.looks !== false) return step
  return SAYS_FAILURE.test(step.output) ? { ...step, ok: false } : step
}
