import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import type { Memory } from '../../src/model/memory.ts'
import { workspace } from './run-cli.ts'

const SHOP = ['--project', 'shop']

type Place = ReturnType<typeof workspace>

async function stored({ json }: Place): Promise<Memory[]> {
  const { memories } = await json<{ memories: Memory[] }>(['list', ...SHOP])
  return memories.sort((a, b) => (a.content < b.content ? -1 : 1))
}

/** Previews, stores, and stores again: the second time changes nothing. */
async function importTwice(place: Place, args: readonly string[], env: Record<string, string> = {}) {
  const shown = await place.run(['import', ...args, ...SHOP, '--dry-run'], { env })
  expect(shown).toMatchObject({ code: 0, stdout: expect.stringContaining('Would store') })
  expect(await stored(place)).toEqual([])
  await place.json(['import', ...args, ...SHOP, '--yes'], { env })
  const first = await stored(place)
  const again = await place.run(['import', ...args, ...SHOP, '--yes'], { env })
  expect(again.stdout).toMatch(/Nothing to store: \d+ known/)
  expect(await stored(place)).toEqual(first)
  return first
}

/** The relevant part of claude-mem 13's table. */
function claudeMem(path: string): void {
  const db = new DatabaseSync(path)
  db.exec(`CREATE TABLE observations (id INTEGER PRIMARY KEY AUTOINCREMENT, memory_session_id TEXT NOT NULL, project TEXT NOT NULL, text TEXT,
    type TEXT NOT NULL, title TEXT, subtitle TEXT, facts TEXT, narrative TEXT, concepts TEXT, files_read TEXT, files_modified TEXT,
    created_at TEXT NOT NULL, created_at_epoch INTEGER NOT NULL, merged_into_project TEXT)`)
  const add = db.prepare(
    `INSERT INTO observations (memory_session_id, project, text, type, title, subtitle, facts, concepts, created_at, created_at_epoch, merged_into_project)
     VALUES ('s', ?, ?, ?, ?, ?, ?, ?, '2026-01-02T03:04:05.000Z', 1767323045000, ?)`,
  )
  const facts = JSON.stringify(['Sessions live in Redis for 30 minutes', 'No refresh token is kept'])
  add.run('shop', null, 'decision', 'Login sessions', 'How long they live', facts, '["auth"]', null)
  add.run('shop', null, 'bugfix', 'Checkout timed out', 'The pool was too small', '[]', 'not json', null)
  add.run('shop-worktree', null, 'discovery', null, null, '["The queue holds 5 jobs"]', null, 'shop')
  add.run('other', 'Of another project', 'discovery', null, null, null, null, null)
  db.close()
}

it('claude-mem: the facts of one project, with what they are about, their kind and their time', async () => {
  const place = workspace()
  const home = join(place.folder, 'home')
  mkdirSync(join(home, '.claude-mem'), { recursive: true })
  claudeMem(join(home, '.claude-mem/claude-mem.db'))
  const memories = await importTwice(place, ['claude-mem', '--from', 'shop'], { HOME: home })
  expect(memories.map(({ content, category, anchor }) => [content, category, anchor])).toEqual([
    ['Checkout timed out: The pool was too small', 'remediation', 'claude-mem:2'],
    ['Login sessions: No refresh token is kept', 'decision', 'claude-mem:1'],
    ['Sessions live in Redis for 30 minutes', 'decision', 'claude-mem:1'],
    ['The queue holds 5 jobs', 'learning', 'claude-mem:3'],
  ])
  expect(memories[1]).toMatchObject({ tags: ['decision', 'auth'], occurredAt: '2026-01-02T03:04:05.000Z' })
})

it('claude-mem: another project is named, and another database is refused', async () => {
  const place = workspace()
  claudeMem(join(place.folder, 'copy.db'))
  const none = await place.run(['import', 'copy.db', '--from', 'web', ...SHOP, '--yes'])
  expect(none).toMatchObject({ code: 2, stderr: expect.stringMatching(/no observation of web[\s\S]*shop \(2\)/) })
  new DatabaseSync(join(place.folder, 'empty.db')).exec('CREATE TABLE a (b)')
  expect(await place.failure(['import', 'empty.db', ...SHOP, '--yes'])).toMatchObject({ exit: 2 })
  expect(await place.failure(['import', 'claude-mem', ...SHOP], { env: { HOME: place.folder } })).toMatchObject({
    message: expect.stringContaining('There is no claude-mem database'),
  })
})

it('mem0: a list, results or memories, without what was archived', async () => {
  const place = workspace()
  const results = [
    { id: 'a1', memory: 'Invoices are numbered per year', created_at: '2026-01-02T03:04:05Z', categories: ['billing'] },
    { id: 'a2', memory: 'Deleted there', state: 'deleted' },
    { id: 'a3', content: 'The queue holds 5 jobs', created_at: 1767323045 },
    { id: 'a4', memory: null },
  ]
  writeFileSync(join(place.folder, 'mem0.json'), JSON.stringify({ results, relations: [] }))
  const memories = await importTwice(place, ['mem0.json'])
  expect(memories.map(({ content, anchor, tags, occurredAt }) => [content, anchor, tags, occurredAt])).toEqual([
    ['Invoices are numbered per year', 'mem0:a1', ['billing'], '2026-01-02T03:04:05.000Z'],
    ['The queue holds 5 jobs', 'mem0:a3', [], '2026-01-02T03:04:05.000Z'],
  ])
  // The same memories in another file count as known.
  writeFileSync(join(place.folder, 'again.json'), JSON.stringify(results))
  expect((await place.run(['import', 'again.json', ...SHOP])).stdout).toContain('Nothing to store: 2 known')
  writeFileSync(join(place.folder, 'profile.json'), '{"name": "Ada"}')
  expect(await place.failure(['import', 'profile.json', ...SHOP, '--yes'])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('No mem0 memories'),
  })
})

