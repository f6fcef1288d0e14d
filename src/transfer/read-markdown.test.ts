import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { readMarkdown } from './read-markdown.ts'

const CLAUDE_MD = `---
paths:
  - not/an/item
---
# Shop

How we work here.

## Build, **and** \`test\`

- Run \`npm test\` before
  you push
- [x] The **lockfile** is pnpm-lock.yaml
- Services:
  - caddy starts after WireGuard

    \`\`\`sh
    - not an item either
    \`\`\`
  - jellyfin takes 60s.
    - after an upgrade 90s

| a | b |
|---|---|
| 1 | 2 |

<!-- - a comment -->
1. Deploys go out on Tuesdays

   and never on Fridays
2. Staging is wiped every night

> - somebody else's words
`

describe('readMarkdown', () => {
  it('reads every list item with its line, its heading as tag, and the words of the item above it', () => {
    const heading = 'Build and test'
    expect(readMarkdown(CLAUDE_MD).items).toEqual([
      { line: 11, text: 'Run `npm test` before you push', heading },
      { line: 13, text: 'The lockfile is pnpm-lock.yaml', heading },
      { line: 15, text: 'Services: caddy starts after WireGuard', heading },
      { line: 20, text: 'Services: jellyfin takes 60s.', heading },
      { line: 21, text: 'Services: jellyfin takes 60s: after an upgrade 90s', heading },
      { line: 28, text: 'Deploys go out on Tuesdays and never on Fridays', heading },
      { line: 31, text: 'Staging is wiped every night', heading },
    ])
  })

  it('puts the item above before one that says nothing without it', () => {
    const text =
      '# Approvals\n- Two approvals for payments.\n- One approval elsewhere\n- Deploys on Tuesday\n\n# Ports\n- The others use 8080\n\n1. Drain the node\n2. Then reboot it\n3. It answers again after 40 s\n4. After a reboot, check the disk\n'
    expect(readMarkdown(text).items.map((item) => item.text)).toEqual([
      'Two approvals for payments.',
      'Two approvals for payments; One approval elsewhere',
      'Deploys on Tuesday',
      'The others use 8080',
      'Drain the node',
      'Drain the node; Then reboot it',
      'Then reboot it; It answers again after 40 s',
      'After a reboot, check the disk',
    ])
  })

  it('counts what it leaves out', () => {
    expect(readMarkdown(CLAUDE_MD).leftOut).toEqual({ codeBlocks: 1, tables: 1, paragraphs: 1, lists: 1 })
    const html = '<ul>\n<li>one</li>\n</ul>\n\n> quoted words\n'
    expect(readMarkdown(html).leftOut).toEqual({ codeBlocks: 0, tables: 0, paragraphs: 1, lists: 1 })
  })

  it('leaves out what nokosu itself wrote into the file, and the numbers of the lines stand', () => {
    const own = '<!-- nokosu:begin -->\n- known already\n<!-- nokosu:end 0123456789abcdef -->\n'
    expect(readMarkdown(`${own}- mine\n`).items).toEqual([{ line: 4, text: 'mine', heading: null }])
  })

  it('reads Windows line ends, a byte order mark, and a list without a heading', () => {
    const { items } = readMarkdown('\uFEFF---\r\na: b\r\n---\r\n\r\n* one\r\n\r\n* two\r\n')
    expect(items.map(({ line, text }) => [line, text])).toEqual([
      [5, 'one'],
      [7, 'two'],
    ])
  })

  it('gives a heading that is too long or has a comma a tag that can be stored', () => {
    expect(readMarkdown(`# a, ${'b'.repeat(100)}\n- x`).items[0]!.heading).toHaveLength(64)
    expect(readMarkdown('# **,**\n- x').items[0]!.heading).toBeNull()
  })

  it('every item stands on the line that it names', () => {
    const words = fc.stringMatching(/^[a-z]{1,8}( [a-z]{1,8}){0,3}$/)
    const block = fc.oneof(
      fc.tuple(fc.constantFrom('- ', '  - ', '    - ', '1. '), words).map(([mark, text]) => mark + text),
      words.map((text) => `## ${text}\n`),
      fc.constantFrom('', '```\n- code\n```', '    indented', 'prose\n', '| a |\n|---|\n| - |\n'),
    )
    fc.assert(
      fc.property(fc.array(block, { maxLength: 30 }), (blocks) => {
        const text = blocks.join('\n')
        const lines = text.split('\n')
        for (const { line, text: said } of readMarkdown(text).items) {
          const first = said.split(': ').at(-1)!.split(' ')[0]!
          expect(lines[line - 1]).toContain(first)
        }
      }),
      { numRuns: 500 },
    )
  })
})
