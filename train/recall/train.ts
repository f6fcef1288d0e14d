/**
 * Trains the score of recall, and writes it to src/recall/moment/trees.ts:
 *
 *   node train/recall/train.ts [--cache FOLDER] [--write] [--all]
 *
 * The projects that eval/moments/tuned-on.ts names are learned from. Each is measured with trees that were trained without it (a
 * quarter of the projects is left out at a time); where the line lies is chosen on these scores too. `--all` measures all projects this way. `--cache` keeps vectors.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readProjects } from '../../eval/moments/read-project.ts'
import { TUNED_ON } from '../../eval/moments/tuned-on.ts'
import { keptVectors } from '../../eval/search/vector-cache.ts'
import { localEmbedding } from '../../src/embedding/local.ts'
import { POLICIES } from '../../src/recall/moment/choose.ts'
import { FEATURES } from '../../src/recall/moment/features.ts'
import { type BoostOptions, boost, type Forest, predict } from './boost.ts'
import { type CollectedSession, collect } from './collect.ts'
import { labelled } from './label.ts'
import { lineFor, play, type Scores, sameFor, toText } from './play.ts'

const { values } = parseArgs({
  options: {
    cache: { type: 'string' },
    write: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
  },
})
const root = join(import.meta.dirname, '..', '..')

const OPTIONS: BoostOptions = {
  trees: 120,
  depth: 2,
  rate: 0.12,
  least: 6,
  ridge: 4,
  rows: 0.7,
  features: 0.6,
  seed: 7,
}
/** The number of groups for leaving projects out. */
const GROUPS = 4
/** The target number of lines per session, and the increase per line. */
const LINES = 10
const RISE = 0.02
const POLICY = {
  rise: RISE,
  lines: Object.fromEntries(Object.entries(POLICIES).map(([kind, { lines }]) => [kind, lines])),
}

const local = localEmbedding()
const embedding = values.cache === undefined ? local : keptVectors(local, values.cache)
const collected: CollectedSession[] = []
for (const project of readProjects(join(root, 'eval', 'moments')))
  collected.push(...(await collect(project, embedding)))
await local.close?.()
const isTuned = ({ project }: CollectedSession) => values.all || (TUNED_ON as readonly string[]).includes(project)
const own = collected.filter(isTuned)
const others = collected.filter((session) => !isTuned(session))

const scores: Scores = new Map()
const names = [...new Set(own.map(({ project }) => project))]
for (let group = 0; group < GROUPS; group++) {
  const isLeftOut = ({ project }: CollectedSession) => names.indexOf(project) % GROUPS === group
  const forest = train(own.filter((session) => !isLeftOut(session)))
  score(own.filter(isLeftOut), forest, scores)
}
for (const lines of [9, 10, 11, 12]) {
  const line = lineFor(own, scores, lines, POLICY)
  console.log(`left out, at ${lines} lines: ${toText(play(own, scores, { ...POLICY, from: sameFor(line) }))}`)
}
const line = lineFor(own, scores, LINES, POLICY)
const forest = train(own)
if (others.length > 0) {
  const validation = score(others, forest, new Map())
  console.log(`not tuned on:            ${toText(play(others, validation, { ...POLICY, from: sameFor(line) }))}`)
}
console.log(`nodes by feature: ${nodesByFeature(forest)}`)
if (values.write) writeFileSync(join(root, 'src', 'recall', 'moment', 'trees.ts'), toSource(forest, line))

/** Trains twice: the first trees find the moment where a needed memory stands out, and the second are trained on that. */
function train(sessions: readonly CollectedSession[]): Forest {
  const first = boost(
    labelled(sessions, (each) => each[0]!),
    OPTIONS,
  )
  return boost(
    labelled(sessions, (each) => predict(first, each)),
    OPTIONS,
  )
}

function score(sessions: readonly CollectedSession[], by: Forest, into: Scores): Scores {
  for (const session of sessions) {
    const own = session.moments.map(({ candidates }) => candidates.map((candidate) => predict(by, candidate.values)))
    into.set(session, own)
  }
  return into
}

function nodesByFeature({ trees }: Forest): string {
  const used = trees.flatMap(({ feature }) => feature).filter((each) => each >= 0)
  const counts = FEATURES.map((name, i) => [name, used.filter((each) => each === i).length] as const)
  return counts
    .sort(([, a], [, b]) => b - a)
    .map(([name, count]) => `${name} ${count}`)
    .join(', ')
}

function toSource({ base, trees }: Forest, cut: number): string {
  const short = (value: number) => String(Number(value.toPrecision(4)))
  const rows = trees.map(({ feature, from, leaves }) => {
    const nodes = feature.map((each, i) => (each < 0 ? '-' : `${each}>${short(from[i]!)}`))
    return `${nodes.join(' ')} | ${leaves.map(short).join(' ')}`
  })
  return [
    '/** Made by train/recall/train.ts: the nodes of each tree, level by level (feature>value), and its leaves. */',
    `export const TREES = \``,
    ...rows,
    '`',
    '',
    '/** What the sum of the leaves starts from: 0 is the line from which a memory is shown. */',
    `export const BASE = ${short(base - cut)}`,
    '',
  ].join('\n')
}
