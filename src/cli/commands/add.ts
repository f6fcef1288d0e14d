import type { Config } from '../../config/load-config.ts'
import { invalidInput, MemoryError } from '../../model/errors.ts'
import { type Identifiers, LAYERS, type Layer } from '../../model/layer.ts'
import { SOURCES, type Source, type Tier } from '../../model/memory.ts'
import type { AddResult } from '../../model/outcome.ts'
import type { NewMemory } from '../../model/schema.ts'
import { defineCommand } from '../command.ts'
import { quote } from '../command-line.ts'
import { formatMemory } from '../format-memory.ts'
import { noteHeld, noteMarked, secretsIn } from '../format-outcome.ts'
import { defaultLayer, type IdentifierOptions, readIdentifiers, readOwner, WITHIN_PROJECT } from '../identifiers.ts'
import { readText } from '../input.ts'
import { FIELD_OPTIONS, readFields } from '../memory-options.ts'
import { missingScope } from '../missing-scope.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, paint, printJson, printLine } from '../output.ts'
import { oneOf, whole } from '../parse-flags.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  arguments: [['<text...>', "one observation, with or without quotes, or '-' to read it from standard input"]],
  identifiers: LAYERS,
  options: {
    '--layer <layer>': [
      'which layer it belongs to (default: the project if known, else the nearest with an identifier; with --user or --session alone, that one)',
      oneOf(LAYERS, 'INVALID_LAYER'),
    ],
    '--source <source>': ['where it comes from (default: manual)', oneOf(SOURCES)],
    '--tier <tier>': ['0 operator, 1 observes, 2 investigates, 3 remediates', whole(0, 3)],
    '--exact': 'store it as a memory of its own, without comparing it',
    ...FIELD_OPTIONS,
  },
  help: `
A repeat raises the confidence of the known memory, and a contradiction corrects it: the output says which. To state what it
corrects or confirms, end it with (was: ...) or (confirms: ...).
In --metadata, numbers, true, false and null are stored as JSON values; write key='"5"' for text.

Examples:
  nokosu add The tests need Redis
  nokosu add --category timing --service jellyfin --tag boot "Takes 60s to start"
  nokosu add --category timing --service jellyfin "Takes 90s to start (was: Takes 60s to start)"
  nokosu add --guards "terraform apply" "Prod is applied from the bastion, in the change window"
  nokosu add --service db --thread incident-7:2 --happened 3h "The replica was promoted"
  git log -1 --format=%s | nokosu add --task T7 --project shop --category submission --expires 30d -`,
  async run(options, words) {
    const content = await readText(toText(words))
    const fields = readFields(options)
    await withEngine(
      options,
      'write',
      async (engine, config) => {
        const given = { content, ...toPlace(options, config), ...fields, ...origin(options) }
        // The engine reports a wrong layer or identifier.
        const added = await engine.add(given as NewMemory, { exact: options.exact ?? false })
        return options.json ? printJson(added) : tell(added, options.exact ?? false)
      },
      (config) => toPlace(options, config),
    )
  },
})

/** Words without quotes are joined. A '-' among them could be a dash or standard input: the user must say which. */
function toText(words: readonly string[]): string {
  if (words.length === 1 || !words.includes('-')) return words.join(' ')
  throw invalidInput('text', "Invalid text: '-' reads standard input, so nothing else may follow or precede it.", {
    hint: `Put the text in quotes:\n  nokosu add ${quote(words.join(' '))}`,
  })
}

/** Without a flag, the current project is what most people mean; without one, the error names the flag. */
function toPlace(
  options: IdentifierOptions & { layer?: Layer },
  config: Config,
): { layer: Layer; identifiers: Identifiers } {
  const layer = options.layer ?? defaultLayer(options, config)
  const within = WITHIN_PROJECT.includes(layer)
  if (layer === 'project' && (config.project ?? options.project) === undefined) throw missingScope({ all: false })
  return { layer, identifiers: within ? readOwner(options, config) : readIdentifiers(options) }
}

/** Who is adding it: an operator, or an agent if the command runs inside a run. */
function origin({ source = 'manual', tier }: { source?: Source; tier?: number }) {
  const session = shell().env.NOKOSU_SESSION
  if (session && tier === 0)
    throw new MemoryError('UNAUTHORIZED', 'Tier 0 is the operator, and this command runs inside an agent’s run.')
  const own = { source, tier: (tier ?? (session ? 1 : 0)) as Tier }
  return session ? { ...own, session } : own
}

const BECAME: Record<AddResult['outcome'], string> = {
  insert: 'Remembered.',
  reinforce: 'Already known. Its confidence is higher now.',
  contradict: 'Remembered, and corrected what was known.',
  duplicate: 'Already known. Nothing changed.',
}

function headline({ outcome, memory, review }: AddResult, exact: boolean): string {
  if (review === 'accepted') return 'Already known and accepted by an operator. Nothing changed.'
  if (review !== undefined) return 'Already held for review. Nothing changed.'
  if (memory.trust === 'quarantined') return 'Held for review.'
  return exact ? 'Stored as given.' : BECAME[outcome]
}

async function tell(added: AddResult, exact: boolean): Promise<void> {
  const { memory, weakened } = added
  const held = memory.trust === 'quarantined'
  const secrets = secretsIn(added)
  const lines = [
    paint(held ? 'yellow' : 'green', headline(added, exact)),
    ...weakened.map(({ content, confidence, active }) =>
      active ? `Less sure now (${confidence}): ${content}` : `No longer shown: ${content}`,
    ),
    ...(secrets === 0 ? [] : [`${countOf(secrets, 'secret', 'secrets')} redacted.`]),
  ]
  await printLine(`${lines.join('\n')}\n\n${formatMemory(memory)}`)
  noteHeld(held ? 1 : 0)
  noteMarked(memory.trust === 'flagged' ? 1 : 0)
}
