import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { layOut, shortened, splitAt } from '../../scripts/lay-out-type.ts'

const ROOT = join(import.meta.dirname, '../..')

it('docs/api.md is what the types say', () => {
  const script = join(ROOT, 'scripts/api-reference.ts')
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  // On a busy machine the compiler process may print a line when it is closed.
  expect(status, stderr).toBe(0)
})

it('breaks a union where no bracket is open, and an arrow is no bracket', () => {
  expect(splitAt('{ a: 1 | 2; } | (() => A<B | C>) | D', ' | ')).toEqual(['{ a: 1 | 2; }', '(() => A<B | C>)', 'D'])
  const long = `${'a'.repeat(90)}: string`
  expect(layOut(`{ ${long}; b: number; } | { ${long}; }`)).toBe(
    `\n  | {\n      ${long}\n      b: number\n    }\n  | { ${long}; }`,
  )
})

it('of a type that is too long it tells the names', () => {
  expect(shortened(`{ readonly a: { b: ${'c'.repeat(300)}; }; d: 1; }`)).toBe('{\n  a: ...\n  d: ...\n}')
  expect(shortened(`ZodObject<${'c'.repeat(300)}>`)).toBe('ZodObject')
  expect(shortened('RegExp')).toBe('RegExp')
})
