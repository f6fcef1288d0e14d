/**
 * Writes docs/proof.md and its pictures from the committed results of `bench/results`:
 *
 *   node scripts/proof.ts [--run NAME ...] [--data FOLDER]
 *
 * `--run` first measures these parts again (see scripts/proof/parts.ts), with the public sets in FOLDER.
 */
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { readResults } from '../bench/result.ts'
import { proof } from './proof/page.ts'
import { record } from './proof/record.ts'

const DOCS = join(import.meta.dirname, '..', 'docs')

const { values } = parseArgs({
  options: { run: { type: 'string', multiple: true, default: [] }, data: { type: 'string' } },
})
for (const name of values.run) record(name, values.data)
const { page, images } = proof(readResults())
writeFileSync(join(DOCS, 'proof.md'), page)
for (const [name, svg] of images) writeFileSync(join(DOCS, 'images', `${name}.svg`), svg)
