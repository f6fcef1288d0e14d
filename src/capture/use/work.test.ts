import { describe, expect, it } from 'vitest'
import { Work } from './work.ts'

type Step = ['told' | 'said' | 'run' | 'edit' | 'shown', string] | ['tool', string, unknown]

/** A session, step by step. The memory is shown at the start unless a step says otherwise. */
function usesOf(memory: string, steps: readonly Step[], others: readonly string[] = []): boolean {
  const work = new Work()
  let at = -Infinity
  for (const [i, [kind, text, input]] of steps.entries()) {
    if (kind === 'told') work.told(text)
    else if (kind === 'said') work.said(text, i)
    else if (kind === 'run') work.did('Bash', { command: text, description: memory }, i)
    else if (kind === 'edit') work.did('Edit', { file_path: '/app/a.ts', old_string: memory, new_string: text }, i)
    else if (kind === 'tool') work.did(text, input, i)
    else at = i
  }
  const shown = [memory, ...others].map((content, i) => ({
    id: `${i}`,
    content,
    service: null,
    at: i === 0 ? at : -Infinity,
  }))
  return work.uses(shown).includes('0')
}

const REPLICA = 'Reports read from the replica at db-ro.internal:5433, not from the primary'
const SHIP = 'Deploy with ./tools/ship.sh --canary-first and watch the dashboard'
const CODE = 'Error PAY-4417 means that the ledger is closed for the night'
const ROUTE = 'The export needs X-Acme-Tenant in every request'

const USED: [string, string, Step[], string[]?][] = [
  ['a host in a command', REPLICA, [['run', 'psql -h db-ro.internal -c "select 1"']]],
  ['a host and port together', REPLICA, [['run', 'pg_dump postgres://db-ro.internal:5433/reports']]],
  [
    'a flag',
    SHIP,
    [
      ['told', 'deploy please, tools/ship.sh'],
      ['run', './tools/ship.sh --canary-first'],
    ],
  ],
  ['a script', SHIP, [['run', 'bash tools/ship.sh']]],
  ['a script by its full path', SHIP, [['run', '/work/app/tools/ship.sh']]],
  ['an edit that writes it', ROUTE, [['edit', "headers['X-Acme-Tenant'] = tenant"]]],
  ['a new file', ROUTE, [['tool', 'Write', { file_path: '/app/client.ts', content: 'const name = "X-Acme-Tenant"' }]]],
  ['a search for it', CODE, [['run', 'grep -rn PAY-4417 src']]],
  ['a tool of an MCP server', REPLICA, [['tool', 'mcp__sql__query', { dsn: 'postgres://db-ro.internal/x' }]]],
  ['an environment variable', 'Set ACME_POOL_MAX=40 before the import', [['run', 'ACME_POOL_MAX=40 npm run import']]],
  [
    'an identifier',
    'Invoices are closed by closeLedgerPeriod in billing',
    [['edit', 'await closeLedgerPeriod(month)']],
  ],
  [
    'after an echo of it',
    REPLICA,
    [
      ['said', 'I remember that reports read from db-ro.internal:5433.'],
      ['run', 'psql -h db-ro.internal'],
    ],
  ],
  [
    'said as something it does',
    REPLICA,
    [['said', "I'll connect the weekly report to db-ro.internal and compare both totals."]],
  ],
  ['said as done', SHIP, [['said', 'I ran it again with --canary-first and both hosts came up.']]],
  ['in capitals or not', CODE, [['run', 'grep pay-4417 logs']]],
  [
    'two numbers',
    'The scanner listens on 7431 and answers on 7439',
    [['run', 'nc -z scanner 7431 && nc -z scanner 7439']],
  ],
  [
    'a number and two rare words',
    'Grafana folders: pelican lives in folder 3127, heron elsewhere',
    [['run', 'move pelican heron 3127']],
  ],
  [
    'three rare words',
    'Marmot nightly jobs need the walrus certificate of heidi',
    [['run', 'provision marmot walrus heidi']],
  ],
  [
    'shown later, used after it',
    REPLICA,
    [
      ['run', 'ls'],
      ['shown', ''],
      ['run', 'psql -h db-ro.internal'],
    ],
  ],
  [
    'told afterwards',
    CODE,
    [
      ['run', 'grep PAY-4417 logs/'],
      ['told', 'logs/a: PAY-4417'],
    ],
  ],
  [
    'beside another memory that says less',
    SHIP,
    [['run', './tools/ship.sh --canary-first']],
    ['tools/ship.sh takes 4 minutes'],
  ],
  ['a version', 'Pin libvips to 8.14.5: newer ones crash', [['run', 'apt-get install libvips=8.14.5']]],
  ['an address', 'The printer is at 10.20.4.17', [['run', 'ping -c1 10.20.4.17']]],
  ['a branch', 'Hotfixes go to release/2024-winter', [['run', 'git switch release/2024-winter']]],
]

