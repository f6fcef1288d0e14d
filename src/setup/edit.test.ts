import { describe, expect, it } from 'vitest'
import { hasAll, withEntries, withoutEntries } from './edit.ts'
import type { Entry } from './entry.ts'

const SERVER: Entry = { at: ['mcpServers', 'nokosu'], value: { command: 'nokosu', args: ['mcp'] } }
const HOOK: Entry = {
  at: ['hooks', 'Stop'],
  mark: 'hook stop --client x',
  value: { hooks: [{ command: 'nokosu hook stop --client x' }] },
}

/** As people write such files. */
const SAMPLES: Record<string, string> = {
  empty: '{}',
  'one line': '{"mcpServers":{"a":{"command":"b"}},"hooks":{"Stop":[{"command":"say"}]}}',
  'tabs, comments and no last line break':
    '{\n\t// servers\n\t"mcpServers": {\n\t\t"a": {"command": "b"} // mine\n\t}\n}',
  'trailing commas':
    '{\n  "mcpServers": {\n    "a": { "command": "b" }, // mine\n  },\n  "hooks": {\n    "Stop": [\n      1,\n    ],\n  },\n}\n',
  'comment behind the brace': '{ // all\n "mcpServers": { // none yet\n },\n /* end */ }\n',
  'a comma in a comment': '{\n   "mcpServers": {\n      "a": 1 /* , */\n      // , too\n   }\n   , "b": 2\n}\n',
  'Windows line breaks': '{\r\n    "mcpServers": {\r\n        "a": 1\r\n    }\r\n}\r\n',
  'comments alone': '// nothing yet\n{\n  // soon\n}\n',
  'a byte order mark': '\uFEFF{\n  "a": [\n    1,\n    2\n  ]\n}\n',
  'empty containers': '{\n  "mcpServers": {},\n  "hooks": { "Stop": [] }\n}\n',
}

