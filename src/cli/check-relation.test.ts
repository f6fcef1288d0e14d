import { expect, it } from 'vitest'
import { localRelationModel } from '../lifecycle/relate/relation-model.ts'
import { checkRelation } from './check-relation.ts'

it('without the relation model doctor warns, says what is worse for it, and how to mend it', async () => {
  const [runtime, relation] = await checkRelation(localRelationModel({ modelPath: '/nowhere' }))
  expect(runtime).toMatchObject({ name: 'runtime', status: 'ok', message: expect.stringMatching(/^onnxruntime-/) })
  expect(relation).toMatchObject({
    name: 'relation',
    status: 'warn',
    fix: expect.stringContaining('Install Nokosu again'),
  })
  expect(relation!.message).toContain('Until then what is said in other words is kept')
})
