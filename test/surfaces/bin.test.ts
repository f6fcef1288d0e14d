import { spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { NOKOSU } from './run-cli.ts'

let root: string
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'nokosu-bin-'))
  put('package.json', '{"name": "nokosu", "type": "module"}', 1000)
  mkdirSync(join(root, 'bin'))
  cpSync(NOKOSU, join(root, 'bin/nokosu.mjs'))
})
afterEach(() => rmSync(root, { recursive: true }))

function put(name: string, content: string, seconds: number): void {
  mkdirSync(join(root, name, '..'), { recursive: true })
  writeFileSync(join(root, name), content)
  utimesSync(join(root, name), seconds, seconds)
}

function start(...flags: string[]) {
  const { status, stdout, stderr } = spawnSync(process.execPath, [...flags, join(root, 'bin/nokosu.mjs')], {
    encoding: 'utf8',
  })
  return { status, stdout, stderr }
}

function build(seconds: number): void {
  put('dist/cli.js', `console.log('bundle')`, seconds)
  put('dist/.stamp', '', seconds)
}

it('a published package runs its bundle', () => {
  build(1000)
  expect(start()).toEqual({ status: 0, stdout: 'bundle\n', stderr: '' })
})

it('a checkout runs the bundle while no source is newer, and the source otherwise', () => {
  put('src/cli/main.ts', `const text: string = 'source'\nconsole.log(text)`, 2000)
  put('src/model/deep/layer.ts', '', 2000)
  put('scripts/jsx.mjs', '', 2000)
  expect(start()).toEqual({ status: 0, stdout: 'source\n', stderr: '' })
  build(3000)
  expect(start().stdout).toBe('bundle\n')
  put('src/model/deep/layer.ts', '', 4000)
  expect(start().stdout).toBe('source\n')
})

it('an old Node is told what is needed', () => {
  build(1000)
  const pretend = `Object.defineProperty(process, 'versions', { value: { ...process.versions, node: '22.12.0' } })`
  const flag = `--import=data:text/javascript,${encodeURIComponent(pretend)}`
  expect(start(flag)).toMatchObject({ status: 3, stdout: '', stderr: expect.stringContaining('needs Node 22.13') })
  put('src/cli/main.ts', '', 500)
  expect(start(flag).stderr).toContain('npx nokosu')
})
