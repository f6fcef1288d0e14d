import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { findInstalled, readWhole, sha256 } from '../../embedding/runtime-files.ts'
import { MemoryError } from '../../model/errors.ts'

/** SHA-256 of `models/relate/relate.onnx`. The thresholds were chosen for these weights. */
const RELATION_MODEL_SHA256 = '880581ae22427bd0075bb2e4c8a6c3ea8b9956880264ed1aea8c79f0df79fc03'

const MODEL_FILE = 'relate.onnx'
const PLACE = join('models', 'relate')

/** The folder of the model that came with this package. */
export function findRelationModel(): string {
  const folder = findInstalled(PLACE, MODEL_FILE)
  if (folder === null) throw missing('The relation model is not installed', { searched: PLACE })
  return folder
}

/** Tokenizer and verified weights. */
export async function readRelationModel(folder: string): Promise<{ tokenizer: object; bytes: Uint8Array }> {
  const path = join(folder, MODEL_FILE)
  const [bytes, tokenizer] = await Promise.all([
    readWhole(path).catch((cause: unknown) => {
      throw missing('The relation model cannot be read', { path }, cause)
    }),
    readFile(join(folder, 'tokenizer.json'), 'utf8')
      .then((text): object => JSON.parse(text))
      .catch((cause: unknown) => {
        throw missing('The tokenizer of the relation model cannot be read', { path: folder }, cause)
      }),
  ])
  const found = sha256(bytes)
  if (found === RELATION_MODEL_SHA256) return { tokenizer, bytes }
  throw missing('The relation model is damaged or another one: its SHA-256 is wrong', {
    path,
    sha256: found,
    expected: RELATION_MODEL_SHA256,
  })
}

function missing(problem: string, details: Record<string, unknown>, cause?: unknown): MemoryError {
  return new MemoryError('MISSING_DEPENDENCY', `${problem}. Install nokosu again.`, { details, cause })
}
