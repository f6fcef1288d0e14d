/**
 * The scores of a small store, as recorded in `scores-of-*.txt`: every change of the scoring shows there. Record an intended change with
 * `npx vitest run --project unit src/engine/scores.test.ts -u`, and review the lines that changed.
 */
import { expect, it, onTestFinished } from 'vitest'
import { hashingEmbedding } from '../embedding/hashing.ts'
import type { Moment } from '../model/moment.ts'
import type { NewMemory, SearchRequest } from '../model/schema.ts'
import type { OwnMemories } from './nokosu.ts'
import { openMemory } from './open-memory.ts'

const WHO = { agentId: 'nori', projectId: 'depot', teamId: 'yard' }
const NOW = Date.UTC(2026, 5, 17, 12)

type Note = string | (Partial<NewMemory> & { content: string })

const NOTES: Note[] = [
  { content: 'The crane controller needs 45 s before it accepts moves', category: 'timing', service: 'crane' },
  { content: 'The crane controller must start after the plc gateway', category: 'dependency', service: 'crane' },
  { content: 'Crane moves are refused with E-4711 while the gate is open', category: 'behavior', service: 'crane' },
  {
    content: 'Restart the plc gateway when it reports ERR_SOCKET_STALL',
    category: 'remediation',
    service: 'plc-gateway',
  },
  {
    content: 'plc-gateway logs to /var/log/plc/gateway.log and rotates weekly',
    category: 'behavior',
    service: 'plc-gateway',
  },
  { content: 'Run npm run build:wasm before vitest, or the scanner tests fail', tags: ['build'] },
  { content: 'npm ci fails behind the proxy unless NODE_EXTRA_CA_CERTS is set', tags: ['build'] },
  { content: 'Weights are stored in grams, never in kilograms', category: 'decision', importance: 80 },
  { content: 'Prices are integers in cents', category: 'decision' },
  { content: 'src/scan/decoder.ts holds the table of check digits', anchor: 'path:src/scan/decoder.ts' },
  { content: 'Editing src/scan/decoder.ts needs the fixtures renewed with scripts/fixtures.sh' },
  { content: 'Never force push to release branches', tags: ['guards:git push --force'], tier: 0 },
  { content: 'terraform apply runs only from the bastion', tags: ['guards:terraform apply'], tier: 0 },
  { content: 'Backups of the ledger run at 3 in the morning', category: 'maintenance', service: 'ledger' },
  { content: 'The ledger is read-only during the backup', category: 'behavior', service: 'ledger' },
  { content: 'The ledger migration of March took two hours', occurredAt: '2026-03-12', service: 'ledger' },
  { content: 'Scanner firmware 2.4 drops every tenth code', occurredAt: '2026-06-16', confidence: 0.4 },
  { content: 'Scanner firmware 2.5 mends the dropped codes', occurredAt: '2026-06-10', confidence: 0.9 },
  { content: 'Ann: the forklift charger trips the breaker in hall 3', thread: { id: 'standup', index: 0 } },
  { content: 'Ben: I measured 63 A at the charger', thread: { id: 'standup', index: 1 } },
  { content: 'Ann: then we move it to hall 5 on Monday', thread: { id: 'standup', index: 2 } },
  { content: 'Ben: hall 5 has its own breaker', thread: { id: 'standup', index: 3 } },
  { content: '倉庫の扉は午前六時に開く' },
  { content: 'データベースのバックアップは毎晩実行される' },
  { content: 'Die Waage braucht zehn Minuten zum Aufwärmen', service: 'scale' },
  { content: 'Deploys wait for a green smoke test' },
  { content: 'The smoke test needs the seeded database' },
  {
    content: 'A timeout of the label printer means that it has no paper',
    category: 'remediation',
    service: 'label-printer',
  },
  { content: 'Port 9100 of the label printer is closed at night', service: 'label_printer' },
  { content: 'Reviewers ask for a test of each new branch', category: 'hint', layer: 'agent' },
  { content: 'I tend to forget the lock file', layer: 'agent' },
  { content: 'The yard uses metric units', layer: 'team' },
  { content: 'On call is whoever wrote the last migration', layer: 'team' },
  ...Array.from({ length: 12 }, (_, i) => `Dock ${i + 1} takes trailers of ${12 + i} metres`),
]

