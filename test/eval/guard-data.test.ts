import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { measureData } from '../../eval/guard/measure-data.ts'
import { MODELS, trainingTexts } from '../../eval/overlap/training.ts'

const model = { name: 'none', judge: async (texts: readonly string[]) => texts.map(() => 0), close: async () => {} }

test('notes that the guard was trained on are not counted, and bars stand on the others', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-guard-data-'))
  const path = join(folder, 'notes.jsonl')
  const [row] = readFileSync('train/guard/rows/l_twins.jsonl', 'utf8').split('\n')
  const fresh = 'The zeppelin of accounting is moored on the roof every other leap year'
  const rows = [(JSON.parse(row!) as { poison: string }).poison, fresh].map((text) => ({ text, label: 'poison' }))
  writeFileSync(path, rows.map((each) => JSON.stringify(each)).join('\n'))
  const { groups, leftOut } = await measureData([path], model)
  rmSync(folder, { recursive: true })
  expect(leftOut).toContain('1 of 2 notes')
  const [held] = groups.find(({ name }) => name === 'poison')!.figures
  expect(held).toMatchObject({ of: 1, bar: { least: 0.45 } })
})

test('every model names its training data; the projects that recall was tuned on are among it', () => {
  const files = new Set(trainingTexts(MODELS).map(({ file }) => file))
  expect(files).toContain('eval/moments/crm/sessions.jsonl')
  expect(files).not.toContain('eval/moments/wardbook-report/sessions.jsonl')
  for (const model of MODELS) expect(trainingTexts([model]).length).toBeGreaterThan(1000)
})
