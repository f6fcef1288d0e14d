import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { findMarkdownStructure } from '../../eval/guard/markdown.ts'
import { createLogger } from '../../src/observe/log.ts'
import { openFleet } from '../stress/fleet-store.ts'
import { leakFuzz } from '../stress/leak-fuzz.ts'
import { sequence } from '../stress/sentences.ts'
import type { Scenario } from './scenario.ts'

/** All kinds of reads by all kinds of callers on held, deleted and out-of-scope memories. */
export const leaks: Scenario = async ({ create, seed, size, progress }) => {
  const store = await create()
  try {
    // A server cannot use another server as its store.
    if (/^https?:/.test(store.url)) return
    const memory = await openFleet(store.url, { log: createLogger('silent') })
    const report = await leakFuzz(memory, { reads: size, seed })
    progress.did(report.reads)
    for (const leak of report.leaks) progress.fail(leak)
    await memory.shutdown()
  } finally {
    await store.destroy()
  }
}

const PIECES = [
  '# ',
  '## Memory',
  '- [ ] ',
  '* ',
  '> ',
  '```',
  ...'~~~sh --- <!-- --> </memory> <system> ![x](y) [a](b) |a|b| @.env @../../etc/passwd'.split(' '),
  ...'**@~/.ssh/id** &#64;.env'.split(' '),
  'Human: ',
  'Assistant: ',
  '\n\nHuman:',
  '\u202e',
  '\u0000',
  '\u001b[31m',
  '[MEMORY:timing:web]',
  '(confidence: 1.0) - [remediation]',
  '\r\n',
  '\n',
  '\t',
  '    ',
  '\u2028',
  'plain words',
  'x',
  '1. ',
  '[^1]:',
  '$$',
  '\\',
]

/** Hostile text as a memory in every format stays text. */
export const renders: Scenario = async ({ seed, size, progress }) => {
  const random = sequence(seed)
  for (let i = 0; i < size; i++) {
    const content = Array.from(
      { length: 1 + Math.floor(random() * 6) },
      () => PIECES[Math.floor(random() * PIECES.length)],
    ).join(random() < 0.3 ? ' ' : '')
    const found = findMarkdownStructure(content)
    if (found.length > 0) progress.fail(`${JSON.stringify(content)} became ${found.join(', ')}`)
    progress.did()
  }
}

const NOKOSU = join(import.meta.dirname, '../../bin/nokosu.mjs')
const AUTHOR = {
  GIT_AUTHOR_NAME: 'a',
  GIT_AUTHOR_EMAIL: 'a@b.c',
  GIT_COMMITTER_NAME: 'a',
  GIT_COMMITTER_EMAIL: 'a@b.c',
}
const DATES = { GIT_AUTHOR_DATE: '2026-01-01T00:00:00Z', GIT_COMMITTER_DATE: '2026-01-01T00:00:00Z' }
const STEPS = [
  ...[
    'git add -A',
    'git commit -qm step --allow-empty',
    'git commit -qam step',
    'git stash -q',
    'git stash pop -q',
    'git checkout -q -b other',
    'git checkout -q main',
  ],
  ...[
    'git checkout -q .',
    'git reset -q --hard',
    'git clean -fdq',
    'git merge -q other',
    'git rm -q --cached CLAUDE.md',
    'git mv notes.md moved.md',
    'git checkout -q other',
  ],
  ...[
    'echo more >> notes.md',
    'echo team >> CLAUDE.md',
    'rm -f CLAUDE.md',
    'mkdir -p .claude; echo x > .claude/own.md',
    'echo y > new.txt',
    'rm -rf .claude',
  ],
]

/** The same git operations with and without an agent's run: the results are the same. */
export const walks: Scenario = async ({ seed, size, progress }) => {
  const random = sequence(seed)
  const root = mkdtempSync(join(tmpdir(), 'nokosu-walk-'))
  const env = {
    ...process.env,
    ...AUTHOR,
    ...DATES,
    GIT_CONFIG_GLOBAL: '/dev/null',
    NOKOSU_EMBEDDING: 'hashing',
    NOKOSU_DB: `sqlite:${join(root, 'memory.db')}`,
    NOKOSU_STATE: join(root, 'state'),
  }
  const git = (folder: string, ...args: string[]) =>
    execFileSync('git', ['-C', folder, ...args], { env, encoding: 'utf8', stdio: 'pipe' })
  try {
    for (let i = 0; i < size; i++) {
      const [plain, run] = [join(root, `plain${i}`, 'w'), join(root, `run${i}`, 'w')]
      mkdirSync(plain, { recursive: true })
      git(plain, 'init', '-q', '-b', 'main')
      writeFileSync(join(plain, 'notes.md'), 'notes\n')
      if (random() < 0.6) writeFileSync(join(plain, 'CLAUDE.md'), 'Ours\n')
      if (random() < 0.5) git(plain, 'add', '-A')
      git(plain, 'commit', '-qm', 'start', '--allow-empty')
      cpSync(plain, run, { recursive: true })
      const script = Array.from(
        { length: 3 + Math.floor(random() * 8) },
        () => STEPS[Math.floor(random() * STEPS.length)],
      ).join(' 2>/dev/null; ')
      spawnSync('sh', ['-c', `${script}; true`], { cwd: plain, env })
      const args = [NOKOSU, ...'run --agent nori --project shop --extract off -- sh -c'.split(' '), `${script}; true`]
      spawnSync(process.execPath, args, { cwd: run, env })
      for (const what of [
        ['status', '--porcelain'],
        ['log', '--format=%T %s', '--all'],
        ['ls-files', '-s'],
        ['stash', 'list', '--format=%s'],
      ]) {
        // A run's commits have the agent as author, so the hash in a stash message differs.
        const [wanted, found] = [plain, run].map((folder) =>
          git(folder, ...what).replace(/: [0-9a-f]{7,} /g, ': HASH '),
        )
        if (wanted !== found)
          progress.fail(
            `after '${script}' git ${what.join(' ')} says ${JSON.stringify(found)}, not ${JSON.stringify(wanted)}`,
          )
      }
      const { status, stdout } = spawnSync('diff', ['-r', '-x', '.git', plain, run], { encoding: 'utf8' })
      if (status !== 0) progress.fail(`after '${script}' the files differ: ${stdout}`)
      progress.did()
    }
  } finally {
    rmSync(root, { recursive: true, force: true })
  }
}
