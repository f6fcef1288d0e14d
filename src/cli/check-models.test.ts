import { appendFileSync, cpSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { scratchFolder } from '../../test/fixtures/scratch-folder.ts'
import { localPoisonModel, type PoisonModel } from '../guard/poison-model.ts'
import { localRelationModel } from '../lifecycle/relate/relation-model.ts'
import { checkGuard, checkRelation, checkRuntime } from './check-models.ts'

it('doctor loads the model that recognises poisons, and names it', async () => {
  expect(await checkGuard()).toMatchObject({
    name: 'guard',
    status: 'ok',
    message: expect.stringMatching(/^local:nokosu-guard-\d+, checksum verified, loaded in \d+ ms$/),
  })
})

it('without that model doctor warns, says what judges instead, and how to mend it', async () => {
  const check = await checkGuard(localPoisonModel({ modelPath: '/nowhere' }))
  expect(check).toMatchObject({ name: 'guard', status: 'warn', fix: expect.stringContaining('Install Nokosu again') })
  expect(check.message).toContain('judged by keyword rules alone')
})

it.each([
  ['everything', 1],
  ['nothing', 0],
])('doctor warns of a model that holds %s', async (_, likely) => {
  const model: PoisonModel = { name: 'broken', judge: async (texts) => texts.map(() => likely), close: async () => {} }
  expect(await checkGuard(model)).toMatchObject({ status: 'warn', message: expect.stringContaining('broken does not') })
})

it('doctor names what runs the models, and the relation model', async () => {
  expect(await checkRuntime()).toMatchObject({ status: 'ok', message: expect.stringMatching(/^onnxruntime-/) })
  expect(await checkRelation()).toMatchObject({ name: 'relation', status: 'ok', fix: null })
})

it('without the relation model doctor warns, says what is worse for it, and how to mend it', async () => {
  const check = await checkRelation(localRelationModel({ modelPath: '/nowhere' }))
  expect(check).toMatchObject({
    name: 'relation',
    status: 'warn',
    fix: expect.stringContaining('Install Nokosu again'),
    message: expect.stringMatching(/cannot be read.*Until then paraphrases are stored/),
  })
})

it.each([
  [
    'weights',
    (folder: string) => writeFileSync(join(folder, 'relate.onnx'), 'x'),
    /relation model is damaged or was replaced/,
  ],
  [
    'tokenizer',
    (folder: string) => appendFileSync(join(folder, 'tokenizer.json'), '\n'),
    /tokenizer.json of the relation/,
  ],
  [
    'table of words',
    (folder: string) => appendFileSync(join(folder, 'vectors.bin'), '\n'),
    /table of words of the relation model is damaged/,
  ],
])('doctor warns of damaged %s', async (_, damage, said) => {
  const modelPath = scratchFolder()
  for (const place of ['relate', 'shared'])
    cpSync(join(import.meta.dirname, '../../models', place), modelPath, { recursive: true })
  damage(modelPath)
  const check = await checkRelation(localRelationModel({ modelPath }))
  expect(check).toMatchObject({ status: 'warn', message: expect.stringMatching(said) })
})
