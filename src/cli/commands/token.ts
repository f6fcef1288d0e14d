import type { TokenInfo } from '../../engine/tokens.ts'
import { MemoryError } from '../../model/errors.ts'
import { LAYERS } from '../../model/layer.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { readIdentifiers } from '../identifiers.ts'
import { withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine, write } from '../output.ts'
import { oneOf, whole } from '../parse-flags.ts'
import { type Column, formatTable } from '../table.ts'

const COLUMNS: readonly Column<TokenInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SCOPE', value: ({ scope }) => scope },
  { title: 'OPENS', value: ({ identifiers }) => describe(identifiers) },
  { title: 'QUOTA', value: ({ quota }) => describeQuota(quota) },
  { title: 'CREATED', value: ({ createdAt }) => createdAt },
  { title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt ?? '-' },
  { title: 'STATE', value: ({ revokedAt }) => (revokedAt === null ? 'valid' : `revoked ${revokedAt}`) },
]

function describe(identifiers: TokenInfo['identifiers']): string {
  const bound = Object.entries(identifiers).map(([name, value]) => `${name.replace(/Id$/, '')} ${value}`)
  return bound.length === 0 ? 'everything' : bound.join(', ')
}

function describeQuota({ requestsPerMinute, writesPerDay }: TokenInfo['quota'] & {} = {}): string {
  const limits = [
    ...(requestsPerMinute === undefined ? [] : [`${requestsPerMinute} requests/min`]),
    ...(writesPerDay === undefined ? [] : [`${writesPerDay} writes/day`]),
  ]
  return limits.join(', ') || '-'
}

const create = defineCommand({
  identifiers: LAYERS,
  required: { '--name <name>': 'who uses it; the history shows this name' },
  options: {
    '--scope <scope>': ['what it opens', oneOf(['read', 'write', 'admin']), 'read'],
    '--requests-per-minute <number>': ['requests a minute, besides the limit of the server', whole(1)],
    '--writes-per-day <number>': ['memories that it may add, change or delete on one day', whole(1)],
  },
  async run(options) {
    // Only from explicit flags: a token bound by accident is as wrong as one open by accident.
    const identifiers = readIdentifiers(options)
    if (identifiers.agentId !== undefined && identifiers.projectId === undefined) {
      throw new MemoryError('MISSING_IDENTIFIER', '--agent needs a project: give --project too.', {
        details: { identifier: 'projectId' },
      })
    }
    const { name, scope, requestsPerMinute, writesPerDay } = options
    const quota = withoutUndefined({ requestsPerMinute, writesPerDay })
    const made = await withEngine(options, 'write', ({ tokens }) => tokens.create({ name, scope, identifiers, quota }))
    if (options.json) return printJson(made)
    note(`Created ${name}: ${scope}, ${describe(identifiers)}. It is not stored and not shown again:`)
    await printLine(paint('bold', made.secret))
    note(`\nTry: curl -H "Authorization: Bearer ${made.secret.slice(0, 8)}..." http://127.0.0.1:4816/api/agents`)
  },
})

const list = defineCommand({
  async run(options) {
    const tokens = await withEngine(options, 'read', (engine) => engine.tokens.list())
    if (options.json) return printJson(tokens)
    if (tokens.length > 0) return write(formatTable(tokens, COLUMNS))
    note("There are no tokens. 'nokosu token create --name ops --scope admin' makes one.")
  },
})

const revoke = defineCommand({
  arguments: [['<token>', 'its name or id']],
  async run(options, token) {
    const revoked = await withEngine(options, 'write', ({ tokens }) => tokens.revoke(token))
    if (options.json) return printJson(revoked)
    await printLine(`Revoked ${revoked.name}. Running servers refuse it within a second.`)
  },
})

/** `nokosu token` */
export const { configure } = defineCommand({
  commands: {
    create: ['create a token; it is shown once', create],
    list: ['list tokens, never their secrets', list],
    revoke: ['revoke a token', revoke],
  },
  help: `
A token lets programs and people on other machines use the server, and says who they are: the history shows its name.
  read    reads and searches
  write   adds, changes and deletes too
  admin   everything, in all projects; personalities and the directory
A token with --project opens that project, and what belongs to its team, org and company for reading. --agent needs --project.

Examples:
  nokosu token create --name ops --scope admin
  nokosu token create --name ci --scope write --project shop
  nokosu token create --name bot --scope write --project shop --writes-per-day 500
  nokosu token list
  nokosu token revoke ci`,
})
