import { mkdtemp, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { listSpool } from './list-spool.ts'
import { rejectedPath, spoolPath } from './spool-file.ts'

it('lists what waits, is written, is delivered or was set aside, and nothing else', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'nokosu-spool-'))
  await writeFile(spoolPath(folder, 'a', 'ready'), '{}\n')
  await writeFile(spoolPath(folder, 'b', 'open'), '')
  await writeFile(spoolPath(folder, 'c', 'taken-0a'), '')
  await writeFile(rejectedPath(folder, 'd'), 'xx')
  await writeFile(join(folder, '.gitignore'), '*')
  const found = await listSpool([folder, join(folder, 'missing')])
  expect(Object.fromEntries(found.map(({ state, bytes }) => [state, bytes]))).toEqual({
    waits: 3,
    'being written': 0,
    'being delivered': 0,
    'set aside': 2,
  })
})
