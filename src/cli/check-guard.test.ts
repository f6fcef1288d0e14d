import { expect, it } from 'vitest'
import { localPoisonModel, type PoisonModel } from '../guard/poison-model.ts'
import { checkGuard } from './check-guard.ts'

it('doctor loads the model that recognises poisons, and names it', async () => {
  expect(await checkGuard()).toMatchObject({
    name: 'guard',
    status: 'ok',
    message: expect.stringMatching(/^local:nokosu-guard-\d+, checksum right, loaded in \d+ ms$/),
  })
})

it('without that model doctor warns, says what judges instead, and how to mend it', async () => {
  const check = await checkGuard(localPoisonModel({ modelPath: '/nowhere' }))
  expect(check).toMatchObject({ name: 'guard', status: 'warn', fix: expect.stringContaining('Install Nokosu again') })
  expect(check.message).toContain('judged by their words alone')
})

it.each([
  ['everything', 1],
  ['nothing', 0],
])('doctor warns of a model that holds %s', async (_, likely) => {
  const model: PoisonModel = { name: 'broken', judge: async (texts) => texts.map(() => likely), close: async () => {} }
  expect(await checkGuard(model)).toMatchObject({ status: 'warn', message: expect.stringContaining('broken does not') })
})
