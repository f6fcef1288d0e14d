/** Compiles src/vector/scan.wat into src/vector/scan-wasm.ts. With --check, exits 1 when that file is out of date. */
import { readFileSync, writeFileSync } from 'node:fs'
import loadWabt from 'wabt'

const source = new URL('../src/vector/scan.wat', import.meta.url)
const target = new URL('../src/vector/scan-wasm.ts', import.meta.url)

async function render(): Promise<string> {
  const wabt = await loadWabt()
  const module = wabt.parseWat('scan.wat', readFileSync(source, 'utf8'), { simd: true })
  try {
    module.validate()
    const base64 = Buffer.from(module.toBinary({}).buffer).toString('base64')
    const lines = base64.match(/.{1,110}/g) ?? []
    return [
      '// Generated from scan.wat by `node scripts/build-wasm.ts`. Do not edit.',
      '',
      '/** The compiled scan kernel, base64. */',
      'export const SCAN_WASM =',
      `${lines.map((line) => `  '${line}'`).join(' +\n')}`,
      '',
    ].join('\n')
  } finally {
    module.destroy()
  }
}

const rendered = await render()
if (!process.argv.includes('--check')) {
  writeFileSync(target, rendered)
} else if (readFileSync(target, 'utf8') !== rendered) {
  console.error('src/vector/scan-wasm.ts is out of date: run `node scripts/build-wasm.ts`')
  process.exitCode = 1
}
