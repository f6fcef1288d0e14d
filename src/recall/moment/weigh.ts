import type { Memory } from '../../model/memory.ts'
import type { Featured } from './features.ts'
import { guardOf } from './guards.ts'
import { memoryWords } from './memory-words.ts'
import type { Scene } from './scene.ts'
import { BASE, TREES } from './trees.ts'

/** A candidate with its relevance now: 0 to 1, shown from 0.5 on. */
export interface Weighed extends Featured {
  memory: Memory
  score: number
  /** The part of the action it guards by name. */
  guards?: string
  /** Why it is not shown, whatever its score. */
  barred?: string
}

interface Tree {
  feature: number[]
  from: number[]
  leaves: number[]
}

let forest: readonly Tree[] | null = null

/** The relevance of each candidate. The trees were trained on sessions whose needs are known. */
export function weigh(found: readonly Featured[], scene: Scene): Weighed[] {
  forest ??= readTrees(TREES)
  return found.map((item) => {
    const score = 1 / (1 + Math.exp(-sumOf(forest!, item.values)))
    const guards = guardOf(item.memory, scene)
    // Rules are followed right before an action, so they must not come from text the guard suspects.
    const isRule = guards !== null || memoryWords(item.memory).rules > 0
    if (scene.kind === 'tool' && item.memory.trust === 'flagged' && isRule)
      return { ...item, score, barred: 'unverified rules are not shown before an action' }
    return guards === null ? { ...item, score } : { ...item, score: 1, guards }
  })
}

function sumOf(trees: readonly Tree[], values: readonly number[]): number {
  let sum = BASE
  for (const { feature, from, leaves } of trees) {
    let at = 0
    while (at < feature.length) at = 2 * at + 1 + Number(feature[at]! >= 0 && values[feature[at]!]! >= from[at]!)
    sum += leaves[at - feature.length]!
  }
  return sum
}

function readTrees(table: string): Tree[] {
  return table
    .trim()
    .split('\n')
    .map((line) => {
      const [nodes = '', leaves = ''] = line.split(' | ')
      const read = nodes.split(' ').map((node) => (node === '-' ? [-1, 0] : node.split('>').map(Number)))
      return {
        feature: read.map(([feature]) => feature!),
        from: read.map(([, from]) => from!),
        leaves: leaves.split(' ').map(Number),
      }
    })
}
