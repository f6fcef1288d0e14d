import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Section } from '../../bench/report.ts'
import { type Row, writeResult } from '../../bench/result.ts'
import type { Report } from '../../eval/report.ts'
import { CHAPTERS, type Part } from './parts.ts'

const ROOT = join(import.meta.dirname, '..', '..')
const BENCH = /^npm run bench -- (.+)$/
const EVAL = /^nokosu eval (.+)$/

/** Runs the command of a part, and writes its results to `bench/results`. `data`: the folder with the public sets. */
export function record(name: string, data: string | undefined): void {
  const part = CHAPTERS.flatMap(({ parts }) => parts).find((each) => each.name === name && each.command !== '')
  if (part === undefined) throw new Error(`There is no part ${name} in scripts/proof/parts.ts with a command.`)
  const [, sections] = BENCH.exec(part.command) ?? []
  if (sections !== undefined) {
    recordBench(part, JSON.parse(run('bench/run.ts', [...sections.split(' '), '--json'])))
    return
  }
  const words = EVAL.exec(part.command)![1]!
    .split(' ')
    .map((word, i, all) => {
      if (all[i - 1] !== '--data') return word
      const own = join(ROOT, word)
      if (existsSync(own)) return own
      if (data === undefined) throw new Error(`${name} needs --data: the folder that ${word} is in`)
      return join(data, word)
    })
  recordEval(part, JSON.parse(run('eval/run.ts', [...words, '--json'])))
}

function recordEval({ name, what, command }: Part, { scoring, leftOut, groups }: Report): void {
  const rows = groups.flatMap(({ name: group, figures }): Row[] => figures.map((figure) => ({ group, ...figure })))
  const notes = [...new Set(groups.flatMap(({ name: group, note }) => (note ? [noteOf(group, note, groups)] : [])))]
  writeResult(name, { what, command, scoring, ...(leftOut && { leftOut }), notes, rows })
}

/** A remark that all groups share is listed once, not per group. */
function noteOf(group: string, note: string, groups: Report['groups']): string {
  return groups.every((each) => each.note === note) ? note : `${group}: ${note}`
}

function recordBench({ name, what, command, barsOnly }: Part, sections: Section[]): void {
  writeResult(name, {
    what,
    command,
    notes: barsOnly ? [] : sections.flatMap(({ notes }) => notes ?? []),
    rows: barsOnly ? [] : sections.flatMap(({ rows }) => rows),
    checks: sections.flatMap(({ checks }) => checks),
  })
}

/** Exit code 1 means that a bar was missed, which the page reports. */
function run(script: string, args: readonly string[]): string {
  const { status, stdout } = spawnSync(process.execPath, [join(ROOT, script), ...args], {
    encoding: 'utf8',
    maxBuffer: 2 ** 28,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  if (status !== 0 && status !== 1) throw new Error(`${script} ended with ${status}`)
  return stdout
}
