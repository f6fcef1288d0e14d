import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'

/** Imports the library in a new process in which formatting by `Intl`, which is slow to load, throws. */
const PROGRAM = `
  import { registerHooks } from 'node:module'
  for (const name of ['NumberFormat', 'DateTimeFormat', 'Segmenter'])
    Intl[name] = () => { throw new Error('Intl.' + name + ' at import') }
  const loaded = []
  registerHooks({ load: (url, context, next) => { loaded.push(url); return next(url, context) } })
  await import(${JSON.stringify(new URL('./index.ts', import.meta.url).href)})
  console.log(loaded.join('\\n'))`

test('importing the library loads what every program needs, and nothing that formats by Intl', () => {
  const run = execFileSync(process.execPath, ['--input-type=module', '-e', PROGRAM], { encoding: 'utf8' })
  const operations = /src\/engine\/(schemas|capture|context|recall|sweep)\.ts$/
  expect(run).toContain('src/engine/open-memory.ts')
  expect(run.split('\n').filter((url) => operations.test(url))).toEqual([])
})
