import type { Identifiers } from '../model/layer.ts'
import { CHARACTERS_PER_TOKEN } from '../model/limits.ts'
import type { StoreConnection } from '../remote/client.ts'
import type { Block } from '../remote/protocol.ts'

export interface ShowRequest {
  identifiers: Identifiers
  /** The likely topic of the session; null if unknown. */
  query: string | null
  /** For all blocks together. */
  characters: number
}

export interface ShownBlocks {
  /** Empty if nothing is remembered. */
  text: string
  blocks: { format: 'operational' | 'query'; entries: Block['entries']; omitted: Block['omitted'] }[]
}

/** Share of the space, if more than the most confident memories should be shown. */
const SHARE_OF_RELATED = 0.25
const SEPARATOR = '\n\n'

/**
 * Yields what a session is shown, each answer better than the last: first the most confident memories, then those related to the
 * branch that did not fit or are of another kind. Only reads. `left` returns the milliseconds for the next query.
 */
export async function* showMemories(
  store: StoreConnection,
  { identifiers, query, characters }: ShowRequest,
  left: () => number,
): AsyncGenerator<ShownBlocks> {
  const context = (budget: number) =>
    store.request('context', { format: 'operational', identifiers, budget }, { boundMs: left() })
  const whole = await context(tokensIn(characters))
  yield join(whole)
  if (query === null) return
  const related = (shown: Block, room: number) =>
    store.request(
      'related',
      { identifiers, query, budget: tokensIn(room), shown: shown.entries.map(({ memory }) => memory) },
      { boundMs: left() },
    )
  const others = await related(whole, SHARE_OF_RELATED * characters)
  if (others.entries.length === 0) return
  const surest = await context(tokensIn((1 - SHARE_OF_RELATED) * characters))
  const room = characters - surest.text.length - SEPARATOR.length
  if (room < CHARACTERS_PER_TOKEN) return
  yield join(surest, await related(surest, room))
}

function join(surest: Block, related?: Block): ShownBlocks {
  const blocks: { format: 'operational' | 'query'; block: Block }[] = [{ format: 'operational', block: surest }]
  if (related !== undefined) blocks.push({ format: 'query', block: related })
  const shown = blocks.filter(({ block }) => block.text !== '')
  return {
    text: shown.map(({ block }) => block.text.trimEnd()).join(SEPARATOR),
    blocks: shown.map(({ format, block }) => ({ format, entries: block.entries, omitted: block.omitted })),
  }
}

function tokensIn(characters: number): number {
  return Math.max(1, Math.floor(characters / CHARACTERS_PER_TOKEN))
}
