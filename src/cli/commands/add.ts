import type { Command } from 'commander'
import { takeDeclaration } from '../../capture/declared-relation.ts'
import type { Config } from '../../config/load-config.ts'
import type { Nokosu } from '../../engine/nokosu.ts'
import { MemoryError } from '../../model/errors.ts'
import { type Identifiers, LAYERS, type Layer, scopeOf } from '../../model/layer.ts'
import { type Memory, SOURCES, type Source, type Tier } from '../../model/memory.ts'
import type { Outcome, ReviewState } from '../../model/outcome.ts'
import { parseInput } from '../../model/parse.ts'
import { type NewMemory, newMemorySchema } from '../../model/schema.ts'
import { choice } from '../choice.ts'
import { quote } from '../command-line.ts'
import { formatMemory } from '../format-memory.ts'
import { isHeld, noteHeld } from '../held.ts'
import {
  addIdentifierOptions,
  type IdentifierOptions,
  nearestLayer,
  readIdentifiers,
  readOwner,
} from '../identifiers.ts'
import { addFieldOptions, type FieldOptions, readFields } from '../memory-options.ts'
import { missingScope } from '../missing-scope.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, paint, printJson, printLine } from '../output.ts'
import { wholeIn } from '../parse-flags.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions, IdentifierOptions, FieldOptions {
  layer?: Layer
  source?: Source
  tier?: Tier
  exact?: boolean
}

/** Layers whose memories belong to a project. */
const WITHIN_PROJECT: readonly Layer[] = ['agent', 'task', 'section', 'project']

/** `nokosu add` */
export function configure(command: Command): void {
  addIdentifierOptions(
    command.argument('<text...>', "one observation, with or without quotes, or '-' to read it from standard input"),
  )
    .addOption(
      choice(
        '--layer <layer>',
        'whose it is (default: the nearest whose identifier is given)',
        LAYERS,
        'INVALID_LAYER',
      ),
    )
    .addOption(choice('--source <source>', 'who says it (default: manual)', SOURCES))
    .option('--tier <tier>', '0 operator, 1 observes, 2 investigates, 3 remediates', wholeIn('--tier', 0, 3))
    .option('--exact', 'store it as a memory of its own, whatever is known already')
  addFieldOptions(command)
    .addHelpText(
      'after',
      `
What is known already is made surer, and what it contradicts is corrected: the answer says which. To say outright what it
corrects or confirms, end it with (was: ...) or (confirms: ...).
In --metadata, numbers, true, false and null are stored as JSON values; write key='"5"' for text.

Examples:
  nokosu add The tests need Redis
  nokosu add --category timing --service jellyfin --tag boot "Takes 60s to start"
  nokosu add --category timing --service jellyfin "Takes 90s to start (was: Takes 60s to start)"
  nokosu add --service db --thread incident-7:2 --happened 3h "The replica was promoted"
  git log -1 --format=%s | nokosu add --task T7 --project shop --category submission --expires 30d -`,
    )
    .action(add)
}

async function add(words: string[], _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const content = await readText(toText(words))
  const fields = readFields(options)
  await withEngine(
    options,
    'write',
    async (engine, config) => {
      const given = { content, ...toPlace(options, config), ...fields, ...origin(options) }
      if (options.exact) {
        // The engine says what is wrong with a layer or an identifier.
        const added = await engine.add(given as NewMemory)
        return options.json ? printJson(added) : tell('Stored as given.', added.memory)
      }
      const outcome = await remember(engine, given)
      return options.json ? printJson(outcome) : tellOutcome(outcome)
    },
    (config) => toPlace(options, config),
  )
}

/** Words without quotes are one text. Among others a '-' is a dash, or standard input: that is for the user to say. */
function toText(words: readonly string[]): string {
  if (words.length === 1 || !words.includes('-')) return words.join(' ')
  throw new MemoryError('INVALID_INPUT', "Invalid text: a '-' alone reads standard input, but it is not alone.", {
    details: { field: 'text', hint: `Put the text in quotes:\n  nokosu add ${quote(words.join(' '))}` },
  })
}

