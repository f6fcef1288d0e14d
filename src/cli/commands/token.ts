import { type Command, Option } from 'commander'
import type { TokenInfo } from '../../engine/tokens.ts'
import { MemoryError } from '../../model/errors.ts'
import { addIdentifierOptions, type IdentifierOptions, readIdentifiers } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { note, paint, printJson, printLine, write } from '../output.ts'
import { type Column, formatTable } from '../table.ts'

interface Options extends GlobalOptions, IdentifierOptions {
  name?: string
  scope: TokenInfo['scope']
}

/** `nokosu token` */
export function configure(command: Command): void {
  command.addHelpText(
    'after',
    `
A token opens the server to programs and people on other machines, and says who they are: the history shows its name.
  read    reads and searches
  write   adds, changes and deletes too
  admin   everything, in all projects; personalities and the directory
A token with --project opens that project, and what belongs to its team, org and company for reading. --agent needs --project.

Examples:
  nokosu token create --name ops --scope admin
  nokosu token create --name ci --scope write --project shop
  nokosu token list
  nokosu token revoke ci`,
  )
  const create = command
    .command('create')
    .description('make a token; it is shown once')
    .requiredOption('--name <name>', 'who uses it; the history shows this name')
    .addOption(new Option('--scope <scope>', 'what it opens').choices(['read', 'write', 'admin']).default('read'))
  addIdentifierOptions(create).action(make)
  command.command('list').description('list tokens, never their secrets').action(list)
  command.command('revoke').description('make a token useless').argument('<token>', 'its name or id').action(revoke)
}

const COLUMNS: readonly Column<TokenInfo>[] = [
  { title: 'ID', value: ({ id }) => id },
  { title: 'NAME', value: ({ name }) => name },
  { title: 'SCOPE', value: ({ scope }) => scope },
  { title: 'OPENS', value: ({ identifiers }) => describe(identifiers) },
  { title: 'CREATED', value: ({ createdAt }) => createdAt },
  { title: 'LAST USED', value: ({ lastUsedAt }) => lastUsedAt ?? '-' },
  { title: 'STATE', value: ({ revokedAt }) => (revokedAt === null ? 'valid' : `revoked ${revokedAt}`) },
]

async function make(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  // Only what the flags say: a token that is bound by accident is as wrong as one that is open by accident.
  const identifiers = readIdentifiers(options)
  if (identifiers.agentId !== undefined && identifiers.projectId === undefined) {
    throw new MemoryError('MISSING_IDENTIFIER', 'Say in which project: give --project beside --agent.', {
      details: { identifier: 'projectId' },
    })
  }
  const { name = '', scope } = options
  const made = await withEngine(options, 'write', ({ tokens }) => tokens.create({ name, scope, identifiers }))
  if (options.json) return printJson(made)
  note(`Created ${name}: ${scope}, ${describe(identifiers)}. It is not stored and not shown again:`)
  await printLine(paint('bold', made.secret))
  note(`\nTry: curl -H "Authorization: Bearer ${made.secret.slice(0, 8)}..." http://127.0.0.1:4816/api/agents`)
}

async function list(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const tokens = await withEngine(options, 'read', (engine) => engine.tokens.list())
  if (options.json) return printJson(tokens)
  if (tokens.length === 0) return note("There are no tokens. 'nokosu token create --name ops --scope admin' makes one.")
  await write(formatTable(tokens, COLUMNS))
}

async function revoke(token: string, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const revoked = await withEngine(options, 'write', ({ tokens }) => tokens.revoke(token))
  if (options.json) return printJson(revoked)
  await printLine(`Revoked ${revoked.name}. A server that runs refuses it within a second.`)
}

function describe(identifiers: TokenInfo['identifiers']): string {
  const bound = Object.entries(identifiers).map(([name, value]) => `${name.replace(/Id$/, '')} ${value}`)
  return bound.length === 0 ? 'everything' : bound.join(', ')
}
