/**
 * Exit codes of `pipeline`, `loop` and `tier` for work that ended without success although no agent failed.
 * They lie between the codes of errors and those of signals.
 */
export const OUTCOME_EXIT = {
  rejected: { exit: 10, means: 'the reviewer did not approve the work' },
  testsFailed: { exit: 11, means: 'the tester ended with FAILED' },
  needsPerson: { exit: 12, means: 'a person has to decide: DISPUTE, or NEEDS A PERSON' },
  escalated: { exit: 13, means: 'an ESCALATE that no tier resolved' },
  unclear: { exit: 14, means: 'an agent did not say how it ended' },
} as const

export type OutcomeName = keyof typeof OUTCOME_EXIT

/** For a command's help: the outcomes it can end with. */
export function describeOutcomes(...names: readonly OutcomeName[]): string {
  const lines = names.map((name) => `  ${OUTCOME_EXIT[name].exit}   ${OUTCOME_EXIT[name].means}`)
  return [
    'Exit codes:',
    '  0    done',
    ...lines,
    '  otherwise the code of the agent that failed; later agents are not started',
  ].join('\n')
}
