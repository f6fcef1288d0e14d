import { expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'

it('lists the memories that runs were shown, and no more than --limit', async () => {
  const { run, json } = workspace()
  const shop = ['--project', 'shop']
  for (const text of ['Caddy starts after WireGuard', 'Backups take 40 minutes', 'Staging is wiped at night'])
    await run(['add', ...shop, text])
  const list = (...rest: string[]) =>
    json<{ memories: { memory: Memory }[] }>(['list', ...shop, '--sort', 'usefulness', ...rest])
  expect((await run(['list', ...shop, '--sort', 'usefulness'])).stderr).toContain('No run has been shown a memory yet')
  await run(['context', ...shop, '--shown-to', 's1'])
  expect((await list()).memories).toHaveLength(3)
  expect((await list('--limit', '2')).memories).toHaveLength(2)
})