/** Without any flag the project is what most people mean: the one around, or the error names it. */
function toPlace(options: Options, config: Config): { layer: Layer; identifiers: Identifiers } {
  const layer = options.layer ?? nearestLayer(readIdentifiers(options)) ?? 'project'
  const within = WITHIN_PROJECT.includes(layer)
  if (layer === 'project' && (config.project ?? options.project) === undefined) throw missingScope({ all: false })
  return { layer, identifiers: within ? readOwner(options, config) : readIdentifiers(options) }
}

/** Who says it: an operator, unless this is a command that an agent gives inside its run. */
function origin({ source, tier }: Options): { source: Source; tier: Tier; session?: string } {
  const session = shell().env.NOKOSU_SESSION
  if (session && tier === 0) throw new MemoryError('UNAUTHORIZED', 'Tier 0 is the operator, and this is inside a run.')
  const own = { source: source ?? 'manual', tier: tier ?? (session ? 1 : 0) }
  return session ? { ...own, session } : own
}

/** Through guard and admit, as what an agent says; what cannot be a memory is an error. */
async function remember(engine: Nokosu, given: object): Promise<Remembered> {
  const parsed = parseInput(newMemorySchema(engine.capabilities.maxContentLength), given, 'add')
  const { layer, identifiers, source, tier, session, confidence, content: said, ...fields } = parsed
  scopeOf(layer, identifiers)
  const { content, declares, quotes } = takeDeclaration(said)
  const [outcome] = await engine.remember(
    [
      {
        ...fields,
        content,
        metadata: { ...quotes, ...fields.metadata },
        ...(declares === undefined ? {} : { declares }),
        ...('confidence' in given ? { confidence } : {}),
      },
    ],
    { layer, identifiers, source, tier, ...(session === null ? {} : { session }) },
  )
  if (outcome!.kind !== 'refuse') return outcome!
  throw new MemoryError('INVALID_INPUT', `Not remembered: ${outcome!.reason}.`, { details: { field: 'content' } })
}

type Remembered = Exclude<Outcome, { kind: 'refuse' }>

const BECAME: Record<Remembered['kind'], string> = {
  insert: 'Remembered.',
  reinforce: 'Known already: it is surer now.',
  contradict: 'Remembered, and corrected what was known.',
  duplicate: 'Known already: nothing changed.',
}

/** Of words that were held for review before. */
const AGAIN: Record<ReviewState, string> = {
  held: 'Held for review already: nothing changed.',
  accepted: 'Known already, and accepted by an operator: nothing changed.',
  rejected: 'Not remembered: an operator rejected these words.',
  removed: 'Not remembered: these words were held for review, and changed or removed since.',
}

async function tellOutcome(outcome: Remembered): Promise<void> {
  const held = isHeld(outcome)
  const weakened = 'weakened' in outcome ? outcome.weakened : []
  const secrets = outcome.redactions.reduce((sum, { count }) => sum + count, 0)
  const review = outcome.kind === 'duplicate' ? outcome.review : undefined
  const headline = review === undefined ? BECAME[outcome.kind] : AGAIN[review]
  await tell(held ? 'Held for review.' : headline, outcome.memory, [
    ...weakened.map(({ content, confidence, active }) =>
      active ? `Less sure now (${confidence}): ${content}` : `No longer shown: ${content}`,
    ),
    ...(secrets === 0 ? [] : [`${countOf(secrets, 'secret was', 'secrets were')} taken out.`]),
  ])
  noteHeld(held || review === 'held' ? 1 : 0)
}

async function tell(headline: string, memory: Memory | null, details: readonly string[] = []): Promise<void> {
  const style = memory === null || memory.trust === 'quarantined' ? 'yellow' : 'green'
  const lines = [paint(style, headline), ...details]
  await printLine(`${lines.join('\n')}${memory === null ? '' : `\n\n${formatMemory(memory)}`}`)
}
