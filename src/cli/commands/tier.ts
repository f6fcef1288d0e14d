import { describeOutcomes } from '../../agents/outcome-exit.ts'
import { type OperationTier, runTiers, type TierReport, type TierStep } from '../../agents/tier.ts'
import {
  AGENT_COMMAND,
  AGENT_OPTIONS,
  describeMemories,
  finishWith,
  readAgentSetup,
  SETUP_HELP,
} from '../agent-setup.ts'
import { defineCommand } from '../command.ts'
import { readInput } from '../input.ts'
import { collectList, whole } from '../parse-flags.ts'
import { formatTable } from '../table.ts'

export const { configure } = defineCommand({
  arguments: [['<tier>', '1 observe, 2 investigate, 3 remediate', whole(1, 3)], AGENT_COMMAND],
  options: {
    ...AGENT_OPTIONS,
    '--services <names>': ['the services to look after, separated by commas', collectList],
    '--services-file <file>': 'the same, one per line',
    '--handoff <file>': 'what the previous tier found',
    '--escalate': 'an ESCALATE: line in the answer starts the next tier with the hand-off',
  },
  help: `
Runs a session of a tier. Its prompt is the tier's own. Claude Code gets the environment, the memories of the project and the
hand-off at the end of its system prompt. Any other command gets environment and hand-off at the end of its prompt, and the memories
in NOKOSU_CONTEXT. The agent's [MEMORY:...] lines are stored with the tier. Its answer says how it ended: ALL CLEAR,
RESOLVED: ..., ESCALATE: ... or NEEDS A PERSON: ...
${SETUP_HELP}

${describeOutcomes('needsPerson', 'escalated', 'unclear')}

Examples:
  nokosu tier 1 --project home --services jellyfin,caddy --escalate
  nokosu tier 2 --project home --handoff findings.md -- claude -p {prompt} --output-format stream-json --verbose \\
    --allowedTools Bash`,
  async run(options, tier, words) {
    const { handoff, servicesFile, escalate = false } = options
    const listed = servicesFile === undefined ? [] : (await readInput(servicesFile)).split('\n')
    const named = listed.map((name) => name.trim()).filter((name) => name !== '' && !name.startsWith('#'))
    const handOff = handoff === undefined ? '' : await readInput(handoff)
    const { config: _, ...setup } = await readAgentSetup(words, options)
    const services = [...(options.services ?? []), ...named]
    const running = runTiers({ ...setup, tier: tier as OperationTier, services, handOff, escalate })
    await finishWith(running, setup, options, format)
  },
})

function format({ steps, exitCode, outcome, handOff }: TierReport): string {
  const table = formatTable(steps, [
    { title: 'TIER', value: (step) => String(step.tier), align: 'right' },
    { title: 'NAME', value: ({ role }) => role },
    { title: 'EXIT', value: (step) => String(step.exitCode), align: 'right' },
    { title: 'SHOWN', value: ({ shown }) => String(shown), align: 'right' },
    { title: 'SESSION', value: ({ session }) => session ?? '' },
    { title: 'MEMORIES', value: (step) => describeMemories(step) },
    { title: 'ENDING', value: ({ ending }) => ending },
    { title: 'PASSES ON', value: ({ escalations, forPerson }) => [...forPerson, ...escalations].join('; ') },
  ])
  const last = steps.at(-1)!
  const saved = handOff === '' ? '' : ' The --json report has what it said, as handOff.'
  return `${table}Tier ${last.tier}: ${outcome} (exit code ${exitCode}).${saved}${nextOf(outcome, last)}\n`
}

function nextOf(outcome: TierReport['outcome'], { tier, forPerson }: TierStep): string {
  switch (outcome) {
    case 'escalates':
      return tier === 3
        ? ` No tier is left: a person has to look at it.`
        : ` Continue with 'nokosu tier ${tier + 1} --handoff FILE', or let --escalate do it.`
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
