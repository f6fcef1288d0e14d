import type { Memory } from '../../model/memory.ts'
import { memoryTokens, tokenize } from '../../text/tokens.ts'
import { isStopToken } from '../terms.ts'

/** A memory's words, for comparison with moments. */
export interface MemoryWords {
  all: ReadonlySet<string>
  /** Exact names: text in backticks or quotes, and codes, paths, flags and symbols. The memory guards these. */
  keys: ReadonlySet<string>
  /** Its service and first words: its subject. */
  head: ReadonlySet<string>
  service: readonly string[]
  /** Words that make it a rule: never, must, before, instead. */
  rules: number
}

const HEAD_WORDS = 9
const QUOTED = /`([^`]+)`|'([^']{2,40})'|"([^"]{2,40})"|\(([\w.-]{3,30})\)/g
const AROUND_WORD = /^[("'[]+|[)"'\],.;:!?]+$/g
/** Compound with signs, letters mixed with digits, camelCase, capitals, or a flag. */
const CODE = /[_/=@]|\w[.:]\w|^--?\w|\(\)|^\.\w|::|[a-z][A-Z]|^[A-Z]{3,}|\w-\w|^(?=.*\d)(?=.*[A-Za-z])/
const RULE =
  /\b(?:never|always|must|only|don't|do not|mustn't|unless|otherwise|instead|first|before|needs?|goes? through|forbidden|refused)\b/gi

/** Cache: the same memories are candidates again and again. */
const recent = new Map<string, MemoryWords>()
const MOST_RECENT = 12_000

export function memoryWords(memory: Pick<Memory, 'content' | 'service' | 'tags'>): MemoryWords {
  const { content, service, tags } = memory
  const key = service === null && tags.length === 0 ? content : [content, service ?? '', ...tags].join('\0')
  let known = recent.get(key)
  if (known === undefined) {
    known = {
      all: new Set(memoryTokens(memory)),
      keys: telling(keysIn(content)),
      head: telling([service ?? '', ...content.split(/\s+/, HEAD_WORDS)]),
      service: service === null ? [] : tokenize(service),
      rules: content.match(RULE)?.length ?? 0,
    }
    if (recent.size >= MOST_RECENT) recent.clear()
    recent.set(key, known)
  }
  return known
}

function keysIn(content: string): string[] {
  const quoted = [...content.matchAll(QUOTED)].map((match) => match.slice(1).find((group) => group !== undefined) ?? '')
  const codes = content.split(/\s+/).map((word) => word.replace(AROUND_WORD, ''))
  return [...quoted, ...codes.filter((word) => CODE.test(word))]
}

function telling(texts: readonly string[]): Set<string> {
  return new Set(texts.flatMap(tokenize).filter((token) => token.length > 1 && !isStopToken(token)))
}
