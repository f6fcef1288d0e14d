import { describeRuntime } from '../../embedding/runtime.ts'
import { MemoryError } from '../../model/errors.ts'
import { prepareRelater } from './relate.ts'
import { localRelationModel, type RelationModel } from './relation-model.ts'

/** What doctor says about the relation model. */
export interface ModelCheck {
  ready: boolean
  message: string
  /** What to do about it; null when it is fine. */
  fix: string | null
}

const [OLD, NEW] = ['The leak was fixed in 3.2', 'The leak is still there in 3.2']

/** Loads the model, which verifies its SHA-256, and asks it about one pair. */
export async function checkRelationModel(model: RelationModel = localRelationModel()): Promise<ModelCheck> {
  const started = performance.now()
  try {
    await model.warm()
    const took = Math.round(performance.now() - started)
    const [a, b] = [
      { text: OLD, vector: null },
      { text: NEW, vector: null },
    ]
    const { relation } = (await prepareRelater([{ a, b }], { model })).relate(a, b)
    if (relation === 'contradicts') {
      const message = `${model.name} on ${await describeRuntime()}, checksum right, loaded in ${took} ms`
      return { ready: true, message, fix: null }
    }
    return { ready: false, message: `${model.name} calls “${OLD}” and “${NEW}” ${relation}`, fix: 'Report this.' }
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    return {
      ready: false,
      message: `${error.message} Until then what is said in other words is kept as something else.`,
      fix: 'Install Nokosu again: models/relate belongs to the package.',
    }
  } finally {
    await model.close()
  }
}
