import type { Context } from '../engine/context.ts'
import type { Nokosu } from '../engine/open-memory.ts'
import type { Identifiers } from '../model/layer.ts'
import { CHARACTERS_PER_TOKEN, type Rendered } from '../recall/budget.ts'
import { type Found, renderQuery } from '../recall/render-query.ts'

export interface ShowRequest {
  project: string
  /** What the session may be about; null when nothing is known. */
  query: string | null
  /** Of all blocks together. */
  characters: number
  session: string
}

export interface Shown {
  /** Empty when nothing is remembered. */
  text: string
  /** What went wrong on the way, in words for a person. */
  notes: string[]
}

/** Of the room, when there is more to show than the surest memories. */
const SHARE_OF_RELATED = 0.25

export interface Showing {
  /** By reading only, as soon as it is known: first the surest memories, then with those related to the branch. */
  look(): AsyncGenerator<Shown>
  /** What is shown in the end, recorded as shown. A store that is being written by another, or read-only, only lets look. */
  record(): Promise<Shown>
}

/** What a session is shown: the surest memories, and those related to the branch that did not fit or are of another kind. */
export function showMemories(engine: Nokosu, request: ShowRequest): Showing {
  const { project, characters, session } = request
  const identifiers = { projectId: project }
  let related: Related = { found: [], notes: [] }
  const budget = () => tokensIn(characters * (related.found.length === 0 ? 1 : 1 - SHARE_OF_RELATED))
  return {
    async *look() {
      const whole = await engine.context({ identifiers, budget: budget() })
      yield { text: join(whole), notes: [] }
      related = await findRelated(engine, identifiers, request.query, whole)
      if (related.found.length === 0) return
      const surest = await engine.context({ identifiers, budget: budget() })
      yield { text: join(surest, renderRelated(related.found, surest, characters)), notes: related.notes }
    },
    async record() {
      const surest = await engine.context({ identifiers, budget: budget(), session })
      const others = renderRelated(related.found, surest, characters)
      if (others.included.length > 0) {
        const entries = others.included.map(({ id, tokens }, position) => ({ memory: id, position, tokens }))
        await engine.storage.recordInjection({ session, format: 'query', at: new Date().toISOString(), entries })
      }
      return { text: join(surest, others), notes: related.notes }
    },
  }
}

interface Related {
  found: Found[]
  notes: string[]
}

/** Nothing is searched when everything there is has been shown: most stores are small, and a search loads the model. */
async function findRelated(
  engine: Nokosu,
  identifiers: Identifiers,
  query: string | null,
  shown: Context,
): Promise<Related> {
  if (query === null) return { found: [], notes: [] }
  const { totalCount } = await engine.list({ identifiers, limit: 1 })
  if (totalCount <= shown.included.length) return { found: [], notes: [] }
  try {
    const { results } = await engine.search({ query, identifiers, order: 'relevance', limit: 20 })
    return { found: results, notes: [] }
  } catch (error) {
    return { found: [], notes: [`nothing was searched for the branch: ${(error as Error).message}`] }
  }
}

/** What has been shown already is not shown twice. */
function renderRelated(found: readonly Found[], shown: Context, characters: number): Rendered {
  const known = new Set(shown.included.map(({ id }) => id))
  const left = characters - shown.text.length - SEPARATOR.length
  const budget = Math.floor(left / CHARACTERS_PER_TOKEN)
  const others = budget > 0 ? found.filter(({ memory }) => !known.has(memory.id)) : []
  return renderQuery(others, { now: new Date(), budget: Math.max(1, budget) })
}

const SEPARATOR = '\n\n'

function join(...blocks: readonly Rendered[]): string {
  return blocks.flatMap(({ text }) => (text === '' ? [] : [text.trimEnd()])).join(SEPARATOR)
}

function tokensIn(characters: number): number {
  return Math.max(1, Math.floor(characters / CHARACTERS_PER_TOKEN))
}
