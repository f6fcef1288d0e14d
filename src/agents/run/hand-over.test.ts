import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { handOver, isClaude } from './hand-over.ts'

const PROMPT = { file: '/t/context.md', text: 'MEMORY' }
const words = (line: string) => line.split(' ')

describe('Claude Code gets the file, however it is started', () => {
  it.each([
    ['claude -p hi', 1],
    ['/opt/bin/claude -p hi', 1],
    ['timeout 60 claude -p hi', 3],
    ['timeout -k 5 60 claude -p hi', 5],
    ['env A=b claude -p hi', 3],
    ['env -u HOME A=b nice -n 5 claude', 8],
    ['npx -y @anthropic-ai/claude-code -p hi', 3],
    ['npx -p @anthropic-ai/claude-code -- claude -p hi', 5],
    ['npm exec -- claude', 4],
    ['pnpm dlx @anthropic-ai/claude-code', 3],
    ['node /opt/claude-code/cli.js -p hi', 2],
    ['claude --append-system-prompt mine -p hi', 1],
  ])('%s', (line, at) => {
    const expected = words(line).toSpliced(at, 0, '--append-system-prompt-file', PROMPT.file)
    expect(handOver(words(line), PROMPT)).toEqual(expected)
  })

  it('beside a file of the caller’s own, as text; beside both flags, behind the caller’s text', () => {
    expect(handOver(words('claude --append-system-prompt-file own.md'), PROMPT)).toEqual(
      words('claude --append-system-prompt MEMORY --append-system-prompt-file own.md'),
    )
    expect(
      handOver(words('claude --append-system-prompt-file=own.md --append-system-prompt mine -- -p'), PROMPT),
    ).toEqual([
      ...words('claude --append-system-prompt-file=own.md --append-system-prompt'),
      'mine\n\nMEMORY',
      '--',
      '-p',
    ])
  })
})

describe('in a shell’s script', () => {
  const FLAG = `--append-system-prompt-file '${PROMPT.file}'`
  it.each([
    ['claude -p "hi"', `claude ${FLAG} -p "hi"`],
    ['cd x && A=1 timeout 9 claude -p "$1" | tee log', `cd x && A=1 timeout 9 claude ${FLAG} -p "$1" | tee log`],
    ['if true; then exec claude "$@"; fi # claude', `if true; then exec claude ${FLAG} "$@"; fi # claude`],
    ['claude -p a; claude -p b', `claude ${FLAG} -p a; claude ${FLAG} -p b`],
    ['{ claude; }', `{ claude ${FLAG}; }`],
    ['echo claude; claude', `echo claude; claude ${FLAG}`],
    [
      'claude --append-system-prompt-file "$F"',
      `claude --append-system-prompt "$(cat '${PROMPT.file}')" --append-system-prompt-file "$F"`,
    ],
  ])('%s', (script, expected) => {
    expect(handOver(['sh', '-c', script, 'sh', '-p'], PROMPT)).toEqual(['sh', '-c', expected, 'sh', '-p'])
    expect(handOver(['bash', '-o', 'pipefail', '-lc', script], PROMPT)).toEqual([
      'bash',
      '-o',
      'pipefail',
      '-lc',
      expected,
    ])
  })

  it('what a real shell makes of it: both texts arrive, whatever is in them and in the path', () => {
    const folder = mkdtempSync(join(tmpdir(), "it's "))
    onTestFinished(() => rmSync(folder, { recursive: true }))
    const file = join(folder, 'context.md')
    writeFileSync(file, '$HOME `x` "MEMORY"')
    const run = (script: string) => {
      const changed = handOver(['sh', '-c', script], { file, text: '' }) as string[]
      const own = `claude() { for word; do printf '[%s]' "$word"; done; }\n${changed[2]}`
      return execFileSync('sh', ['-c', own], { encoding: 'utf8', env: { X: 'a b' } })
    }
    expect(run('claude -p "$X"')).toBe(`[--append-system-prompt-file][${file}][-p][a b]`)
    expect(run('claude --append-system-prompt-file f --append-system-prompt "x $X"y -p')).toBe(
      '[--append-system-prompt-file][f][--append-system-prompt][x a by\n\n$HOME `x` "MEMORY"][-p]',
    )
  })

  it('one in another', () => {
    const inner = `claude --append-system-prompt-file '${PROMPT.file}' -p it`
    expect(handOver(['sh', '-c', "timeout 9 sh -c 'claude -p it'"], PROMPT)).toEqual([
      'sh',
      '-c',
      `timeout 9 sh -c '${inner.replaceAll("'", `'\\''`)}'`,
    ])
  })
})

describe('it says so where Claude Code cannot be reached, and leaves everything else alone', () => {
  it.each([
    ...['docker run image claude -p hi', 'ssh host claude', 'sudo -n claude', 'npm run claude', 'xargs -n 1 claude'],
    ...['timeout 60 unknown claude', 'env -S claude'],
  ])('%s', (line) => {
    expect(handOver(words(line), PROMPT)).toMatch(/^Claude Code is started by \w+ in a way/)
    expect(isClaude(words(line))).toBe(false)
  })

  it.each(['cat <<E\nclaude\nE', 'case x in claude) ;; esac', 'x=$(claude -p hi)', 'echo "`claude`"', 'sudo claude'])(
    'sh -c %j',
    (script) => {
      expect(handOver(['sh', '-c', script], PROMPT)).toMatch(/^Claude Code is started by sh/)
    },
  )

  it('a text that is too long for an argument', () => {
    const long = { ...PROMPT, text: 'x'.repeat(130_000) }
    expect(handOver(words('claude --append-system-prompt-file own.md'), long)).toMatch(/cannot/)
  })

  it.each([
    ...['echo hi', 'aider --model claude', 'claudette', 'timeout 60 ./agent.sh', 'node -e claude', './claude.sh'],
    ...['timeout', 'sh ./script.sh', 'docker run image --append "$NOKOSU_CONTEXT" claude'],
  ])('not Claude Code, or not ours to change: %s', (line) => {
    expect(handOver(words(line), PROMPT)).toBeNull()
  })

  it.each(['echo claude', 'grep claude f', 'claude --append-system-prompt "$NOKOSU_CONTEXT"', '"$AGENT" -p hi'])(
    'sh -c %j stays',
    (script) => {
      expect(handOver(['sh', '-c', script], PROMPT)).toBeNull()
    },
  )
})
