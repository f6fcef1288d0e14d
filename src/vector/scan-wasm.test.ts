import { spawnSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

it('scan-wasm.ts is what scan.wat compiles to', () => {
  const script = fileURLToPath(new URL('../../scripts/build-wasm.ts', import.meta.url))
  const { status, stderr } = spawnSync(process.execPath, [script, '--check'], { encoding: 'utf8' })
  expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
})
