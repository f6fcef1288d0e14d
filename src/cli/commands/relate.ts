import { openEmbedding } from '../../embedding/open-embedding.ts'
import { escapeTerminal } from '../../guard/escape.ts'
import { guardText } from '../../guard/guard.ts'
import { floorFor, prepareRelater, type Relation } from '../../lifecycle/relate/relate.ts'
import { localRelationModel } from '../../lifecycle/relate/relation-model.ts'
import { SETTLEMENTS, type Settlement } from '../../model/decision.ts'
import { LIMITS } from '../../model/limits.ts'
import { embeddedText } from '../../text/embedded-text.ts'
import { defineCommand } from '../command.ts'
import { secretsIn } from '../format-outcome.ts'
import { type ClaimOptions, readOnlooker } from '../identifiers.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { countOf, paint, printJson, printLine, type Style } from '../output.ts'
import { invalid, oneOf } from '../parse-flags.ts'
import { resolveMemory } from '../resolve-id.ts'
import { asItIs } from './undo.ts'

export const { configure } = defineCommand({
  arguments: [
    ['<one>', 'a statement; with --fix the id of a memory'],
    ['<other>', 'another one'],
    ['[as]', 'with --fix: how they relate', oneOf(SETTLEMENTS)],
  ],
  identifiers: 'claim',
  options: {
    '--fix': 'settle how two memories relate: same, both-true, or that the first replaces the second',
    '--service <name>': 'the service that both are about, which brings them closer together',
  },
  help: `
Compares two statements the way a new memory is compared: the same (the old memory gains confidence), a contradiction (the old one
loses confidence), or something else (both are kept). Equal words are the same after numbers and notation are normalised; a small
local model compares different words, unless their vectors are too far apart to be about the same thing. Secrets are redacted first,
and a statement that held one is never the same as another. It stores nothing.

With --fix an operator settles how two memories relate, and both regain the confidence that a wrong decision took: same (the first
stands for both), both-true (no contradiction), or replaces (the first is shown instead of the second, whatever agents say). The two,
and their words, are not compared again. An agent inside a run cannot do this.

Examples:
  nokosu relate "The leak was fixed in 3.2" "The leak is still there in 3.2"
  nokosu relate "Takes 60s to start" "Takes about a minute to start" --json
  nokosu relate --service jellyfin "Takes 60s to start" "It is up at once"
  nokosu relate --fix 9XTQYDJ2 4M8KZC1P both-true`,
  async run(options, one, other, as) {
    if (options.fix) return fix(options, [one, other], as)
    if (as !== undefined) throw invalid('as', 'goes with --fix')
    const first = clean('one', one, LIMITS.content)
    const second = clean('other', other, LIMITS.content)
    const service = options.service === undefined ? null : clean('service', options.service, LIMITS.service).text
    const embedding = await openEmbedding((await readConfig(options)).embedding)
    const model = localRelationModel()
    try {
      const texts = [first, second].map(({ text }) => embeddedText({ content: text, service }))
      const vectors = await embedding.embed(texts)
      const [a, b] = [
        { text: first.text, vector: vectors[0]! },
        { text: second.text, vector: vectors[1]! },
      ]
      const relater = await prepareRelater([{ a, b }], { model, floor: floorFor(embedding.name) })
      const { relation, score, reason } = relater.relate(a, b)
      const redacted = first.redacted + second.redacted
      if (options.json) return await printJson({ relation, score, reason, redacted })
      const [style, name, effect] = MEANS[relation]
      await printLine(`${paint(style, name)}  ${escapeTerminal(reason)}`)
      await printLine(paint('dim', effect))
      if (redacted > 0) await printLine(`${countOf(redacted, 'secret', 'secrets')} redacted.`)
    } finally {
      await Promise.all([model.close(), embedding.close?.()])
    }
  },
})

async function fix(
  options: GlobalOptions & ClaimOptions,
  [one, other]: [string, string],
  as: Settlement | undefined,
): Promise<void> {
  if (as === undefined) throw invalid('as', `say how they relate: ${SETTLEMENTS.join(', ')}`)
  const { memories } = await withEngine(options, 'change', async (engine, config) => {
    const claim = readOnlooker(options, config)
    const [first, second] = [await resolveMemory(engine, claim, one), await resolveMemory(engine, claim, other)]
    return engine.settle([first, second], as, claim)
  })
  if (options.json) return printJson({ memories })
  await printLine(`${paint('green', 'Settled')}  ${SETTLED[as]}`)
  for (const memory of memories) await printLine(asItIs(memory))
}

const SETTLED: Record<Settlement, string> = {
  same: 'The first stands for both.',
  'both-true': 'Both are true.',
  replaces: 'The first is shown instead of the second.',
}

const MEANS: Record<Relation, readonly [Style, string, string]> = {
  same: ['green', 'same', 'The second would raise the confidence of the first.'],
  contradicts: ['yellow', 'contradicts', 'The second would weaken the first and stand beside it.'],
  other: ['dim', 'other', 'Both would be kept.'],
}

/** Cleaned like the input of an admission. */
function clean(field: string, text: string, maxLength: number): { text: string; redacted: number } {
  const result = guardText(text, { maxLength })
  if ('refused' in result) throw invalid(field, result.refused)
  return { text: result.content, redacted: secretsIn(result) }
}
