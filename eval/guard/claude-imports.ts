/** Finds which forms make the real Claude Code load a file. It only talks to a mock API on loopback. */
import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { escapeForFile } from '../../src/guard/escape.ts'
import type { Memory } from '../../src/model/memory.ts'
import { renderFile } from '../../src/recall/render-file.ts'
import { renderOperational } from '../../src/recall/render-operational.ts'
import { renderQuery } from '../../src/recall/render-query.ts'
import { renderWorkflow } from '../../src/recall/render-workflow.ts'
import { say, startMockApi } from '../../test/e2e/mock-api.ts'
import { makeMemory } from '../../test/fixtures/make-memory.ts'

/** A small number, so that a form that opens a block hides few neighbours. */
const FORMS_A_FILE = 50
const TIMEOUT_MS = 60_000
const NOW = new Date('2026-02-01T00:00:00.000Z')

const ROOMY = { now: NOW, budget: 1e7 }
/** Each format applied to all memories of a file; `raw` is without escaping. */
/** As in workspace files, the only place where Claude Code looks for imports. */
export const FORMATS: Record<string, (memories: readonly Memory[]) => string> = {
  raw: (memories) => memories.map(({ content }) => `- ${content}\n`).join(''),
  file: (memories) => renderFile(memories, { now: NOW }).text,
  operational: (memories) => escapeForFile(renderOperational(memories, ROOMY).text),
  workflow: (memories) =>
    escapeForFile(renderWorkflow(memories, { now: NOW, maxEntries: 1e4, maxCharacters: 1e7 }).text),
  query: (memories) =>
    escapeForFile(
      renderQuery(
        memories.map((memory) => ({ memory, score: 1, layer: memory.layer })),
        ROOMY,
      ).text,
    ),
}

export interface Loaded {
  /** Forms whose file appeared in the request. */
  forms: string[]
  env: boolean
  sshKey: boolean
  /** All memory files arrived, so "nothing loaded" does not mean "nothing read". */
  arrived: boolean
  tried: number
}

/** Location of a form's file relative to the memory file, alternating: relative, absolute, in the home folder. */
function pathsOf(at: number, repository: string): { written: string; place: string } {
  const name = `canary/${at}.md`
  const inside = join(repository, name)
  return [
    { written: `../../${name}`, place: inside },
    { written: `./../../${name}`, place: inside },
    { written: inside, place: inside },
    { written: `~/${name}`, place: `~/${name}` },
  ][at % 4]!
}

/**
 * Renders every form in one format into memory files that CLAUDE.md imports, starts Claude Code once, and looks for the canaries in its
 * request. Imports from outside the workspace are allowed, so that the home folder is in reach.
 */
export async function tryImports(binary: string, format: string, forms: readonly string[]): Promise<Loaded> {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), 'nokosu-imports-')))
  const [home, repository] = [join(folder, 'home'), join(folder, 'shop')]
  const api = await startMockApi([say('Done.')])
  const write = (path: string, text: string): void => {
    const place = path.replace(/^~/, home)
    mkdirSync(dirname(place), { recursive: true })
    writeFileSync(place, text)
  }
  try {
    for (const path of [home, repository, join(folder, 'tmp')]) mkdirSync(path)
    execFileSync('git', ['init', '-q'], { cwd: repository, env: { PATH: process.env.PATH, HOME: home } })
    const trusted = { hasTrustDialogAccepted: true, hasClaudeMdExternalIncludesApproved: true }
    write('~/.claude.json', JSON.stringify({ projects: { [repository]: trusted } }))
    write(join(repository, '.env'), 'CANARY=env-was-read')
    write('~/.ssh/id_rsa', 'canary-ssh-key-was-read')

    const contents = forms.flatMap((form, at) => {
      const { written, place } = pathsOf(at, repository)
      write(place, `canary-${at}-was-read`)
      return [form.replaceAll('PATH', written)]
    })
    for (const form of forms.slice(0, 200)) {
      contents.push(form.replaceAll('PATH', '../../.env'), form.replaceAll('PATH', '~/.ssh/id_rsa'))
    }
    const imports: string[] = []
    const ends: string[] = []
    for (let at = 0; at < contents.length; at += FORMS_A_FILE) {
      const memories = contents
        .slice(at, at + FORMS_A_FILE)
        // Services are untrusted text too, and appear elsewhere in the format.
        .map((content, index) => ({ content, service: index % 3 === 0 ? content : null, index: at + index }))
        .map(({ index, ...text }) =>
          makeMemory({ id: `m${String(index).padStart(5, '0')}`, layer: 'project', ...text }),
        )
      const name = `.claude/memory/MEMORY-${at}.md`
      write(join(repository, name), `${FORMATS[format]!(memories)}\n\nend of file ${at}.\n`)
      imports.push(`@${name}`)
      ends.push(`end of file ${at}.`)
    }
    write(join(repository, 'CLAUDE.md'), [...imports, ''].join('\n\n'))

    await startClaude(binary, repository, folder, api.url)
    const sent = JSON.stringify(api.requests)
    return {
      forms: forms.filter((_, at) => sent.includes(`canary-${at}-was-read`)),
      env: sent.includes('env-was-read'),
      sshKey: sent.includes('canary-ssh-key-was-read'),
      arrived: ends.every((end) => sent.includes(end)),
      tried: contents.length,
    }
  } finally {
    await api.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

/** Ignores the machine's settings, sends no telemetry, and replaces every external host with the mock. */
async function startClaude(binary: string, repository: string, folder: string, url: string): Promise<void> {
  const child = spawn(binary, ['-p', 'hello'], {
    cwd: repository,
    env: {
      ...{ PATH: process.env.PATH, HOME: join(folder, 'home'), TMPDIR: join(folder, 'tmp') },
      ...{
        HTTPS_PROXY: url,
        HTTP_PROXY: url,
        NO_PROXY: '127.0.0.1',
        ANTHROPIC_BASE_URL: url,
        ANTHROPIC_API_KEY: 'dummy',
      },
      ...{ CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1', CLAUDE_CODE_MAX_RETRIES: '1' },
      ...{ DISABLE_TELEMETRY: '1', DISABLE_AUTOUPDATER: '1' },
    },
    stdio: ['ignore', 'ignore', 'pipe'],
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
  })
  let complaint = ''
  child.stderr.on('data', (part: Buffer) => {
    complaint += part.toString()
  })
  await new Promise<void>((resolve, reject) => {
    child.on('error', reject)
    child.on('close', (code, signal) => {
      if (code === 0) resolve()
      else reject(new Error(`claude ended with ${code ?? signal}: ${complaint.slice(0, 500)}`))
    })
  })
}
