import { describe, expect, it } from 'vitest'
import { readScene } from './scene.ts'
import { splitCommands } from './shell-words.ts'

describe('the commands of a line', () => {
  const words = (line: string) => splitCommands(line).map((command) => command.words.join(' '))

  it('are cut where the shell cuts, and not inside quotes', () => {
    expect(words("git add -A && git commit -m 'a; b && c' | tee log; ls\nmake")).toEqual([
      'git add -A',
      'git commit -m a; b && c',
      'tee log',
      'ls',
      'make',
    ])
    expect(words('cmd 2>&1 & wait')).toEqual(['cmd 2>&1', 'wait'])
  })

  it('begin behind variables, sudo and the like', () => {
    expect(words('sudo FOO=1 BAR="x y" terraform apply')).toEqual(['terraform apply'])
  })

  it('survive half a quote', () => {
    expect(words('echo "half')).toEqual(['echo half'])
  })
})

it.each([
  ['a||b', ['a', 'b']],
  ['a & b', ['a', 'b']],
  ['a |& b', ['a', 'b']],
  ['a;; b', ['a', 'b']],
  ['\ta\tb', ['a b']],
  ["a ''", ['a ']],
  ['a "it\'s"', ["a it's"]],
  ['a\\ b c\\;d', ['a b c;d']],
  ['a\\', ['a\\']],
  ['FOO=1', ['FOO=1']],
  ['sudo', ['sudo']],
  ['env A=1 time nohup make all', ['make all']],
  ['if ! grep x f; then rm f; else ls', ['grep x f', 'rm f', 'ls']],
  ['1A=2 x', ['1A=2 x']],
  [' ; ', []],
  ['kill `pidof app', ['kill `pidof app', 'pidof app']],
  ['kill `pidof app` now', ['kill `pidof app` now', 'pidof app']],
  ['kill $(pidof app', ['kill $(pidof app', 'pidof app']],
  ['a $(b "c)" (d) \\) e) f', ['a $(b "c)" (d) \\) e) f', 'b c)', 'd', ') e']],
  ['a $(b < c)', ['a $(b < c)', 'b < c']],
  ['a $(b <<E\nrm )\nE\n) c', ['a $(b <<E\nrm )\nE\n) c', 'b E']],
  ['a $((1 + 2))', ['a $((1 + 2))']],
  ['a $(b \\', ['a $(b \\', 'b \\']],
])('the commands of %j are %j', (line, expected) => {
  expect(splitCommands(line).map(({ words }) => words.join(' '))).toEqual(expected)
})

it('a command is kept as it stands in its line', () => {
  expect(splitCommands('A=1 b "c"  &&  d').map(({ text }) => text)).toEqual(['A=1 b "c"', 'd'])
})

