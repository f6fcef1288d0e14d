import { describe, expect, it } from 'vitest'
import { CONTEXT, know, observe, told, unrelated } from '../../test/fixtures/admission.ts'
import type { Memory } from '../model/memory.ts'
import { admit } from './admit.ts'
import type { Relater } from './relate/relate.ts'

describe('admit, with what the agent declares', () => {
  const quote = 'needs one minute for its start'
  const corrected = (text: string) => observe('Ready at once', { declares: { relation: 'corrects', text } })
  const confirmed = (text: string) => observe('Seen again', { declares: { relation: 'confirms', text } })

  it('weakens the corrected memory and stores the new one, even if the model sees no relation', () => {
    const known = know('Needs one minute for its start.', { confidence: 0.9 })
    expect(admit(corrected(quote), [know('Unrelated'), known], unrelated, CONTEXT)).toMatchObject({
      kind: 'contradict',
      confidence: 0.7,
      weakened: [{ memory: known.memory, confidence: 0.7, reason: 'declared as a correction' }],
    })
  })

  it('reinforces the confirmed memory, once per session', () => {
    const known = know(quote)
    expect(admit(confirmed(quote), [known], unrelated, CONTEXT)).toMatchObject({ kind: 'reinforce', confidence: 0.8 })
    const counted = { ...known, counted: true }
    expect(admit(confirmed(quote), [counted], unrelated, CONTEXT).kind).toBe('duplicate')
  })

  it('confirms nothing by a quotation from which something was redacted', () => {
    const text = 'The gateway uses api_key=[REDACTED:api-key] for metrics'
    expect(admit(confirmed(text), [know(text)], unrelated, CONTEXT).kind).toBe('insert')
    expect(admit(corrected(text), [know(text)], unrelated, CONTEXT).kind).toBe('contradict')
  })

  it('lets the declaration override the model', () => {
    const known = know(quote)
    const same = told(['Ready at once', quote, 'same'])
    expect(admit(corrected(quote), [known], same, CONTEXT).kind).toBe('contradict')
    const opposite = told(['Seen again', quote, 'contradicts'])
    expect(admit(confirmed(quote), [known], opposite, CONTEXT)).toMatchObject({ kind: 'reinforce', weakened: [] })
  })

  it('finds the quoted memory by meaning, by wording and by vector', () => {
    const known = know('After a reboot it needs one minute for its full start')
    const target = { kind: 'contradict', weakened: [{ memory: known.memory }] }
    expect(admit(corrected('slow'), [known], told(['slow', known.memory.content, 'same']), CONTEXT)).toMatchObject(
      target,
    )
    expect(admit(corrected(quote), [known], unrelated, CONTEXT)).toMatchObject(target)
    const near = { ...known, vector: Float32Array.of(0.6, 0.8) }
    const context = { ...CONTEXT, quotedVector: Float32Array.of(0.8, 0.6) }
    expect(admit(corrected('slow'), [near], unrelated, context)).toMatchObject(target)
    expect(admit(corrected('slow'), [near], unrelated, { ...context, quotedVector: Float32Array.of(1, 0) }).kind).toBe(
      'insert',
    )
  })

  it('matches neither a memory that contradicts the quotation nor one of two equal matches', () => {
    const denied = know('It needs one minute for its start, not')
    const relater = told([quote, denied.memory.content, 'contradicts'])
    expect(admit(corrected(quote), [denied], relater, CONTEXT).kind).toBe('insert')
    const alike = [know('It needs one minute for its start'), know('Now needs one minute for its start')]
    expect(admit(corrected(quote), alike, unrelated, CONTEXT).kind).toBe('insert')
  })

  it('searches other categories of the same service after its own', () => {
    const elsewhere = know(quote, { category: 'behavior' })
    const target = (memory: Memory) => ({ kind: 'contradict', weakened: [{ memory }] })
    expect(admit(corrected(quote), [elsewhere], unrelated, CONTEXT)).toMatchObject(target(elsewhere.memory))
    const own = know(`${quote} always`)
    expect(admit(corrected(quote), [elsewhere, own], unrelated, CONTEXT)).toMatchObject(target(own.memory))
    expect(admit(corrected(quote), [know(quote, { service: 'plex' })], unrelated, CONTEXT).kind).toBe('insert')
  })

  it('corrects a memory of another service if the quotation names its subject', () => {
    const port = 'The api listens on port 8443'
    const known = know(port, { service: 'api' })
    const corrects = (text: string) => observe('Uses 9000', { service: 'lb', declares: { relation: 'corrects', text } })
    expect(admit(corrects(port), [known], unrelated, CONTEXT)).toMatchObject({
      kind: 'contradict',
      weakened: [{ memory: known.memory }],
    })
    // What is comparable by the quotation alone is not compared with the new text.
    const other = know('The api listens on two ports', { service: 'api' })
    const alike: Relater = { relate: () => ({ relation: 'same', score: 1, reason: 'as told' }) }
    expect(admit(corrects(port), [known, other], alike, CONTEXT)).toMatchObject({ kind: 'contradict', beside: [] })
    const bare = know('Listens on port 8443', { service: 'api' })
    expect(admit(corrects('Listens on port 8443'), [bare], unrelated, CONTEXT).kind).toBe('insert')
  })

  it('accepts a short quotation only if it contains a number', () => {
    const known = know('It listens on port 8080')
    expect(admit(corrected('port 8080'), [known], unrelated, CONTEXT)).toMatchObject({
      weakened: [{ memory: known.memory }],
    })
    expect(admit(corrected('listens port'), [known], unrelated, CONTEXT).kind).toBe('insert')
  })

  it('reports when nothing matches, and uses only the model', () => {
    const admission = admit(corrected('the'), [know('The start is slow')], unrelated, CONTEXT)
    expect(admission).toMatchObject({ kind: 'insert', confidence: 0.7 })
    expect(admission.reason).toMatch(/^the memory that it quotes is not stored here; /)
    const known = know('Slow')
    expect(admit(corrected('cold'), [known], told(['Ready at once', 'Slow', 'contradicts']), CONTEXT)).toMatchObject({
      kind: 'contradict',
      reason: 'the memory that it quotes is not stored here; as told',
    })
  })

  it('ignores a correction that repeats the memory', () => {
    const known = know('Ready at once')
    expect(admit(corrected('ready at once'), [known], unrelated, CONTEXT).kind).toBe('reinforce')
  })

  it('reinforces the memory that agrees with a correction, and weakens the corrected one', () => {
    const [wrong, right] = [know(quote), know('Ready at once.')]
    expect(admit(corrected(quote), [wrong, right], unrelated, CONTEXT)).toMatchObject({
      kind: 'reinforce',
      memory: right.memory,
      weakened: [{ memory: wrong.memory, confidence: 0.5 }],
    })
  })
})
