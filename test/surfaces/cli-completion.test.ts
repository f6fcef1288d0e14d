import { execFileSync, spawnSync } from 'node:child_process'
import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { installDebian } from '../install-debian.ts'
import { NOKOSU, workspace } from './run-cli.ts'

const SHOP = { NOKOSU_PROJECT: 'shop' }

async function filled() {
  const place = workspace()
  const env = { NOKOSU_PROJECT: 'shop' }
  const { memory } = await place.json<{ memory: Memory }>(['add', '--agent', 'nori', 'Takes 60s to start'], { env })
  await place.json(['add', '--project', 'bank', 'Amounts are in dollars'])
  const words = async (...line: string[]) => {
    const { stdout } = await place.run(['complete', '--', ...line], { env })
    return stdout.split('\n').flatMap((candidate) => (candidate === '' ? [] : candidate.split('\t', 1)))
  }
  return { ...place, id: memory.id, words }
}

describe('candidates', () => {
  it('are commands, flags and values that are fixed', async () => {
    const { words } = await filled()
    expect(await words('se')).toEqual(['setup', 'search', 'sessions', 'serve'])
    expect(await words('store-')).toEqual([])
    expect(await words('review', '')).toEqual(['accept', 'reject'])
    expect(await words('list', '--cat')).toEqual(['--category'])
    expect(await words('list', '--category', 'ti')).toEqual(['timing'])
    expect(await words('list', '--category=ti')).toEqual(['--category=timing'])
    expect(await words('list', '--category', '=', 'ti')).toEqual(['timing'])
    expect(await words('add', '--layer', 'te')).toEqual(['team'])
    expect(await words('--db', 'x', 'comple')).toEqual(['completion'])
    expect(await words('completion', 'z')).toEqual(['zsh'])
    expect(await words('run', '--', 'claude', '--pro')).toEqual([])
    expect(await words('list', '--js')).toEqual(['--json'])
  })

  it('are projects, agents, sessions and ids of the store', async () => {
    const { words, json, id } = await filled()
    const short = id.slice(-8)
    expect(await words('list', '--project', '')).toEqual(['bank', 'shop'])
    expect(await words('search', '--agent', 'n')).toEqual(['nori'])
    expect(await words('get', '')).toEqual([short])
    expect(await words('get', id.slice(0, 8))).toEqual([id])
    expect(await words('get', '--all', '')).toHaveLength(2)
    expect(await words('get', '--project', 'bank', '')).not.toContain(short)
    expect(await words('undelete', '')).toEqual([])
    await json(['delete', '--project', 'shop', id])
    expect(await words('undelete', '')).toEqual([short])
  })

  it('need no model, and create no store', async () => {
    const { folder, run } = workspace()
    const broken = { embedding: { kind: 'local', modelPath: 'nowhere' } }
    writeFileSync(join(folder, 'nokosu.config.json'), JSON.stringify(broken))
    const ran = await run(['complete', '--', 'get', ''], { env: { ...SHOP, NOKOSU_EMBEDDING: '' } })
    expect(ran).toEqual({ code: 0, stdout: '', stderr: '' })
    expect(readdirSync(folder)).toEqual(['nokosu.config.json'])
  })
})

const ASK: Record<string, readonly string[]> = {
  bash: [
    ...['bash', '--norc', '-c'],
    `source <(nokosu completion bash); COMP_WORDS=(nokosu "$@"); COMP_CWORD=$#; _nokosu; printf '%s\\n' "\${COMPREPLY[@]}"`,
    'bash',
  ],
  // Its function cannot be called outside the line editor, so its output is captured.
  zsh: [
    ...['zsh', '-f', '-c'],
    `compdef() {}; source <(nokosu completion zsh); compadd() { print -l -- "\${values[@]}"; }; words=(nokosu "$@"); CURRENT=\${#words}; _nokosu`,
    'zsh',
  ],
  fish: ['fish', '--no-config', '-c', 'nokosu completion fish | source; complete -C "nokosu $argv" | cut -f1'],
}

describe.each(Object.keys(ASK))('%s', (shell) => {
  const isThere = () => spawnSync(shell, ['--version']).status === 0

  it('completes a command, a flag’s value and an id', async () => {
    if (!isThere() && !installDebian(shell)) expect.fail(`${shell} is needed: install it`)
    const { folder, id } = await filled()
    const bin = join(folder, 'bin')
    mkdirSync(bin)
    symlinkSync(NOKOSU, join(bin, 'nokosu'))
    const path = [bin, join(process.execPath, '..'), process.env.PATH].join(':')
    const env = { ...SHOP, PATH: path, HOME: folder, NOKOSU_EMBEDDING: 'hashing' }
    const ask = (...words: string[]) => {
      const [program, ...args] = ASK[shell]!
      const line = shell === 'fish' ? [words.join(' ')] : words
      return execFileSync(program!, [...args, ...line], { cwd: folder, env, encoding: 'utf8' })
        .trim()
        .split('\n')
    }
    expect(ask('undel')).toEqual(['undelete'])
    expect(ask('list', '--category', 'ti')).toEqual(['timing'])
    expect(ask('get', id.slice(-8, -2))).toEqual([id.slice(-8)])
  }, 180_000)
})
