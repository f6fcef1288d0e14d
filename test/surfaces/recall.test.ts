import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import type { Recall } from '../../src/engine/recall.ts'
import { workspace } from './run-cli.ts'

const BASTION = 'Run terraform apply only from the bastion'
const SHOP = ['--project', 'shop']
const APPLY = ['recall', ...SHOP, '--tool', 'Bash', '--input', 'cd infra && terraform apply']

it('prints what an agent would be shown, or nothing', async () => {
  const { run } = workspace()
  await run(['add', ...SHOP, '--category', 'decision', BASTION])
  const line = `From memory:\n- [decision] ${BASTION} (confidence: 0.7)\n`
  expect(await run(APPLY)).toMatchObject({ code: 0, stdout: line, stderr: '' })
  const json = JSON.stringify({ command: 'terraform apply' })
  expect((await run(['recall', ...SHOP, '--tool', 'Bash', '--input', json])).stdout).toBe(line)
  expect((await run(['recall', ...SHOP, '--error', 'terraform apply: not the bastion'])).stdout).toBe(line)
  expect((await run(['recall', ...SHOP, '--prompt', 'terraform apply on the bastion'])).stdout).toBe(line)
  expect(await run(['recall', ...SHOP, '--prompt', 'tidy up'])).toMatchObject({ code: 0, stdout: '', stderr: '' })
  expect((await run(['recall', ...SHOP, '--prompt', 'tidy up', '--tool', 'Bash'])).stderr).toContain(
    'cannot be combined with --tool',
  )
})

it('explains, and records only for --shown-to', async () => {
  const { run, json } = workspace()
  await run(['add', ...SHOP, BASTION])
  const explained = await run([...APPLY, '--explain'])
  expect(explained.stderr).toMatch(/^shown {4}\S+ {2}\d\.\d\d {2}shares terraform/)
  expect((await json<Recall>([...APPLY, '--session', 's1'])).lines).toHaveLength(1)
  expect((await json<Recall>([...APPLY, '--shown-to', 's1'])).lines).toHaveLength(1)
  expect((await json<Recall>([...APPLY, '--session', 's1'])).lines).toEqual([])
  expect((await run(['sessions', 's1', ...SHOP])).stdout).toMatch(/SHOWN.*\n.*before terraform apply/)
})

it('explains that a moment is switched off', async () => {
  const { folder, run } = workspace()
  await run(['add', ...SHOP, BASTION])
  writeFileSync(join(folder, 'nokosu.config.json'), '{"recall": {"tool": false}}')
  const off = 'the configuration sets recall.tool to false'
  expect((await run([...APPLY, '--explain'])).stderr).toContain(off)
  expect((await run(['recall', ...SHOP, '--prompt', BASTION, '--explain'])).stderr).not.toContain(off)
})

it('asks for a moment', async () => {
  const { run } = workspace()
  expect(await run(['recall', ...SHOP])).toMatchObject({ code: 2, stderr: expect.stringContaining('Which moment?') })
})
