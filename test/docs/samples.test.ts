import { spawnSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { environmentWith } from '../examples/stand-ins.ts'
import { workspace } from '../surfaces/run-cli.ts'
import { ROOT, type Sample, samplesOf, typedIn } from './samples.ts'
import { sourcesOf } from './sources.ts'

/** Documents whose commands run from top to bottom in one repository. */
const FOLLOWED = ['README.md', 'docs/recipes.md', 'docs/operations.md']
/** Documents whose programs are compiled and run. */
const WITH_PROGRAMS = ['README.md', 'docs/guide.md', 'docs/storage.md', 'docs/memory-usage.md', 'docs/api.md']

/** Programs that are compiled or run elsewhere, with the reason. */
const NOT_HERE: Record<string, string> = {
  'docs/storage.md': 'needs the backend that its reader writes; test/storage runs the suite it calls',
}

/** Stand-ins for external programs, so that the commands around them can run. */
const STAND_INS = {
  npx: 'shift; exec nokosu "$@"',
  // Nothing is installed: test/package installs the package.
  npm: 'exit 0',
  // No model is asked: the real Claude Code is in test/e2e.
  claude: 'echo "Staging is wiped every night: whatever you entered yesterday is gone."',
  codex: 'echo done',
  docker: 'exit 0',
  // If it is not installed. The copy itself is made by SQLite.
  sqlite3: 'exit 0',
}

/** Commands that another test covers. */
const TRIED_ELSEWHERE = [{ command: /^npx nokosu demo$/, by: 'test/surfaces/demo.test.ts' }]

const NOTES = '# Shop\n\n## Gotchas\n\n- The staging queue is emptied at noon\n- The lockfile is pnpm-lock.yaml\n'

/** A repository with a CLAUDE.md, like a reader's. Only the README depends on meaning and needs the model. */
function repository(file: string) {
  const { folder } = workspace()
  const work = join(folder, 'shop')
  mkdirSync(work)
  writeFileSync(join(work, 'CLAUDE.md'), NOTES)
  const env = environmentWith(folder, STAND_INS)
  const isFirst = file === 'README.md'
  if (!isFirst) Object.assign(env, { NOKOSU_EMBEDDING: 'hashing' })
  const type = (command: string) => {
    const { status, stdout } = spawnSync('sh', ['-ec', `{ ${command}\n} 2>&1`], { cwd: work, env, encoding: 'utf8' })
    return { status, output: stdout }
  }
  type('git init -q .')
  // By this point the reader has a store.
  if (!isFirst) type('nokosu add --user alice "Write to alice@example.com"')
  return { type }
}

/** Normalises spaces and ids, which differ between runs, and scores, which differ between models. */
function plain(text: string): string {
  return text
    .replace(/^[01]\.\d\d(?= )/gm, 'SCORE')
    .replace(/\b01[0-9A-HJKMNP-TV-Z]{24}\b/g, 'ID')
    .replace(/[ \t]+/g, ' ')
}

describe.each(FOLLOWED)('%s, typed from top to bottom', (file) => {
  it('every command succeeds, and prints what the document shows', () => {
    const { type } = repository(file)
    const blocks = samplesOf(file).filter(({ language }) => language === 'sh' || language === 'console')
    const all = blocks
      .flatMap(typedIn)
      .filter(({ command }) => !TRIED_ELSEWHERE.some((each) => each.command.test(command)))
    expect(all.length).toBeGreaterThan(5)
    for (const { line, command, prints } of all) {
      const { status, output } = type(command)
      expect({ at: `${file}:${line}`, command, status, output }).toMatchObject({ status: 0 })
      for (const expected of prints) expect(plain(output), `${file}:${line} ${command}`).toContain(plain(expected))
    }
  }, 120_000)
})

describe('the programs in the documents', () => {
  // Other code blocks of the reference are types.
  const programs = WITH_PROGRAMS.flatMap(samplesOf).filter(
    ({ language, code }) => language === 'ts' && code.includes("from 'nokosu"),
  )
  const here = programs.filter(({ file }) => !(file in NOT_HERE))

  it('compile, and run', () => {
    expect(here.filter(({ file }) => file === 'docs/api.md')).toHaveLength(10)
    const { folder } = workspace()
    here.forEach((sample, i) => {
      writeFileSync(join(folder, nameOf(sample, i)), sample.code)
    })
    const options = { extends: join(ROOT, 'tsconfig.json'), compilerOptions: optionsFor(), include: ['./*.ts'] }
    writeFileSync(join(folder, 'package.json'), '{"type": "module"}')
    writeFileSync(join(folder, 'tsconfig.json'), JSON.stringify(options))
    const tsc = spawnSync(join(ROOT, 'node_modules/.bin/tsc'), ['-p', '.'], { cwd: folder, encoding: 'utf8' })
    expect(tsc.stdout.split('\n').filter((line) => /^\w+-md-\d/.test(line))).toEqual([])
    const preload = join(ROOT, 'test/examples/use-sources.mjs')
    here.forEach((sample, i) => {
      const args = ['--import', preload, nameOf(sample, i)]
      const { status, stderr } = spawnSync(process.execPath, args, { cwd: folder, encoding: 'utf8' })
      expect({ at: `${sample.file}:${sample.line}`, status, stderr }).toMatchObject({ status: 0, stderr: '' })
    })
  }, 120_000)
})

function nameOf({ file, line }: Sample, i: number): string {
  return `${file.replace(/\W+/g, '-').toLowerCase()}-${line}-${i}.ts`
}

/** Unused names in a sample are for the reader. */
function optionsFor() {
  const paths = Object.fromEntries(sourcesOf().map(([name, file]) => [name, [file]]))
  return { paths, typeRoots: [join(ROOT, 'node_modules/@types')], noUnusedLocals: false }
}

it('every error code is explained in docs/operations.md, with its exit code and HTTP status', async () => {
  const { ERROR_CODES } = await import('../../src/model/errors.ts')
  const rows = [...errorTable()].map(([, code, exit, status]) => [code, Number(exit), Number(status)])
  expect(rows).toEqual(Object.entries(ERROR_CODES).map(([code, { exit, status }]) => [code, exit, status]))
})

function errorTable() {
  return readFileSync(join(ROOT, 'docs/operations.md'), 'utf8').matchAll(/^\| ([A-Z_]+) \| (\d+) \| (\d+) \|/gm)
}