const QUESTIONS: (string | Omit<SearchRequest, 'identifiers' | 'everything'>)[] = [
  'crane controller',
  'why are crane moves refused?',
  'E-4711',
  'ERR_SOCKET_STALL',
  'gateway.log',
  'what does decoder.ts hold',
  'NODE_EXTRA_CA_CERTS',
  'what happened in March?',
  'scanner firmware last week',
  'what broke yesterday',
  'what did Ann say about the charger?',
  'Ben hall 5',
  'when do backups run',
  'the dock',
  'dock 7',
  'label printer timeout',
  'how do I push a release',
  '扉 開く',
  'バックアップ',
  'Waage aufwärmen',
  'unit of weights and prices',
  'smoke tests before deploying',
  'nothing of this is known here',
  { query: 'crane', mode: 'keyword' },
  { query: 'crane', mode: 'semantic' },
  { query: 'ledger backup', order: 'relevance' },
  { query: 'ledger backup', tags: ['build'] },
  { query: 'printer', service: 'label-printer' },
  { query: 'lock file', layers: ['agent'] },
]

const bash = (command: string): Moment => ({ kind: 'tool', name: 'Bash', input: { command } })
const MOMENTS: Moment[] = [
  { kind: 'prompt', text: 'Please restart the plc gateway, the crane refuses to move' },
  { kind: 'prompt', text: 'thanks' },
  { kind: 'task', title: 'Renew the decoder', description: 'The table of check digits in src/scan/decoder.ts is old' },
  bash('cd infra && terraform apply -auto-approve'),
  bash('git push --force origin release/3'),
  bash('git commit -m "terraform apply"'),
  bash('sudo systemctl restart plc-gateway | tee log; npm ci'),
  { kind: 'tool', name: 'Edit', input: { file_path: '/work/depot/src/scan/decoder.ts', old_string: 'a' } },
  { kind: 'tool', name: 'Read', input: { file_path: 'README.md' } },
  {
    kind: 'failure',
    name: 'Bash',
    input: { command: 'npm ci' },
    error: 'npm ERR! unable to get local issuer certificate',
  },
  { kind: 'failure', error: 'Error: crane move refused: E-4711\n    at move (src/crane.ts:7:3)' },
  {
    kind: 'output',
    name: 'Bash',
    input: { command: 'tail gateway.log' },
    text: `${'ok\n'.repeat(300)}plc-gateway: ERR_SOCKET_STALL after 30 s\n${'ok\n'.repeat(300)}`,
  },
]

/** Moments that follow each other in one session. */
const FOLLOWING = [0, 1, 6, 9, 10, 11, 3].map((i) => MOMENTS[i]!)

async function depot(): Promise<OwnMemories> {
  let at = NOW - 40 * 60_000
  const memory = await openMemory({
    ...{ storage: 'memory:', embedding: hashingEmbedding({ dimensions: 256 }), relations: null, poisons: null },
    now: () => new Date(Math.min(NOW, at)),
  })
  onTestFinished(() => memory.shutdown())
  const own = memory.as(WHO)
  for (const note of NOTES) {
    at += 50_000
    await own.add(typeof note === 'string' ? { content: note } : (note as NewMemory), { exact: true })
  }
  at = NOW
  return own
}

const show = (score: number, content: string) => `  ${score.toFixed(3)}  ${content}`

it('searches score as recorded', async () => {
  const own = await depot()
  const told: string[] = []
  for (const question of QUESTIONS) {
    const asked = typeof question === 'string' ? { query: question } : question
    const { results, totalCount } = await own.search({ threshold: 0.3, limit: 4, explain: true, ...asked })
    told.push(`${JSON.stringify(question)}: ${totalCount}`)
    for (const { score, memory, explanation } of results) {
      const terms = explanation!.terms.map(({ term, weight }) => `${term} ${weight.toFixed(2)}`)
      told.push(
        `${show(score, memory.content)}  | ${explanation!.semantic?.toFixed(3)} ${explanation!.keyword.toFixed(3)} ${terms.join(', ')}`,
      )
    }
  }
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('scores-of-searches.txt')
})

it('moments, each by itself and in one session, call for what is recorded', async () => {
  const own = await depot()
  const told: string[] = []
  for (const [i, moment] of [...MOMENTS, ...FOLLOWING].entries()) {
    const session = i < MOMENTS.length ? `session ${i}` : 'one session'
    const { lines, omitted = [] } = await own.recall({ session, moment, explain: true })
    told.push(`${session}: ${JSON.stringify(moment).slice(0, 120)}`)
    for (const { score, memory, reason } of lines) told.push(`${show(score, memory.content)}  | ${reason}`)
    for (const { score, reason } of omitted.slice(0, 3)) told.push(show(score, `- ${reason}`))
  }
  await expect(`${told.join('\n')}\n`).toMatchFileSnapshot('scores-of-moments.txt')
})
