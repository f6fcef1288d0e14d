import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import { describeOutcomes } from '../../agents/outcome-exit.ts'
import { type OperationTier, runTiers, type TierReport, type TierStep } from '../../agents/tier.ts'
import {
  type AgentSetupOptions,
  addAgentSetupOptions,
  describeMemories,
  finishWith,
  readAgentSetup,
  SETUP_HELP,
} from '../agent-setup.ts'
import { collectList } from '../parse-flags.ts'
import { invalid } from '../run-settings.ts'
import { shell } from '../shell.ts'
import { formatTable } from '../table.ts'

interface Options extends AgentSetupOptions {
  handoff?: string
  services?: string[]
  servicesFile?: string
  escalate?: boolean
}

/** `nokosu tier` */
export function configure(command: Command): void {
  command.argument('<tier>', '1 observe, 2 investigate, 3 remediate')
  addAgentSetupOptions(command.argument('[command...]', 'the command line of an agent, after --'))
    .option('--services <names>', 'the services to look after, as a,b', collectList)
    .option('--services-file <file>', 'the same, one a line')
    .option('--handoff <file>', 'what the tier before found')
    .option('--escalate', 'an ESCALATE: line in the answer starts the next tier with the hand-off')
    .addHelpText(
      'after',
      `
Runs a session of a tier. Its prompt is the tier's own; the environment, what is remembered of the project and the hand-off end
Claude Code's system prompt. Any other command finds environment and hand-off at the end of its prompt, and what is remembered in
NOKOSU_CONTEXT. What the agent says with [MEMORY:...] markers is remembered with the tier. Its answer says how it ended: ALL CLEAR,
RESOLVED: ..., ESCALATE: ... or NEEDS A PERSON: ...
${SETUP_HELP}

${describeOutcomes('needsPerson', 'escalated', 'unclear')}

Examples:
  nokosu tier 1 --project home --services jellyfin,caddy --escalate
  nokosu tier 2 --project home --handoff findings.md -- claude -p {prompt} --output-format stream-json --verbose \\
    --allowedTools Bash`,
    )
    .action(tier)
}

async function tier(number: string, words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  if (!['1', '2', '3'].includes(number)) throw invalid('tier', 'use 1, 2 or 3')
  const { handoff, servicesFile, services = [], escalate = false } = options
  const listed =
    servicesFile === undefined ? [] : (await readFile(resolve(shell().cwd, servicesFile), 'utf8')).split('\n')
  const handOff = handoff === undefined ? '' : await readFile(resolve(shell().cwd, handoff), 'utf8')
  const { config: _config, ...setup } = await readAgentSetup(words, options)
  const running = runTiers({
    ...setup,
    tier: Number(number) as OperationTier,
    services: [
      ...services,
      ...listed.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('#')),
    ],
    handOff,
    escalate,
  })
  await finishWith(running, setup, options, format)
}

function format({ steps, exitCode, outcome, handOff }: TierReport): string {
  const table = formatTable(steps, [
    { title: 'TIER', value: (step) => String(step.tier), align: 'right' },
    { title: 'NAME', value: ({ role }) => role },
    { title: 'EXIT', value: (step) => String(step.exitCode), align: 'right' },
    { title: 'SHOWN', value: ({ shown }) => String(shown), align: 'right' },
    { title: 'SESSION', value: ({ session }) => session ?? '' },
    { title: 'MEMORIES', value: ({ memories, spooled }) => describeMemories(memories, spooled) },
    { title: 'ENDING', value: ({ ending }) => ending },
    { title: 'PASSES ON', value: ({ escalations, forPerson }) => [...forPerson, ...escalations].join('; ') },
  ])
  const last = steps.at(-1)!
  const saved = handOff === '' ? '' : ' What it said is in the report of --json, as handOff.'
  return `${table}Tier ${last.tier}: ${outcome} (exit code ${exitCode}).${saved}${nextOf(outcome, last)}\n`
}

/** What to do next. */
function nextOf(outcome: TierReport['outcome'], { tier, forPerson }: TierStep): string {
  switch (outcome) {
    case 'escalates':
      return tier === 3
        ? ` No tier is left: a person has to look at it.`
        : ` Go on with 'nokosu tier ${tier + 1} --handoff FILE', or let --escalate do it.`
    case 'needs a person':
      return `\nNEEDS A PERSON: ${forPerson.join('; ')}`
    case 'unclear':
      return ' The agent did not say how it ended: read its answer, and decide yourself.'
    case 'failed':
      return ' The agent ended with an error; what it said is above.'
    default:
      return ''
  }
}