describe('a moment as it is read', () => {
  it('of an edit is its file and its new text, the old one last', () => {
    const { text, paths } = readScene({
      kind: 'tool',
      name: 'Edit',
      input: { file_path: 'src/a.ts', old_string: 'before', new_string: 'after', replace_all: true },
    })
    expect(text).toBe('src/a.ts\nafter\nbefore')
    expect(paths).toEqual(['src/a.ts'])
  })

  it('of a long output is its beginning and its end', () => {
    const { text } = readScene({ kind: 'output', text: `first\n${'x'.repeat(1_000_000 - 20)}\nlast` })
    expect(text.length).toBeLessThan(5000)
    expect(text).toMatch(/^first\n[\s\S]*\nlast$/)
  })

  it('of an MCP tool holds the words of its name', () => {
    const { text } = readScene({ kind: 'tool', name: 'mcp__slack__post_message', input: { channel: '#ops' } })
    expect(text).toBe('slack post message\n#ops')
  })

  it('of a long prompt has each question as a part', () => {
    const { segments } = readScene({
      kind: 'prompt',
      text: 'Bump the api to 2.1. Then deploy it to staging, and tell ops.',
    })
    expect(segments).toEqual(['Bump the api to 2.1.', 'Then deploy it to staging', 'and tell ops.'])
  })

  const use = (input: string | Record<string, unknown> | undefined) => readScene({ kind: 'tool', name: 'Tool', input })

  it.each(['file_path', 'path', 'notebook_path', 'filename', 'file', 'directory', 'cwd'])('has a path in %s', (key) => {
    expect(use({ [key]: 'src/a.ts' })).toMatchObject({ paths: ['src/a.ts'], segments: ['src/a.ts'], commands: [] })
  })

  it.each(['command', 'cmd', 'script'])('has commands in %s', (key) => {
    const { commands, segments, paths, text } = use({ [key]: 'make && ls' })
    expect(commands.map((command) => command.text)).toEqual(['make', 'ls'])
    expect(segments).toEqual(['make', 'ls'])
    expect(paths).toEqual([])
    expect(text).toBe('make && ls')
  })

  it.each(['description', 'timeout', 'run_in_background', 'replace_all', 'output_mode'])('leaves out %s', (key) => {
    expect(use({ [key]: 'x', query: 'y' })).toMatchObject({ text: 'y', segments: ['y'] })
  })

  it('takes an input that is a text for a command, and any other field by its lines', () => {
    expect(use('make all').commands).toHaveLength(1)
    expect(use({ content: 'a\n b \n\na', count: 7, flag: true, none: null })).toMatchObject({
      tool: 'Tool',
      text: 'a\n b \n\na\n7',
      segments: ['a', 'b', '7'],
      commands: [],
    })
    expect(use(undefined)).toMatchObject({ text: '', segments: [] })
    expect(use({ path: '', query: 'y' })).toMatchObject({ text: 'y', segments: ['y'], paths: [] })
  })

  it('reads four levels of an input, and 64 texts of it', () => {
    expect(use({ a: { b: { c: { d: 'seen' } } } }).text).toBe('seen')
    expect(use({ a: { b: { c: { d: { e: 'too deep' } } } } }).text).toBe('')
    const many = Array.from({ length: 70 }, (_, i) => `t${i}`)
    expect(use({ many }).text.split('\n')).toEqual(many.slice(0, 64))
    expect(use({ path: ['a', 'b'] }).paths).toEqual(['a', 'b'])
  })

  it('has 24 parts at most, the first and the last, each once', () => {
    const lines = Array.from({ length: 30 }, (_, i) => `line ${i}`)
    const { segments } = readScene({ kind: 'output', text: ['line 0', ...lines].join('\n') })
    expect(segments).toEqual([...lines.slice(0, 12), ...lines.slice(-12)])
  })

  it('of a long output has the lines between the ends that tell of a failure', () => {
    const quiet = (from: number) => Array.from({ length: 300 }, (_, i) => `step ${from + i} is done and was fine`)
    const told = ['plc-gateway: ERR_SOCKET_STALL', 'TypeError: port is null', 'Deploy failed for eu-west']
    const { segments } = readScene({ kind: 'output', text: [...quiet(0), ...told, ...quiet(300)].join('\n') })
    expect(segments).toEqual([...quiet(0).slice(0, 8), ...told, ...quiet(300).slice(-8)])
  })

  it('reads 4000 characters whole, and of one more the first and last 2000', () => {
    const read = (length: number) => readScene({ kind: 'prompt', text: 'a'.repeat(length - 1).concat('z') }).text
    expect(read(4000)).toHaveLength(4000)
    expect(read(4001)).toBe(`${'a'.repeat(2000)}\n${'a'.repeat(1999)}z`)
  })

  it('is as a whole the first and last 300 characters of an output, with its other lines as parts', () => {
    const lines = Array.from({ length: 20 }, (_, i) => `${i} `.padEnd(99, 'x'))
    for (const moment of [
      { kind: 'output', text: lines.join('\n') },
      { kind: 'failure', error: lines.join('\n') },
    ] as const) {
      const { text, segments } = readScene(moment)
      expect(text).toHaveLength(601)
      expect(text.startsWith(lines[0]!) && text.endsWith(lines[19]!)).toBe(true)
      expect(segments).toEqual(lines)
    }
    expect(readScene({ kind: 'output', text: 'b'.repeat(600) }).text).toHaveLength(600)
  })

  it('is without colours, titles and control characters', () => {
    const text = '\u001b[31mred\u001b[0m \u001b]0;title\u0007bell\u0000end\u007f \u001bM'
    expect(readScene({ kind: 'output', text }).text).toBe('red bell end')
    expect(readScene({ kind: 'prompt', text: 'a\tb\nc' }).text).toBe('a\tb\nc')
  })

  it('of a failure is its error, and what was done besides', () => {
    const input = { command: 'make all' }
    expect(readScene({ kind: 'failure', name: 'Bash', input, error: 'no rule\nto make' })).toEqual({
      kind: 'failure',
      tool: 'Bash',
      text: 'no rule\nto make',
      segments: ['no rule', 'to make'],
      commands: [{ text: 'make all', words: ['make', 'all'] }],
      paths: [],
    })
    expect(readScene({ kind: 'output', text: 'done' })).toMatchObject({ kind: 'output', tool: null, commands: [] })
  })

  it('of a task is its title and description, parts of twelve characters and more', () => {
    expect(readScene({ kind: 'task', title: 'Ship the api', description: 'Wait for ops' })).toEqual({
      kind: 'task',
      tool: null,
      text: 'Ship the api\nWait for ops',
      segments: ['Ship the api', 'Wait for ops'],
      commands: [],
      paths: [],
    })
    expect(readScene({ kind: 'task', title: 'Ship an api' })).toMatchObject({ text: 'Ship an api', segments: [] })
  })
})
