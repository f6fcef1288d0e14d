import { describe, expect, it } from 'vitest'
import { handOver as handOverAll, isClaude } from './hand-over.ts'

const PROMPT = { file: '/t/context.md', text: 'MEMORY' }
const handOver = (command: string[], prompt: typeof PROMPT | null, options: string[] = []) =>
  handOverAll(command, { prompt, options })
const words = (line: string) => line.split(' ')

describe('a Claude Code that is named by its path or a package manager gets the file', () => {
  it.each([
    ['/opt/bin/claude -p hi', 1],
    ['timeout 60 ./claude -p hi', 3],
    ['timeout -k 5 60 /opt/claude -p hi', 5],
    ['env A=b /opt/claude -p hi', 3],
    ['env -u HOME A=b nice -n 5 /opt/claude', 8],
    ['npx -y @anthropic-ai/claude-code -p hi', 3],
    ['npx -p @anthropic-ai/claude-code -- claude -p hi', 5],
    ['npm exec -- claude', 4],
    ['pnpm dlx @anthropic-ai/claude-code', 3],
    ['node /opt/claude-code/cli.js -p hi', 2],
    ['/opt/claude --append-system-prompt mine -p hi', 1],
  ])('%s', (line, at) => {
    const expected = words(line).toSpliced(at, 0, '--append-system-prompt-file', PROMPT.file)
    expect(handOver(words(line), PROMPT)).toEqual(expected)
  })

  it('beside a file of the caller’s own, as text; beside both flags, behind the caller’s text', () => {
    expect(handOver(words('/opt/claude --append-system-prompt-file own.md'), PROMPT)).toEqual(
      words('/opt/claude --append-system-prompt MEMORY --append-system-prompt-file own.md'),
    )
    expect(
      handOver(words('/opt/claude --append-system-prompt-file=own.md --append-system-prompt mine -- -p'), PROMPT),
    ).toEqual([
      ...words('/opt/claude --append-system-prompt-file=own.md --append-system-prompt'),
      'mine\n\nMEMORY',
      '--',
      '-p',
    ])
  })
})

describe('options stand before all others', () => {
  it.each([
    ['/opt/claude -p hi', '/opt/claude --x=1 -p hi'],
    ['npx -y @anthropic-ai/claude-code hi', 'npx -y @anthropic-ai/claude-code --x=1 hi'],
    ['/opt/claude mcp list', '/opt/claude mcp list'],
    ['/opt/claude --version', '/opt/claude --version'],
  ])('%s', (line, expected) => {
    expect(handOver(words(line), null, ['--x=1'])).toEqual(words(expected))
  })
})

describe('what is not seen in the command line, or is found in PATH, is left alone', () => {
  it.each([
    ...['claude -p hi', 'timeout 60 claude', 'docker run image claude -p hi', 'ssh host claude', 'sudo -n claude'],
    ...['echo hi', 'aider --model claude', 'claudette', 'node -e claude', './claude.sh', 'timeout', 'sh ./script.sh'],
  ])('%s', (line) => {
    expect(handOver(words(line), PROMPT)).toBeNull()
  })

  it('a text that is too long for an argument', () => {
    const long = { ...PROMPT, text: 'x'.repeat(130_000) }
    expect(handOver(words('/opt/claude --append-system-prompt-file own.md'), long)).toBeNull()
  })

  it('but what is started is known', () => {
    for (const line of ['claude -p hi', 'timeout 60 claude', 'npx -y @anthropic-ai/claude-code'])
      expect(isClaude(words(line))).toBe(true)
    for (const line of ['sh -c claude', 'sudo claude', 'aider --model claude'])
      expect(isClaude(words(line))).toBe(false)
  })
})
