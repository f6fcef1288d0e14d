import { isRecord } from '../../text/json.ts'
import { isEcho } from '../evidence.ts'
import { withoutMarkers } from '../markers.ts'
import { ENOUGH, type Keys, keysOf, wordsOf } from './keys.ts'

/** A memory that a session was shown, and when. `at` in milliseconds; `-Infinity`: before anything else. */
export interface ShownAt {
  id: string
  content: string
  service: string | null
  at: number
}

/** Something the session did: a tool's input, or a sentence in which it says what it does. */
interface Act {
  at: number
  /** Its keys that nothing had mentioned to the session before. */
  keys: Keys
  /** The words of a sentence, for detecting echoes. */
  said: string | null
}

/** More than a day's session contains. Beyond it nothing counts as new, because mentions are no longer tracked. */
const MOST_TOLD = 150_000
const MOST_ACTS = 5_000
/** Per text. Longer texts are dumps, and their unread part may have mentioned anything. */
const MOST_READ = 1 << 20

/** The assistant says what it does. */
const DOES =
  /\b(?:i'?ll|i will|i'?m (?:now )?(?:going to )?\w+ing|i am|let me|let's|i (?:now |then |have |just )*(?:use|used|ran|run|set|added|changed|switched|pointed|wrote|called|started|restarted|replaced|connected|waited|picked|put|pass|passed|exported|configured|deployed|moved|raised|lowered)|now (?:using|running|setting|connecting|switching|waiting))\b/i
/** States what is known, not what is done. */
const CITES =
  /\b(?:remember|recall|memor(?:y|ies)|noted?|known|according|as (?:stated|mentioned|listed|shown)|told|says|said|confirms?|would|could|should|might|if i|not going to|won't|will not|don't|instead of asking)\b/i
const SENTENCE = /(?<=[.!?:])\s+|\n+/
/** Before something that a memory warns of: doing that is not following it. */
const WARNS =
  /\b(?:never|not|no|don'?t|doesn'?t|can'?t|cannot|won'?t|avoid|without|instead of|rather than|no longer|was|were|used to|formerly|stop|stopped|until|unlike|refuses?|fails?|breaks?)\b[^.;,]*$/i

/** Fields of a tool's input that do not say what it does. */
const NOTES: ReadonlySet<string> = new Set(['description', 'old_string', 'timeout', 'todos', 'activeForm'])
/** Where agents write down what they know. */
const NOTEBOOK = /(?:^|\/)(?:MEMORY|CLAUDE|AGENTS|GEMINI|NOTES?)(?:\.local)?\.md$|\/memor(?:y|ies)\//i

/** What a session was told and did, as far as it shows which memories it used. */
export class Work {
  readonly #told = new Set<string>()
  /** The same, as it was read. */
  readonly #read = new Set<string>()
  readonly #acts: Act[] = []
  #isFull = false

  /** A prompt, an output, a file: its reader needs no memory for what it says. */
  told(text: string): void {
    if (text.length > MOST_READ || this.#told.size > MOST_TOLD) this.#isFull = true
    if (this.#isFull) return
    for (const word of wordsOf(text, this.#read)) this.#told.add(word)
  }

  did(tool: string, input: unknown, at: number): void {
    if (isOwnTool(tool, input)) return
    this.#act(stringsIn(input).join('\n'), at, null)
  }

  /** The assistant says something. Only sentences about its own actions count. */
  said(text: string, at: number): void {
    for (const sentence of withoutMarkers(text).split(SENTENCE)) {
      if (DOES.test(sentence) && !CITES.test(sentence)) this.#act(sentence, at, sentence)
    }
  }

  #act(text: string, at: number, said: string | null): void {
    if (this.#isFull || this.#acts.length >= MOST_ACTS || text.length > MOST_READ) return
    const keys: Keys = new Map([...keysOf(text)].filter(([key]) => !this.#told.has(key) && !this.#isPieced(key)))
    if (keys.size > 0) this.#acts.push({ at, keys, said })
  }

  /** A path that ends in a name mentioned before, such as a file in a listing, is not new. */
  #isPieced(key: string): boolean {
    const parts = key.split('/')
    return parts.length > 1 && this.#told.has(parts.at(-1)!)
  }

  /** The memories that the session acted on after it was shown them: its actions contain something that only that memory says. */
  uses(shown: readonly ShownAt[]): string[] {
    const owners = new Map<string, Set<string>>()
    for (const { id, content } of shown) {
      for (const key of keysOf(content).keys()) owners.set(key, (owners.get(key) ?? new Set()).add(id))
    }
    const first = new Map<string, number>()
    for (const { at, keys } of this.#acts) {
      for (const key of keys.keys()) first.set(key, Math.min(at, first.get(key) ?? Infinity))
    }
    // The earliest of several showings counts.
    const earliest = new Map<string, ShownAt>()
    for (const memory of shown) {
      const known = earliest.get(memory.id)
      if (known === undefined || memory.at < known.at) earliest.set(memory.id, memory)
    }
    return [...earliest.values()].filter((memory) => this.#isUsed(memory, owners, first)).map(({ id }) => id)
  }

  #isUsed(memory: ShownAt, owners: ReadonlyMap<string, Set<string>>, first: ReadonlyMap<string, number>): boolean {
    const own = [...advisedKeys(memory.content)].filter(
      ([key, weight]) => weight > 0 && owners.get(key)?.size === 1 && (first.get(key) ?? -Infinity) > memory.at,
    )
    if (own.length === 0) return false
    return this.#acts.some(({ at, keys, said }) => {
      if (at <= memory.at || (said !== null && isEcho(said, memory))) return false
      return own.reduce((sum, [key, weight]) => sum + (keys.has(key) ? weight : 0), 0) >= ENOUGH
    })
  }
}

/** The keys of what a memory advises or states, without those it warns of. */
function advisedKeys(content: string): Keys {
  const advised = keysOf(content)
  let at = 0
  for (const word of content.split(/(\s+)/)) {
    if (word.trim() !== '' && WARNS.test(content.slice(0, at))) {
      for (const key of keysOf(word).keys()) advised.delete(key)
    }
    at += word.length
  }
  return advised
}

/** Querying or recording memories does not use them. */
function isOwnTool(tool: string, input: unknown): boolean {
  if (/nokosu|memory/i.test(tool) || tool === 'TodoWrite') return true
  if (!isRecord(input)) return false
  const path = input.file_path ?? input.path
  if (typeof path === 'string' && NOTEBOOK.test(path)) return true
  return (
    typeof input.command === 'string' && /^\s*(?:npx\s+)?(?:nokosu|echo|printf|:|true)\b[^|>&;]*$/.test(input.command)
  )
}

const DEEPEST = 5

/** The strings in a tool's input that say what it does. */
function stringsIn(value: unknown, depth = 0): string[] {
  if (typeof value === 'string') return [value]
  if (typeof value === 'number') return [String(value)]
  if (depth > DEEPEST || typeof value !== 'object' || value === null) return []
  if (Array.isArray(value)) return value.flatMap((item) => stringsIn(item, depth + 1))
  return Object.entries(value).flatMap(([name, item]) => (NOTES.has(name) ? [] : stringsIn(item, depth + 1)))
}
