import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const ROOT = join(import.meta.dirname, '../..')

/** The plugin, but with a longer hook timeout for busy machines. */
export function patientPlugin(): string {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-plugin-'))
  afterAll(() => rmSync(folder, { recursive: true }))
  const plugin = join(folder, 'plugin')
  cpSync(join(ROOT, 'plugin'), plugin, { recursive: true })
  // Its launcher looks for the program beside it.
  for (const name of ['bin', 'node_modules']) symlinkSync(join(ROOT, name), join(folder, name))
  const hooks = join(plugin, 'hooks/hooks.json')
  writeFileSync(hooks, readFileSync(hooks, 'utf8').replace(/"timeout": \d+/g, '"timeout": 120'))
  return plugin
}
