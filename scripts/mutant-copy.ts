import { spawn } from 'node:child_process'
import { cpSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Mutant } from './mutant-list.ts'
import { copyTree, root } from './mutate/copy-tree.ts'

/** Longer than a test waits for something that a mutant prevents. */
const TEST_MS = 330_000

/** Results of the tests with a title: how many passed, and the full names of the failed ones. */
export interface Told {
  passed: number
  failed: string[]
}

/** A copy of the working tree in a temporary folder, in which one mutant at a time is tried. */
export class MutantCopy {
  readonly #folder = copyTree()

  remove(): void {
    rmSync(this.#folder, { recursive: true, force: true })
  }

  /** Null if a test of each of its scenarios fails; otherwise what happened instead. */
  async try({ ids, file, cut, put = '', test, title, build }: Mutant): Promise<string | null> {
    const path = join(this.#folder, file)
    const text = readFileSync(path, 'utf8')
    writeFileSync(
      path,
      text.replace(cut, () => put),
    )
    try {
      if (build && !(await this.#node(['scripts/build.ts'])).isGood) return 'it does not compile'
      const told = await this.runTests(test, [title ?? titleOf(ids)], 0)
      if (typeof told === 'string') return told
      if (told.failed.length === 0) return told.passed === 0 ? 'no test carries that title' : 'SURVIVED'
      const blind = ids.filter((id) => !told.failed.some((name) => name.includes(`[${id}]`)))
      return blind.length === 0 ? null : `SURVIVED in the tests of ${blind.join(' ')}`
    } finally {
      writeFileSync(path, text)
      if (build) this.#copyProgram()
    }
  }

  /** Their results, or an error message if they could not run. */
  async runTests(test: string, titles: readonly string[], retries: number): Promise<Told | string> {
    const report = join(this.#folder, 'report.json')
    rmSync(report, { force: true })
    const pattern = [...new Set(titles)].join('|').replace(/[[\]().*+?^${}\\]/g, '\\$&')
    const { complaint } = await this.#node([
      ...[join(this.#folder, 'node_modules/vitest/vitest.mjs'), 'run', test, '-t', pattern],
      ...[`--retry=${retries}`, '--reporter=json', `--outputFile=${report}`],
    ])
    if (!existsSync(report)) return `its tests could not be run: ${complaint.slice(-500)}`
    const { numPassedTests, numFailedTestSuites, testResults }: VitestReport = JSON.parse(readFileSync(report, 'utf8'))
    const failed = testResults
      .flatMap(({ assertionResults }) => assertionResults)
      .filter(({ status }) => status === 'failed')
      .map(({ fullName }) => fullName)
    if (failed.length === 0 && numFailedTestSuites > 0) return `${test} fails as a whole`
    return { passed: numPassedTests, failed }
  }

  #copyProgram(): void {
    rmSync(join(this.#folder, 'dist'), { recursive: true, force: true })
    cpSync(join(root, 'dist'), join(this.#folder, 'dist'), { recursive: true })
  }

  #node(args: readonly string[]): Promise<{ isGood: boolean; complaint: string }> {
    const child = spawn(process.execPath, args, {
      cwd: this.#folder,
      stdio: ['ignore', 'ignore', 'pipe'],
      timeout: TEST_MS,
    })
    let complaint = ''
    child.stderr.setEncoding('utf8').on('data', (part: string) => {
      complaint += part
    })
    return new Promise((resolve, reject) => {
      child.once('error', reject)
      child.once('close', (code) => resolve({ isGood: code === 0, complaint }))
    })
  }
}

/** The title pattern of the tests of these scenarios. */
export function titleOf(ids: readonly string[]): string {
  return ids.map((id) => `[${id}]`).join('|')
}

interface VitestReport {
  numPassedTests: number
  numFailedTestSuites: number
  testResults: { assertionResults: { status: string; fullName: string }[] }[]
}
