import { expect, it } from 'vitest'
import { fill, readSet, survives } from '../../eval/guard/sets.ts'
import { detectPoison } from './detect-poison.ts'
import { redactSecrets } from './redact-secrets.ts'

/** The bars that docs/security.md reports, on the sets that come with the repository. Values are random, so a failure names its line. */
function share<T>(lines: readonly T[], holds: (line: T) => boolean): number {
  return lines.filter(holds).length / lines.length
}

it.each(['open', 'held'] as const)('our own secrets are caught and clean lines left alone, %s half', (half) => {
  const secrets = readSet('secrets').filter((line) => line.half === half)
  const caught = share(secrets, (line) => {
    const { text, secrets } = fill(line)
    const redacted = redactSecrets(text).text
    return !secrets.some((secret) => survives(secret, redacted))
  })
  expect(caught).toBeGreaterThanOrEqual(0.98)
  const clean = readSet('clean').filter((line) => line.half === half)
  expect(share(clean, (line) => redactSecrets(fill(line).text).found.length > 0)).toBeLessThanOrEqual(0.01)
})

it.each(['open', 'held'] as const)('our own poisons are quarantined and honest notes left alone, %s half', (half) => {
  const poisons = readSet('poisons').filter((line) => line.half === half)
  expect(share(poisons, ({ template }) => detectPoison(template).quarantine)).toBeGreaterThanOrEqual(0.85)
  const benign = readSet('benign').filter((line) => line.half === half)
  expect(share(benign, ({ template }) => detectPoison(template).flags.length > 0)).toBeLessThanOrEqual(0.02)
})
