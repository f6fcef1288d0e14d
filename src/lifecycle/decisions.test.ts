import { expect, it } from 'vitest'
import { makeMemory } from '../../test/fixtures/make-memory.ts'
import type { DecisionKind } from '../model/decision.ts'
import { REVIEW_TAG } from '../model/memory.ts'
import { bareDigestOf, type Decision, settledAs, without, withSettled } from './decisions.ts'

const undone = (kind: DecisionKind, links: { memory: string; relation: 'contradicts' }[] = []) => {
  const memory = makeMemory({ tags: ['boot', REVIEW_TAG], links })
  const decision: Decision = { kind, other: 'm9', said: null, reason: 'x', score: null, from: 0.7, to: 0.7 }
  return without(memory, decision, { ...memory, links: [] }, memory).tags
}

it('undoing what put a memory up for review takes the mark away, and nothing else does', () => {
  expect(undone('review')).toEqual(['boot'])
  expect(undone('reinforced')).toEqual(['boot', REVIEW_TAG])
  expect(undone('contradicts', [{ memory: 'm9', relation: 'contradicts' }])).toEqual(['boot'])
  expect(undone('contradicts', [{ memory: 'm8', relation: 'contradicts' }])).toEqual(['boot', REVIEW_TAG])
})

it.each(['Port 80 is open', '**Port 80 is open!** ', ' _port 80 is open._', '`Port 80` is open!!'])(
  'what is retracted is known again as %s',
  (text) => expect(bareDigestOf(text)).toBe(bareDigestOf('Port 80 is open.')),
)

it('a memory keeps the fifty latest verdicts about it and another', () => {
  let memory = makeMemory()
  for (let i = 0; i <= 50; i++)
    memory = { ...memory, metadata: withSettled(memory, { memory: `m${i}`, words: `w${i}`, as: 'same' }) }
  expect(['m0', 'm1', 'm50'].map((id) => settledAs(memory, { id }))).toEqual([null, 'same', 'same'])
})
