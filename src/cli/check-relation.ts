import { describeRuntime } from '../embedding/runtime.ts'
import { checkRelationModel } from '../lifecycle/relate/check-model.ts'
import type { RelationModel } from '../lifecycle/relate/relation-model.ts'
import { MemoryError } from '../model/errors.ts'
import { type Check, ok, warn } from './check.ts'

/** What runs models on this machine, and the model that tells whether two memories say the same. Memory works without both, only worse. */
export async function checkRelation(own?: RelationModel): Promise<Check[]> {
  const { ready, message, fix } = await checkRelationModel(own)
  return [
    await checkRuntime(),
    ready ? ok('relation', message) : warn('relation', message, fix ?? 'Install Nokosu again.'),
  ]
}

async function checkRuntime(): Promise<Check> {
  try {
    return ok('runtime', await describeRuntime())
  } catch (error) {
    if (!MemoryError.is(error)) throw error
    return warn('runtime', error.message, 'Install Nokosu again, with its optional dependencies.')
  }
}
