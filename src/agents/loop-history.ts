import { type HandOff, section } from './agent-prompt.ts'
import type { Round } from './loop-state.ts'

type Render = (handOff: HandOff) => string

export function countRejections(rounds: readonly Round[]): number {
  return rounds.filter(({ review }) => review?.word === 'REJECT').length
}

/** All finished rounds, so that nothing has to be found twice: the submitted work, and the reviewer's notes on it. */
export function renderRounds(rounds: readonly Round[], one: Render): string {
  const texts = rounds.flatMap((round, i) => {
    if (round.review === null) return []
    const review = one({ from: `the reviewer, ${round.review.word}`, said: round.review.notes })
    return `### Round ${i + 1}\n\n${[renderSubmission(round, one), review].filter((part) => part !== '').join('\n')}`
  })
  return section('Earlier rounds', ...texts)
}

export function renderGuidance(rounds: readonly Round[], one: Render): string {
  return rounds
    .flatMap(({ guidance }) =>
      guidance ? section(`Coordinator (${guidance.word})`, one({ from: 'the coordinator', said: guidance.notes })) : [],
    )
    .join('\n\n')
}

const MOST_LISTED = 40

export function renderSubmission({ submission, work }: Pick<Round, 'submission' | 'work'>, one: Render): string {
  const { commit, changedFiles } = work
  const listed = changedFiles.slice(0, MOST_LISTED).join(', ')
  const more = changedFiles.length > MOST_LISTED ? ` and ${changedFiles.length - MOST_LISTED} more` : ''
  return [
    submission.word === 'WONT_FIX' ? 'The coder will not change it, and says why.' : 'The coder submits this work.',
    `Commit: ${commit ?? 'none'}`,
    `Changed files: ${listed === '' ? 'none' : `${listed}${more}`}`,
    one({ from: 'the coder', said: submission.notes }),
  ]
    .filter((part) => part !== '')
    .join('\n')
}
