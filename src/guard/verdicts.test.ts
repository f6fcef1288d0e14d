/**
 * What the guard finds in the sets that its rules were written with, as recorded in `verdicts.txt`: by its rules alone, and with values that
 * are the same each time. Record an intended change with `npx vitest run --project unit src/guard/verdicts.test.ts -u`, and review the lines
 * that changed. `eval/guard.ts` measures how good the guard is, on sets by other writers.
 */
import { expect, it } from 'vitest'
import { fill, readSet, type SetName } from '../../eval/guard/sets.ts'
import { detectPoison } from './detect-poison.ts'
import { redactSecrets } from './redact-secrets.ts'

const SECRETS = ['secrets', 'clean', 'forms-secrets', 'forms-clean', 'strange-secrets', 'strange-clean'] as const
const POISONS = ['poisons', 'benign', 'shapes-poisons', 'shapes-benign', 'chosen-poisons', 'chosen-benign'] as const

/** The lines with findings, by set and line number. */
function record(sets: readonly SetName[], find: (line: { text: string }) => string): string[] {
  return sets.flatMap((name) =>
    readSet(name).flatMap((line, i) => {
      const found = find(fill(line, `${name} ${i}`))
      return found === '' ? [] : [`${name} ${i}: ${found}`]
    }),
  )
}

it('finds what is recorded', async () => {
  const secrets = record(SECRETS, ({ text }) => {
    const { text: redacted, found } = redactSecrets(text)
    const places = [...redacted.matchAll(/\[REDACTED/g)].map(({ index }) => index)
    if (found.length === 0) return ''
    return `${found.map(({ rule, count }) => `${rule} ${count}`).join(', ')} at ${places} of ${redacted.length}`
  })
  const poisons = record(POISONS, ({ text }) => {
    const { flags, quarantine, reasons } = detectPoison(text)
    return `${flags.join(' ')}${quarantine ? ' held' : ''}${reasons.length === flags.length ? '' : ' without a reason'}`
  })
  await expect(`${[...secrets, ...poisons].join('\n')}\n`).toMatchFileSnapshot('verdicts.txt')
})