const UNUSED: [string, string, Step[], string[]?][] = [
  ['nothing was done', REPLICA, []],
  [
    'merely shown',
    REPLICA,
    [
      ['run', 'npm test'],
      ['said', 'All tests pass.'],
    ],
  ],
  [
    'told in the prompt',
    REPLICA,
    [
      ['told', 'Use db-ro.internal:5433 for this'],
      ['run', 'psql -h db-ro.internal -p 5433'],
    ],
  ],
  [
    'told by an output',
    CODE,
    [
      ['told', 'ERROR PAY-4417 at 12:00'],
      ['run', 'grep -rn PAY-4417 src'],
    ],
  ],
  [
    'told by a file',
    ROUTE,
    [
      ['told', "it('sends X-Acme-Tenant')"],
      ['edit', "set('X-Acme-Tenant', t)"],
    ],
  ],
  [
    'a file of a listing',
    SHIP,
    [
      ['told', 'build.sh\nship.sh'],
      ['run', './tools/ship.sh'],
    ],
  ],
  [
    'done before it was shown',
    REPLICA,
    [
      ['run', 'psql -h db-ro.internal -p 5433'],
      ['shown', ''],
    ],
  ],
  [
    'done before and again after',
    REPLICA,
    [
      ['run', 'psql -h db-ro.internal'],
      ['shown', ''],
      ['run', 'psql -h db-ro.internal'],
    ],
  ],
  ['another memory says it too', REPLICA, [['run', 'psql -h db-ro.internal']], ['db-ro.internal lags by a minute']],
  ['only repeated', REPLICA, [['said', 'Reports read from the replica at db-ro.internal:5433.']]],
  ['cited', REPLICA, [['said', 'I will keep in mind what memory says: db-ro.internal is the replica for reports.']]],
  ['a marker', REPLICA, [['said', "[MEMORY:resource:db] I'll connect to db-ro.internal for reports from now on"]]],
  [
    'what it could do',
    REPLICA,
    [['said', "I'll ask first: I could use db-ro.internal for the report and the totals."]],
  ],
  ['said of the world, not of itself', REPLICA, [['said', 'Monthly totals come out of db-ro.internal every Monday.']]],
  ['written to a notebook', REPLICA, [['tool', 'Write', { file_path: '/app/CLAUDE.md', content: REPLICA }]]],
  ['handed back to Nokosu', REPLICA, [['tool', 'mcp__nokosu__add_memory', { content: REPLICA }]]],
  ['recorded by the command line', REPLICA, [['run', `nokosu add "${REPLICA}"`]]],
  ['printed', REPLICA, [['run', `echo "${REPLICA}"`]]],
  ['in a list of things to do', REPLICA, [['tool', 'TodoWrite', { todos: [{ content: REPLICA }] }]]],
  ['only in the description of a call', REPLICA, [['run', 'true; ls']]],
  ['only in the text that an edit replaces', ROUTE, [['edit', 'const a = 1']]],
  ['what it warns of', 'Never pass --skip-hooks-now here', [['run', 'git commit --skip-hooks-now']]],
  ['what was so before', 'The mirror was mirror-a.internal until May', [['run', 'curl mirror-a.internal']]],
  ['what is to be avoided', 'Avoid tools/legacy-ship.sh', [['run', 'tools/legacy-ship.sh']]],
  ['common commands', '`npm test` needs Redis on port 6379', [['run', 'npm test && redis-cli -p 6379 ping']]],
  ['common files', 'package.json pins the compiler; README.md says why', [['run', 'cat package.json README.md']]],
  ['common flags', 'Use --force with --no-cache after a failed build', [['run', 'docker build --force --no-cache .']]],
  ['one number', 'The scanner listens on 7431', [['run', "sed -n '7431p' big.log"]]],
  ['round numbers', 'It takes 60s, at most 300s or 1200 requests', [['run', 'sleep 60; head -300 a; tail -1200 b']]],
  ['a year and a date', 'Since 2024-03-01 invoices of 2023 are closed', [['run', 'git log --since=2024-03-01 2023']]],
  ['ordinary words', 'Restart the worker service after each deploy', [['run', 'systemctl restart worker service']]],
  ['one rare word', 'Sessions are kept in valkey', [['run', 'docker ps | grep valkey']]],
  ['a word that is joined', 'The volume is read-only at night', [['run', 'mount -o read-only x']]],
  [
    'parts in different commands',
    'The scanner listens on 7431 and answers on 7439',
    [
      ['run', 'nc -z a 7431'],
      ['run', 'nc -z a 7439'],
    ],
  ],
  [
    'a dump too long to read',
    REPLICA,
    [
      ['told', 'x '.repeat(1 << 20)],
      ['run', 'psql -h db-ro.internal'],
    ],
  ],
]

describe('a memory that is used', () => {
  it.each(USED)('%s', (_, memory, steps, others) => expect(usesOf(memory, steps, others)).toBe(true))
})

describe('a memory that is not used', () => {
  it.each(UNUSED)('%s', (_, memory, steps, others) => expect(usesOf(memory, steps, others)).toBe(false))
})
