import { spawnSync } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { workspace } from './run-cli.ts'

const ROOT = join(import.meta.dirname, '../..')

it('the library sample of the README runs, and finds what it added', () => {
  const { folder } = workspace()
  const sample = /```ts\n([\s\S]+?)```/.exec(readFileSync(join(ROOT, 'README.md'), 'utf8'))![1]!
  const library = join(ROOT, 'src/index.ts')
  const program = `${sample.replace("'nokosu'", JSON.stringify(library))}\nconsole.log(JSON.stringify({ results, text }))\n`
  writeFileSync(join(folder, 'sample.ts'), program)
  const { status, stdout, stderr } = spawnSync(process.execPath, ['sample.ts'], { cwd: folder, encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
  const { results, text } = JSON.parse(stdout) as { results: { memory: { content: string } }[]; text: string }
  expect(results.map(({ memory }) => memory.content)).toEqual(['Caddy must start after WireGuard'])
  expect(text).toContain('- [dependency] Caddy must start after WireGuard')
})
