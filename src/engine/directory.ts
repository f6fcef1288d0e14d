import { z } from 'zod'
import { directoryEntries } from '../model/directory.ts'
import { MemoryError } from '../model/errors.ts'
import { identifiersSchema } from '../model/fields.ts'
import { repeatKey } from '../model/once-keys.ts'
import { parseInput } from '../model/parse.ts'
import { directoryEntrySchema } from '../model/records.ts'
import { keySchema } from '../model/schema.ts'
import { directoryKey } from '../storage/documents.ts'
import type { Caller, Core } from './core.ts'
import type { Directory } from './nokosu.ts'
import { requireOperator } from './operator.ts'
import { commitAll, partition } from './write.ts'

const removeArgument = directoryEntrySchema.pick({ layer: true, id: true })
const keyArgument = z.strictObject({ key: keySchema })

export function directoryOperations(core: Core, caller: Caller): Directory {
  const { by } = caller
  return {
    async set(chain, options = {}) {
      requireOperator(core, caller, 'changes the directory')
      const { key } = parseInput(keyArgument, options, 'directory.set')
      const entries = directoryEntries(parseInput(identifiersSchema, chain, 'directory.set'))
      if (entries.length === 0) {
        throw new MemoryError('INVALID_INPUT', 'Invalid directory entry: give a project, team or org and one above it.')
      }
      const writes = entries.map((document) => ({ kind: 'put' as const, collection: 'directory' as const, document }))
      // One at a time if the store accepts one write at a time: each link is valid on its own.
      const whole = repeatKey(key, 'directory.set', entries)
      const parts = partition(core, writes)
      for (const [i, part] of parts.entries()) {
        const own = whole === undefined ? {} : { key: `${whole}/${i}` }
        await commitAll(core, { ...own, by, writes: part })
      }
      return entries
    },
    async remove(layer, id) {
      requireOperator(core, caller, 'changes the directory')
      parseInput(removeArgument, { layer, id }, 'directory.remove')
      await commitAll(core, { by, writes: [{ kind: 'remove', collection: 'directory', key: directoryKey(layer, id) }] })
    },
    list: () => core.attempt(() => core.storage.documents('directory')),
  }
}
