import type { Memory } from '../../model/memory.ts'
import { memoryWords } from './memory-words.ts'
import { readScene } from './scene.ts'
import { sceneTokens, weighTokens } from './terms.ts'

/** The minimum total weight of shared words: two that are rare among these memories. */
const STRONG = 6

/** Whether a memory is about the task, by words alone, without loading a model. */
export function aboutTask(task: string | undefined, among: readonly Memory[]): (memory: Memory) => boolean {
  if (task === undefined) return () => false
  const tokens = sceneTokens(readScene({ kind: 'task', title: task }))
  const held = among.map((memory) => memoryWords(memory).all)
  const frequencies = tokens.map((token) => held.filter((words) => words.has(token)).length)
  const weights = weighTokens(tokens, frequencies, among.length)
  return (memory) => {
    const { all } = memoryWords(memory)
    return tokens.reduce((sum, token) => sum + (all.has(token) ? weights.get(token)!.weight : 0), 0) >= STRONG
  }
}