describe.each(Object.entries(SAMPLES))('JSON with comments: %s', (_, sample) => {
  it('gains the entries, and no line of before is lost', () => {
    const text = withEntries(sample, 'jsonc', [SERVER, HOOK])
    expect(hasAll(text, 'jsonc', [SERVER, HOOK])).toBe(true)
    // Characters are only added, so all comments and formatting remain, in order.
    let at = 0
    for (const character of sample.trimEnd()) {
      at = text.indexOf(character, at) + 1
      expect(at).toBeGreaterThan(0)
    }
    for (const comment of sample.match(/\/\/.*|\/\*.*?\*\//g) ?? []) expect(text).toContain(comment)
    expect(withEntries(text, 'jsonc', [SERVER, HOOK])).toBe(text)
  })

  it('loses them again, to the byte', () => {
    const text = withEntries(sample, 'jsonc', [SERVER, HOOK])
    expect(withoutEntries(text, 'jsonc', [SERVER, HOOK], sample)).toBe(sample)
  })

  it('keeps what was added behind them', () => {
    const other: Entry = { at: ['mcpServers', 'other'], value: { command: 'other' } }
    const text = withEntries(withEntries(sample, 'jsonc', [SERVER, HOOK]), 'jsonc', [other])
    const without = withoutEntries(text, 'jsonc', [SERVER, HOOK], sample)!
    expect(hasAll(without, 'jsonc', [other])).toBe(true)
    expect(hasAll(without, 'jsonc', [SERVER])).toBe(false)
    expect(hasAll(without, 'jsonc', [HOOK])).toBe(false)
  })
})

it('a comment stays on the line that it is about', () => {
  const text = withEntries('{\n  "mcpServers": {\n    "a": 1 // mine\n  }\n}\n', 'jsonc', [SERVER])
  expect(text).toContain(
    '"a": 1, // mine\n    "nokosu": {\n      "command": "nokosu",\n      "args": ["mcp"]\n    }\n  }',
  )
})

it('an entry of the same name that was there stays as it is, on the way in and out', () => {
  const own = '{ "mcpServers": { "nokosu": { "command": "mine" } } }'
  expect(withEntries(own, 'jsonc', [SERVER])).toBe(own)
  expect(withoutEntries(own, 'jsonc', [SERVER], own)).toBe(own)
})

it('a file that setup made is gone with the entries, unless others use it by now', () => {
  const frame: Entry = { at: ['version'], value: 1, isFrame: true }
  const text = withEntries(null, 'jsonc', [frame, HOOK])
  expect(withoutEntries(text, 'jsonc', [frame, HOOK], null)).toBeNull()
  const used = text.replace('"Stop"', '"Start": [{ "command": "say" }],\n    "Stop"')
  expect(JSON.parse(withoutEntries(used, 'jsonc', [frame, HOOK], null)!)).toEqual({
    version: 1,
    hooks: { Start: [{ command: 'say' }] },
  })
})

it.each(['[1]', '{', '{"a": }', '"text"', 'null'])('%s is refused', (text) => {
  expect(() => withEntries(text, 'jsonc', [SERVER])).toThrow(/not valid JSON|not a JSON object/)
})

it('refuses a duplicate name, because programs read the last one', () => {
  const text = '{"mcpServers": {}, "mcpServers": {"a": 1}}'
  expect(() => withEntries(text, 'jsonc', [SERVER])).toThrow(/mcpServers appears more than once/)
})

it.each([
  ['// nothing yet\n', '// nothing yet\n{\n'],
  ['/* none */', '/* none */\n{\n'],
  ['\n \n', '{\n'],
])('%j holds no value yet, and gains an object', (text, start) => {
  const added = withEntries(text, 'jsonc', [SERVER])
  expect(added.startsWith(start)).toBe(true)
  expect(hasAll(added, 'jsonc', [SERVER])).toBe(true)
})

it('what is no object cannot hold an entry', () => {
  expect(() => withEntries('{"mcpServers": []}', 'jsonc', [SERVER])).toThrow(/mcpServers/)
})

const TABLE: Entry = { at: ['mcp_servers', 'nokosu'], value: { command: 'nokosu', args: ['mcp'] } }
const TOML: Record<string, string> = {
  empty: '',
  'no last line break': 'model = "x"',
  'comments and other servers':
    '# mine\nmodel   =  "x"\n\n[mcp_servers.a] # a\ncommand = "b"\nargs = [\n  "[c]",\n]\n\n# the end\n',
  'Windows line breaks': 'model = "x"\r\n[mcp_servers.a]\r\ncommand = "b"\r\n',
  'a text over several lines': 'a = """\n[mcp_servers.nokosu]\n"""\n',
}

describe.each(Object.entries(TOML))('TOML: %s', (_, sample) => {
  it('gains a table at its end, and loses it again, to the byte', () => {
    const text = withEntries(sample, 'toml', [TABLE])
    expect(text.startsWith(sample)).toBe(true)
    expect(hasAll(text, 'toml', [TABLE])).toBe(true)
    if (!sample.endsWith('"x"') && !sample.includes('"""'))
      expect(withoutEntries(text, 'toml', [TABLE], sample)).toBe(sample)
  })
})

it('what comes behind the table stays, with the comments before it', () => {
  const behind = '\n# b\n[mcp_servers.b]\ncommand = "b"\n'
  const own = `${withEntries('model = "x"\n', 'toml', [TABLE])}\n[mcp_servers.nokosu.tools.memory_add]\napproval_mode = "approve"\n`
  expect(withoutEntries(own + behind, 'toml', [TABLE], 'model = "x"\n')).toBe(`model = "x"\n${behind}`)
})

it('tables that are written in one line are left alone', () => {
  for (const text of [
    'mcp_servers = { a = { command = "b" } }\n',
    'mcp_servers = 1\n',
    '[[mcp_servers]]\nname = "x"\n',
  ])
    expect(() => withEntries(text, 'toml', [TABLE])).toThrow(/mcp_servers is not written as tables/)
  const own = 'mcp_servers.nokosu.command = "mine"\n'
  expect(withEntries(own, 'toml', [TABLE])).toBe(own)
})
