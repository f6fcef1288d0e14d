import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path'
import { chooseTests } from './choose-tests.ts'
import { copyTree } from './copy-tree.ts'
import { type Generated, generate, lineOf } from './generate.ts'
import { announce, instrument } from './instrument.ts'
import type { Reached, Trial, Verdict } from './plan.ts'

const AT_ONCE = 2
/** A session that is silent for this long is in an endless loop. */
const PATIENCE_MS = 300_000
/** The share of mutations that tests should catch. */
const GOAL = 0.85
/** A run fails below this share, which is slightly under the last result. It only grows, up to the goal. */
const LEAST = 0.8

export interface GeneratedOptions {
  count: number
  seed: string
  /** Path prefixes; empty for all files. */
  within: readonly string[]
  /** A file for the survivors, as JSON. */
  report: string | undefined
}

/** Tries generated mutations and lists the survivors. Returns false if there are too many. */
export async function runGenerated({ count, seed, within, report }: GeneratedOptions): Promise<boolean> {
  const folder = copyTree()
  try {
    const mutants = generate(folder, count, seed, within)
    putInto(folder, mutants)
    const reached = await record(folder)
    const trials = chooseTests(mutants, reached)
    const survivors: { mutant: Generated; ran: number }[] = []
    const queue = [...mutants]
    const work = async () => {
      const session = new Session(folder)
      for (let mutant = queue.shift(); mutant !== undefined; mutant = queue.shift()) {
        const trial = trials.get(mutant.id)!
        const ran = trial.files.reduce((sum, { tests }) => sum + tests.length, 0)
        const started = performance.now()
        const by = ran === 0 ? null : await session.try(trial)
        if (by === null) survivors.push({ mutant, ran })
        const seconds = ((performance.now() - started) / 1000).toFixed(1)
        console.log(
          `${by === null ? (ran === 0 ? 'NOT REACHED' : 'SURVIVED') : 'noticed'}  ${describe(mutant)}  ${seconds} s${by === null ? ` (${ran} tests)` : `: ${by}`}`,
        )
      }
      session.close()
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    if (report !== undefined) {
      const rows = survivors.map(({ mutant: { file, operator, code, put, line, ...rest }, ran }) => ({
        file,
        at: line,
        operator,
        line: lineOf({ file, line, operator, code, put, ...rest }),
        code,
        put,
        ran,
      }))
      writeFileSync(report, `${JSON.stringify(rows, null, 2)}\n`)
    }
    return judge(mutants.length, mutants.length - survivors.length)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

function describe({ file, line, operator, code, put }: Generated): string {
  const short = (text: string) => JSON.stringify(text.replace(/\s+/g, ' ').slice(0, 60))
  return `${file}:${line}  ${operator}  ${short(code)} -> ${short(put)}`
}

/** Allows two standard errors, because a small sample may miss the goal by chance. */
function judge(all: number, noticed: number): boolean {
  const least = LEAST - 2 * Math.sqrt((LEAST * (1 - LEAST)) / all)
  const percent = (share: number) => `${(100 * share).toFixed(0)} %`
  console.log(
    `mutants: ${noticed} of ${all} generated ones noticed (${percent(noticed / all)}; the goal is ${percent(GOAL)}, less than ${percent(least)} fails)`,
  )
  return noticed / all >= least
}

/** Writes the files with all mutations in them. */
function putInto(folder: string, mutants: readonly Generated[]): void {
  const nearby = new Map<string, number[]>()
  for (const { id, file, isStatic } of mutants) {
    if (!isStatic) continue
    for (const near of nearOf(folder, file)) nearby.set(near, [...(nearby.get(near) ?? []), id])
  }
  const byFile = Map.groupBy(mutants, ({ file }) => file)
  for (const file of new Set([...byFile.keys(), ...nearby.keys()])) {
    const path = join(folder, file)
    const mistaken = instrument(readFileSync(path, 'utf8'), byFile.get(file) ?? [])
    const ids = nearby.get(file)
    writeFileSync(path, ids === undefined ? mistaken : announce(mistaken, ids))
  }
}

/** Files whose functions may use a constant of this file: itself, its importers, and theirs, because some only pass it on. */
function nearOf(folder: string, file: string): Set<string> {
  const direct = importersOf(folder, file)
  return new Set([file, ...direct, ...direct.flatMap((each) => importersOf(folder, each))])
}

function importersOf(folder: string, file: string): string[] {
  return globSync('src/**/*.ts', { cwd: folder, exclude: ['**/*.test.ts'] }).filter((other) => {
    const imported = readFileSync(join(folder, other), 'utf8').matchAll(/from '(\.[^']+)'/g)
    return [...imported].some(([, path]) => normalize(join(dirname(other), path!)) === file)
  })
}

/** Runs all tests once without a mutation, and reads what each reached. */
async function record(folder: string): Promise<Reached[]> {
  const file = join(folder, 'reached.jsonl')
  writeFileSync(file, '')
  const child = spawn(process.execPath, [sessionIn(folder), folder, join(folder, 'plan.json'), file], {
    cwd: folder,
    stdio: ['ignore', 'inherit', 'inherit'],
  })
  const [code] = await once(child, 'close')
  if (code !== 0) throw new Error('The tests could not be run.')
  return readFileSync(file, 'utf8')
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line))
}

const sessionIn = (folder: string) => join(folder, 'scripts/mutate/session.ts')
let sessions = 0

/** A process with a persistent Vitest; it is replaced if it hangs. */
function killGroup(pid: number): void {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

class Session {
  readonly #folder: string
  #child: ChildProcess | null = null

  constructor(folder: string) {
    this.#folder = folder
  }

  /** The test that caught it, or null. */
  async try(trial: Trial): Promise<string | null> {
    const child = this.#child ?? (await this.#start())
    child.send(trial)
    const answered = new AbortController()
    const signal = AbortSignal.any([answered.signal, AbortSignal.timeout(PATIENCE_MS)])
    const answer = await Promise.race([
      once(child, 'message', { signal }).then(
        ([verdict]) => verdict as Verdict,
        () => null,
      ),
      once(child, 'exit', { signal }).then(
        () => null,
        () => null,
      ),
    ])
    answered.abort()
    if (answer !== null) return answer.by
    this.close()
    return 'it did not end'
  }

  async #start(): Promise<ChildProcess> {
    const plan = join(this.#folder, `plan-${sessions++}.json`)
    const child = spawn(process.execPath, [sessionIn(this.#folder), this.#folder, plan], {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
      // A separate process group, so that `close` also kills a worker in an endless loop.
      detached: true,
    })
    this.#child = child
    await once(child, 'message')
    return child
  }

  close(): void {
    if (this.#child?.pid !== undefined) killGroup(this.#child.pid)
    this.#child = null
  }
}
