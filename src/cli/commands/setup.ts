import { redactSecrets } from '../../guard/redact-secrets.ts'
import { MemoryError } from '../../model/errors.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import { CLIENT_NAMES, type ClientName } from '../../setup/clients.ts'
import { type Change, type ClientPlan, Setup } from '../../setup/setup.ts'
import { diffLines } from '../../text/word-diff.ts'
import { defineCommand, type Reader } from '../command.ts'
import { agree } from '../confirm.ts'
import { countOf, note, paint, printJson, printLine } from '../output.ts'
import { oneOf } from '../parse-flags.ts'
import { shell } from '../shell.ts'

const names: Reader<ClientName[]> = Object.assign(
  (text: string, before: ClientName[] | undefined, flag: string) => [
    ...(before ?? []),
    oneOf(CLIENT_NAMES)(text, undefined, flag),
  ],
  { choices: CLIENT_NAMES },
)

/** `nokosu setup` */
export const { configure } = defineCommand({
  options: {
    '--only <name>': ['set up this one, even if it was not found; may be repeated', names],
    '--dry-run': 'show what would change, and change nothing',
    '--undo': 'remove everything that setup added',
    '-y, --yes': 'do not ask',
  },
  help: `
Finds the agents and editors that you use, shows what it would add to their configuration, and asks once. Each gets an MCP server,
and hooks if it supports them. Comments, formatting and an existing entry named 'nokosu' stay. A copy of each file is
kept. Running it again changes nothing; --undo puts every file back as it was.

Examples:
  npx nokosu setup
  nokosu setup --only cursor --dry-run
  nokosu setup --undo`,
  async run({ only, dryRun, undo = false, yes = false, json }) {
    const setup = new Setup(findPackageRoot()!, shell().env, only ?? null)
    const plans = undo ? setup.planUndo() : setup.plan()
    const changed = plans.filter(({ changes }) => changes.length > 0)
    const isAsked = !dryRun && changed.length > 0
    if (!json) await show(plans, { undo, setup })
    const kept = undo ? '' : ` Copies of the files are kept in ${setup.record.folder}.`
    const agreed = isAsked && (await agree(`Change ${countOf(changed.length, 'client', 'clients')}?${kept}`, { yes }))
    const failures = agreed
      ? await carryOut(changed, (plan) => (undo ? setup.undo(plan) : setup.apply(plan)))
      : new Map()
    const problems = plans.map((plan) => ({ ...plan, problem: failures.get(plan.name) ?? plan.problem }))
    if (problems.some(({ problem }) => problem !== null)) shell().exitCode = 1
    if (json) {
      const { command, args } = setup.program
      return printJson({ program: [command, ...args], applied: agreed, clients: problems.map(toJson) })
    }
    await tell(problems, { undo, agreed, isAsked })
  },
})

/** A failure does not stop the others. */
async function carryOut(
  plans: readonly ClientPlan[],
  work: (plan: ClientPlan) => Promise<void>,
): Promise<Map<ClientName, string>> {
  const failures = new Map<ClientName, string>()
  for (const plan of plans) {
    try {
      await work(plan)
    } catch (error) {
      // A file that cannot be written is a system error.
      if (!MemoryError.is(error) && (error as NodeJS.ErrnoException).code === undefined) throw error
      failures.set(plan.name, (error as Error).message)
    }
  }
  return failures
}

async function show(plans: readonly ClientPlan[], { undo, setup }: { undo: boolean; setup: Setup }): Promise<void> {
  for (const { label, changes, isFound } of plans) {
    if (changes.length > 0) await printLine(paint('bold', label))
    else if (isFound && !undo) await printLine(`${paint('bold', label)}  ${paint('dim', 'nothing to change')}`)
    for (const change of changes) await showChange(change)
  }
  const absent = plans.filter(({ isFound }) => !isFound).map(({ label }) => label)
  if (undo && plans.every(({ changes, problem }) => changes.length === 0 && problem === null))
    await printLine('There is nothing to undo.')
  else if (!undo && absent.length === plans.length) await printLine('No agent or editor was found.')
  if (!undo && absent.length > 0) note(`Not found: ${absent.join(', ')}. To set one up anyway: --only NAME`)
  if (!undo && setup.program.remark !== null) note(setup.program.remark)
}

async function showChange({ path, before, after, command }: Change): Promise<void> {
  if (command !== undefined) return printLine(`  ${paint('cyan', command.join(' '))}`)
  // For undo: the user has removed it since.
  if (before === null && after === null) return printLine(`  ${path} (already gone)`)
  const fate = before === null ? ' (new)' : after === null ? ' (removed)' : ''
  await printLine(`  ${path}${fate}`)
  await printLine(diff(before ?? '', after ?? ''))
}

/** Context lines around a change, to show its place. */
const CONTEXT = 2

/** Other content of the file is shown without secrets. */
function diff(before: string, after: string): string {
  const pieces = diffLines(before, after)
  const lines = pieces.flatMap(({ kind, text }, i) => {
    const own = text.replace(/\r?\n$/, '').split(/\r?\n/)
    if (kind !== 'same') {
      const [mark, style] = kind === 'old' ? (['-', 'red'] as const) : (['+', 'green'] as const)
      return own.map((line) => paint(style, `  ${mark} ${redactSecrets(line).text}`))
    }
    const head = i === 0 ? [] : own.slice(0, CONTEXT)
    const tail = i === pieces.length - 1 ? [] : own.slice(Math.max(head.length, own.length - CONTEXT))
    const gap = head.length + tail.length < own.length ? ['...'] : []
    return [...head, ...gap, ...tail].map((line) => paint('dim', `    ${redactSecrets(line).text}`))
  })
  return lines.join('\n')
}

async function tell(
  plans: readonly ClientPlan[],
  { undo, agreed, isAsked }: { undo: boolean; agreed: boolean; isAsked: boolean },
): Promise<void> {
  for (const { label, changes, effect, problem, isFound } of plans) {
    if (problem !== null) await printLine(`${paint('red', label)}: not changed. ${problem}`)
    else if (changes.length === 0 && (!isFound || undo)) continue
    else if (undo && agreed) await printLine(`${paint('green', label)}: as it was before.`)
    else if (!undo && (agreed || !isAsked)) await printLine(`${paint('green', label)} ${effect}`)
  }
  if (isAsked && !agreed) note('Nothing was changed.')
}

function toJson({ name, label, isFound, changes, effect, problem }: ClientPlan) {
  const changed = changes.map(({ path, before, after, command }) =>
    command === undefined ? { path, diff: diff(before ?? '', after ?? '') } : { path, command },
  )
  return { name, label, found: isFound, changes: changed, effect, problem }
}
