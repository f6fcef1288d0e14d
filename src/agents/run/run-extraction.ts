import type { Candidate } from '../../model/candidate.ts'
import { type ExtractionOptions, extractLearnings } from './extract-learnings.ts'
import type { RunSummary } from './extraction-prompt.ts'
import { claudeProgram } from './find-claude.ts'

export interface RunExtraction extends Pick<ExtractionOptions, 'timeoutMs' | 'maxBudgetUsd'> {
  /** A shell command to use instead of Claude Code. */
  shell?: string | undefined
}

export interface ExtractionResult {
  learnings: Candidate[]
  warnings: string[]
  detail: string
}

/** The second call of a run. Never throws: a failed extraction does not fail the run. */
export async function runExtraction(
  run: RunSummary,
  options: RunExtraction & Pick<ExtractionOptions, 'env' | 'signal'> & { command: readonly string[] },
): Promise<ExtractionResult> {
  const { shell, command, ...bounds } = options
  const claude = claudeProgram(command)
  const how = shell !== undefined ? { shell } : claude === null ? null : { claude }
  if (how === null)
    return {
      learnings: [],
      warnings: [],
      detail: 'skipped: the agent is not Claude Code, and there is no --extract-with',
    }
  if (run.said === '') return { learnings: [], warnings: [], detail: 'skipped: the agent printed nothing' }
  try {
    const { candidates, refusals } = await extractLearnings(run, { ...bounds, with: how })
    const warnings = refusals.map(({ reason }) => `extraction: ${reason}`)
    return { learnings: candidates, warnings, detail: describe(candidates) }
  } catch (error) {
    return { learnings: [], warnings: [`extraction: ${(error as Error).message}`], detail: 'failed' }
  }
}

function describe(candidates: readonly Candidate[]): string {
  const confirmed = candidates.filter(({ declares }) => declares?.relation === 'confirms').length
  const count = candidates.length - confirmed
  return `${count} ${count === 1 ? 'learning' : 'learnings'}${confirmed === 0 ? '' : `, ${confirmed} confirmed`}`
}
