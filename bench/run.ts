/**
 * The claims of speed, measured against peers in one run: `npm run bench [-- search write cold ...] [--large] [--json]`.
 * --large adds a million memories (about 6 GB of disk, several minutes), --json prints the sections for programs and writes no file. Exits 1 when a bar is missed.
 */
import { holds, printSection, type Section, writeReport } from './report.ts'

const SECTIONS: Record<string, (large: boolean) => Promise<Section>> = {
  search: async (large) =>
    (await import('./search.ts')).benchSearch([1000, 10_000, 100_000, ...(large ? [1_000_000] : [])]),
  write: async () => (await import('./write.ts')).benchWrite(),
  capture: async (large) => (await import('./capture.ts')).benchCapture(large ? 2000 : 300),
  calls: async () => (await import('./calls.ts')).benchCalls(),
  lock: async () => (await import('./lock.ts')).benchLock(),
  admission: async () => (await import('./admission.ts')).benchAdmission(),
  lifecycle: async () => (await import('./lifecycle.ts')).benchLifecycle(),
  hooks: async () => (await import('./hooks.ts')).benchHooks(),
  render: async () => (await import('./render.ts')).benchRender(),
  postgres: async (large) => (await import('./postgres.ts')).benchPostgres([10_000, ...(large ? [100_000] : [])]),
  server: async () => (await import('./server.ts')).benchServer(),
  cold: async () => (await import('./cold.ts')).benchCold(),
  run: async () => (await import('./run-overhead.ts')).benchRunOverhead(),
  dynamodb: async (large) => (await import('./dynamodb.ts')).benchDynamodb([1000, 10_000, ...(large ? [100_000] : [])]),
  'dynamodb-scope': async () => (await import('./dynamodb-scope.ts')).benchDynamodbScope(),
  'dynamodb-costs': async () => (await import('./dynamodb-costs.ts')).benchDynamodbCosts(),
  growth: async (large) => (await import('./growth.ts')).benchGrowth(large),
  agents: async () => (await import('./agents.ts')).benchAgents(),
  memory: async (large) => (await import('./memory.ts')).benchMemory(large ? 1_000_000 : 100_000),
}

const asked = process.argv.slice(2).filter((word) => !word.startsWith('-'))
const large = process.argv.includes('--large')
const json = process.argv.includes('--json')
const unknown = asked.filter((name) => !(name in SECTIONS))
if (unknown.length > 0) {
  console.error(`Unknown: ${unknown.join(', ')}. Choose from ${Object.keys(SECTIONS).join(', ')}.`)
  process.exit(2)
}
const sections: Section[] = []
for (const name of asked.length > 0 ? asked : Object.keys(SECTIONS)) {
  console.error(`measuring ${name} ...`)
  const section = await SECTIONS[name]!(large)
  if (!json) printSection(section)
  sections.push(section)
}
console.log(json ? JSON.stringify(sections, null, 1) : `\nwritten to ${writeReport(sections)}`)
if (!sections.every((section) => section.checks.every(holds))) process.exit(1)
