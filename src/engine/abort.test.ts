import { getEventListeners } from 'node:events'
import { expect, it, vi } from 'vitest'
import { stoppable } from './abort.ts'
import type { Core } from './core.ts'

const REASON = new Error('enough')

function engine() {
  const asked = vi.fn(async () => 'answer')
  const core = {
    attempt: asked,
    write: vi.fn(async (work: () => Promise<unknown>) => work()),
    embedder: { embed: asked, embedQuery: asked },
  } as unknown as Core
  const controller = new AbortController()
  const { core: own, run } = stoppable(core, controller.signal)
  return { asked, core, controller, own, run }
}

it('ends at once, with the reason, and asks for nothing more', async () => {
  const { asked, own, run, controller } = engine()
  const waiting = run(() => new Promise(() => {}))
  controller.abort(REASON)
  await expect(waiting).rejects.toBe(REASON)
  const more = [
    () => own.attempt(async () => 1),
    () => own.embedder.embed(['a']),
    () => own.embedder.embedQuery('a'),
    () => own.write(async () => 1),
    () => run(async () => 1),
  ]
  for (const each of more) await expect(each()).rejects.toBe(REASON)
  expect(asked).not.toHaveBeenCalled()
})

it('lets a write end that is under way, and it stands', async () => {
  const { core, controller, own, run } = engine()
  const written = Promise.withResolvers<string>()
  const waiting = run(() => own.write(() => written.promise))
  await vi.waitFor(() => expect(core.write).toHaveBeenCalled())
  controller.abort(REASON)
  written.resolve('stored')
  expect(await waiting).toBe('stored')
})

it('tells of what fails because of it by its reason, and of other failures as they are', async () => {
  const { run, controller } = engine()
  await expect(run(async () => Promise.reject(new Error('broken')))).rejects.toThrow('broken')
  const failing = run(async () => {
    controller.abort(REASON)
    throw new Error('broken')
  })
  await expect(failing).rejects.toBe(REASON)
})

it('leaves nothing behind on a signal that lives longer', async () => {
  const { run, controller } = engine()
  for (let i = 0; i < 3; i++) await run(async () => i)
  expect(getEventListeners(controller.signal, 'abort')).toEqual([])
})
