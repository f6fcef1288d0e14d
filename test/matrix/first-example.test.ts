import { spawnSync } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { createTables, deleteTables } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { ROOT, samplesOf, typedIn } from '../docs/samples.ts'
import { localOptions, ownPrefix } from '../dynamodb/local-tables.ts'
import { environmentWith } from '../examples/stand-ins.ts'
import { emptySchema, postgresServer } from '../postgres/schemas.ts'
import { workspace } from '../surfaces/run-cli.ts'

type Store = 'sqlite' | 'postgres' | 'dynamodb'
const ALL: Store[] = ['sqlite', 'postgres', 'dynamodb']

/** Pages whose first example is typed here: on which stores, and what it prints where the page does not show it. */
const TYPED: Record<string, { on: Store[]; prints?: string[]; before?: string }> = {
  'agents.md': { on: ALL },
  'dynamodb.md': { on: ['dynamodb'], prints: [' The deploy of checkout needs 12 minutes\n      project shop'] },
  'guide.md': { on: ALL, prints: [' The release freeze starts on 20 December\n      company acme'] },
  'migrate.md': { on: ['postgres'], prints: ['Moved. Everything'], before: 'nokosu add --project shop "It is here"' },
  'postgres.md': { on: ['postgres'], prints: [' The deploy of checkout needs 12 minutes\n      project shop'] },
  'setup.md': { on: ['sqlite'], prints: ['No agent or editor was found.'] },
}

/** The others, with what runs their first example, or why there is none to run. */
const ELSEWHERE: Record<string, string> = {
  'adapters.md': 'test/examples',
  'api.md': 'test/docs/samples.test.ts',
  'belief.md': 'shows a line of a context',
  'benchmarks.md': 'none',
  'claude-code.md': 'test/surfaces/plugin-program.test.ts',
  'cli.md': 'test/surfaces/cli-help.test.ts',
  'dashboard.md': 'none',
  'deploy.md': 'test/infra',
  'files.md': 'shows a file; test/surfaces/sync.test.ts',
  'learn.md': 'test/surfaces/learn.test.ts',
  'mcp.md': 'shows a setting; test/surfaces/setup.test.ts',
  'memory-usage.md': 'test/surfaces/workflow-document.test.ts',
  'operations.md': 'test/docs/samples.test.ts',
  'orchestrators.md': 'test/surfaces/pipeline.test.ts',
  'proof.md': 'test/docs/proof.test.ts',
  'recipes.md': 'test/docs/samples.test.ts',
  'rest.md': 'test/surfaces/cli-processes.test.ts',
  'scale.md': 'none',
  'search.md': 'for contributors',
  'security-figures.md': 'for contributors',
  'security.md': 'none',
  'storage.md': 'test/docs/samples.test.ts',
  'style.md': 'none',
  'teams.md': 'test/http/sso.test.ts',
}

/** The page's address of a store. */
const ADDRESS = /postgres:\/\/[\w:.@/]*host[\w:/]*|dynamodb:\/\/[\w-]+\?prefix=[\w-]+/g

async function addressOf(store: Store, folder: string): Promise<string> {
  if (store === 'sqlite') return `sqlite:${join(folder, 'memory.db')}`
  if (store === 'postgres') {
    const { url, destroy } = await emptySchema(await postgresServer())
    onTestFinished(destroy)
    return url
  }
  const options = { ...(await localOptions()), prefix: ownPrefix() }
  onTestFinished(async () => void (await deleteTables(options)))
  await createTables({ ...options, ttl: false })
  return `dynamodb://local?prefix=${options.prefix}&endpoint=${options.endpoint}`
}

it('every page is listed', () => {
  const pages = readdirSync(join(ROOT, 'docs')).filter((name) => name.endsWith('.md'))
  expect([...Object.keys(TYPED), ...Object.keys(ELSEWHERE)].sort()).toEqual(pages.sort())
})

describe.each(Object.entries(TYPED))('the first example of %s', (page, { on, prints = [], before }) => {
  it.each(on)(
    'works as printed on %s',
    async (store) => {
      const { folder } = workspace()
      const address = await addressOf(store, folder)
      const env = {
        ...environmentWith(folder, { npx: 'shift; exec nokosu "$@"' }),
        ...{ AWS_ACCESS_KEY_ID: 'local', AWS_SECRET_ACCESS_KEY: 'local' },
        ...(page === 'migrate.md' ? {} : { NOKOSU_DB: address }),
      }
      const type = (script: string) => {
        const typed = `{ ${script}\n} 2>&1`
        const { status, stdout } = spawnSync('sh', ['-ec', typed], { cwd: folder, env, encoding: 'utf8', input: 'y\n' })
        return { status, output: stdout }
      }
      expect(type(['git init -q .', before].join('\n'))).toMatchObject({ status: 0 })
      const example = samplesOf(`docs/${page}`).find(({ language }) => language === 'sh' || language === 'console')!
      const lines = typedIn(example)
      const script = lines.map(({ command }) => command).join('\n')
      const { status, output } = type(script.replaceAll(ADDRESS, `'${address}'`).replaceAll(`''`, `'`))
      expect({ status, output }).toMatchObject({ status: 0 })
      for (const expected of [...prints, ...lines.flatMap((line) => line.prints)]) {
        expect(plain(output)).toContain(plain(expected))
      }
    },
    120_000,
  )
})

/** Without what differs from run to run. */
function plain(text: string): string {
  return text.replace(/\d{4}-\d\d-\d\dT[\d:.]+Z \+[\d.]+s/g, 'TIME').replace(/workspace: .*/g, 'WORKSPACE')
}