it('basic-memory: the observations of each note, with its title, and no checkbox, link or relation', async () => {
  const place = workspace()
  mkdirSync(join(place.folder, 'notes/design'), { recursive: true })
  mkdirSync(join(place.folder, 'notes/.obsidian'))
  writeFileSync(join(place.folder, 'notes/.obsidian/skip.md'), '- [fact] Not a note\n')
  const note = `---
title: Coffee machine
tags: [kitchen]
---
# Coffee machine

- [decision] Descaled on Mondays #upkeep (by the office)
- [tip] It needs #9 filters and #filtered water #water
- [ ] buy beans
- [x] done
- [link](https://example.com) text
- requires [[Water]]

\`\`\`
- [fact] in code
\`\`\`
`
  writeFileSync(join(place.folder, 'notes/design/coffee.md'), note)
  const memories = await importTwice(place, ['notes'])
  expect(memories.map(({ content, category, anchor, tags }) => [content, category, anchor, tags])).toEqual([
    [
      'Coffee machine: Descaled on Mondays (by the office)',
      'decision',
      'file:design/coffee.md:7',
      ['decision', 'upkeep', 'kitchen'],
    ],
    [
      'Coffee machine: It needs #9 filters and #filtered water',
      'learning',
      'file:design/coffee.md:8',
      ['tip', 'filtered', 'water', 'kitchen'],
    ],
  ])
})

it('an item of a Markdown list keeps the meaning of its heading', async () => {
  const place = workspace()
  const text = '# CLAUDE.md\n## Reviews\n- One approval elsewhere\n- Reviews take a day\n## Notes\n- Staging is wiped\n'
  writeFileSync(join(place.folder, 'CLAUDE.md'), text)
  await place.json(['import', 'CLAUDE.md', ...SHOP, '--yes'])
  expect((await stored(place)).map(({ content }) => content)).toEqual([
    'Reviews take a day',
    'Reviews: One approval elsewhere',
    'Staging is wiped',
  ])
})

it('flags of notes are refused for an export, whatever its name', async () => {
  const place = workspace()
  await place.json(['add', ...SHOP, 'The queue holds 5 jobs'])
  await place.json(['export', '--all', 'backup.json'])
  expect(await place.failure(['import', 'backup.json', '--yes'])).toMatchObject({
    message: '--yes is only for notes: an export is imported as it is.',
  })
  expect(await place.json(['import', 'backup.json'])).toMatchObject({ existing: 1 })
  expect(await place.failure(['import', 'CLAUDE.md', '--from', 'x', ...SHOP])).toMatchObject({
    message: '--from is only for claude-mem.',
  })
})

it('basic-memory: links are not followed, and a file that is no text is named', async () => {
  const place = workspace()
  const notes = join(place.folder, 'notes')
  mkdirSync(notes)
  writeFileSync(join(notes, 'coffee.md'), '- [decision] Descaled on Mondays\n')
  writeFileSync(join(notes, 'bytes.md'), Buffer.from('- [fact] Caf\xe9 opens at nine\n', 'latin1'))
  symlinkSync('..', join(notes, 'up'))
  symlinkSync('/etc/hosts', join(notes, 'hosts.md'))
  execFileSync('sh', ['-c', 'mkfifo pipe.md'], { cwd: notes })
  const { code, stdout, stderr } = await place.run(['import', 'notes', ...SHOP, '--yes'])
  expect([code, stderr]).toEqual([0, expect.stringContaining('bytes.md was not read: it is not UTF-8 text.')])
  expect(stdout).toContain('Stored: 1 new')
})

it('claude-mem: a file that is no database is refused', async () => {
  const place = workspace()
  writeFileSync(join(place.folder, 'claude-mem.db'), 'SQLite format 3\0'.padEnd(5000, 'x'))
  expect(await place.failure(['import', 'claude-mem.db', ...SHOP, '--yes'])).toMatchObject({
    exit: 2,
    message: expect.stringContaining('cannot be read as a database'),
  })
})

it('what is between <private> tags stays out, over several items of a list too', async () => {
  const place = workspace()
  const memories = [
    { memory: 'Refunds go to <private>Ada</private> first' },
    { memory: '<private>Only for me</private>' },
  ]
  writeFileSync(join(place.folder, 'mem0.json'), JSON.stringify({ results: memories }))
  const list =
    '- Deploys run at night\n\n<private>\n\n- The vault code is on the door\n\n</private>\n\n- Workers restart first\n'
  writeFileSync(join(place.folder, 'NOTES.md'), list)
  await place.json(['import', 'mem0.json', ...SHOP, '--yes'])
  await place.json(['import', 'NOTES.md', ...SHOP, '--yes'])
  expect((await stored(place)).map(({ content }) => content)).toEqual([
    'Deploys run at night',
    'Refunds go to first',
    'Workers restart first',
  ])
})
