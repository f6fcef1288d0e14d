import { alike } from './wording.ts'

/** Frames of one kind: the names in a group mean the same or overlap; two groups exclude each other. */
const KINDS = [
  'production prod live | staging stage | development dev local locally | ci | qa | sandbox | preview',
  'linux ubuntu debian alpine | windows | macos mac | android | ios | chrome | firefox | safari',
  'arm arm64 | x86 amd64 intel',
  'monday mondays | tuesday tuesdays | wednesday wednesdays | thursday thursdays | friday fridays | saturday saturdays | sunday sundays',
  'weekdays weekday | weekends weekend',
  'night nights | day daytime',
  'january | february | march | april | may | june | july | august | september | october | november | december',
  'summer | winter',
].map(kindOf)

function kindOf(kind: string): ReadonlyMap<string, number> {
  return new Map(kind.split(' | ').flatMap((group, i) => group.split(' ').map((name) => [name, i])))
}

/** `On Linux the case counts`: the name follows one of these, or is the first word. */
const OPENS = /^(?:in|on|at|for|under|during)$/
const ARTICLE = /^(?:the|our|an?)$/
/** Things that have versions. A plain number after any other word may mean anything. */
const PRODUCT =
  /^(?:python|node|nodejs|java|jdk|ruby|rails|go|php|rust|perl|django|react|vue|angular|webpack|vite|jest|postgres|postgresql|mysql|mariadb|redis|mongodb|elasticsearch|kafka|kubernetes|docker|terraform|ansible|gradle|maven|spring|laravel|openssl|android|ios|macos|windows|ubuntu|debian|chrome|firefox|safari|xcode|electron|http|tls|ipv|usb|version|api|sdk|chart|release|npm|yarn|pnpm|typescript|eslint)$/
const VERSION = /^v?\d+(?:\.[\dx]+)*$/
/** Then the statement is about the version itself: `Java 17 is required`. */
const CHOSEN =
  /\b(?:need(?:s|ed)|required?|minimum|oldest|newest|latest|current(?:ly)?|default|installed|pinned|deployed|used?|using|run(?:s|ning)?|enough|only|supported|instead|still|now|longer|dropped|gone|moved|replaced)\b/
/** The statement also covers other cases than its opening. */
const GENERAL = /\b(?:only|other|others|everywhere|anywhere|always|both)\b/i

/**
 * Whether both texts open with an environment, a system, a time or a version, and these exclude each other: `On Linux
 * the case of a path counts` and `On Windows paths are compared without case`.
 */
export function areFramedApart(a: string, b: string): boolean {
  if (GENERAL.test(a) || GENERAL.test(b)) return false
  const [one, two] = [wordsOf(a), wordsOf(b)]
  return (
    KINDS.some((kind) => isOpenedApart(kind, one, two)) ||
    areVersionsApart(one, two) ||
    areSiblings(one, two) ||
    areStagesApart(one, two)
  )
}

function wordsOf(text: string): string[] {
  return text
    .toLowerCase()
    .split(/\s+/)
    .map((word) => word.replace(/[,;:.!?]+$/, ''))
}

function isOpenedApart(kind: ReadonlyMap<string, number>, one: readonly string[], two: readonly string[]): boolean {
  const [here, there] = [openingOf(kind, one), openingOf(kind, two)]
  if (here === null || there === null || here.group === there.group) return false
  const names = (words: readonly string[], group: number) => words.some((word) => kind.get(word) === group)
  return here.rest !== there.rest && !names(one, there.group) && !names(two, here.group)
}

function openingOf(kind: ReadonlyMap<string, number>, words: readonly string[]) {
  const opened = OPENS.test(words[0]!) ? 1 : 0
  const at = opened + (ARTICLE.test(words[opened] ?? '') ? 1 : 0)
  const group = kind.get(words[at] ?? '')
  return group === undefined ? null : { group, rest: words.slice(at + 1).join(' ') }
}

/** `With Python 3.8 ...` and `With Python 3.12 ...`, if the rest differs. */
function areVersionsApart(one: readonly string[], two: readonly string[]): boolean {
  const [here, there] = [versionOf(one), versionOf(two)]
  if (here === null || there === null || here.thing !== there.thing || here.rest === there.rest) return false
  const names = (words: readonly string[], { version }: { version: string }) =>
    words.some((word) => word.replace(/^v/, '') === version)
  return !names(one, there) && !names(two, here) && ![here, there].some(({ rest }) => CHOSEN.test(rest))
}

function versionOf(words: readonly string[]) {
  const from = /^(?:in|on|with|under|for|from)$/.test(words[0]!) ? 1 : 0
  const at = words.findIndex((word, i) => i >= from && i <= from + 2 && VERSION.test(word))
  if (at < 0 || !(words[at]!.startsWith('v') || PRODUCT.test(words[at - 1] ?? ''))) return null
  return {
    thing: words.slice(from, at).join(' '),
    version: words[at]!.replace(/^v/, ''),
    rest: words.slice(at + 1).join(' '),
  }
}

/** Adjectives that exclude each other: `The soft limit ...` and `The hard limit ...`. */
const SIBLINGS = [
  'cold | warm',
  'soft | hard',
  'small | large big',
  'first | second | third | fourth',
  'read | write | connect',
  'unit | integration',
  'min minimum | max maximum',
  'incoming inbound | outgoing outbound',
  'signed-in | anonymous',
].map(kindOf)

function areSiblings(one: readonly string[], two: readonly string[]): boolean {
  const [here, there] = [one, two].map((words) => words.slice(ARTICLE.test(words[0]!) ? 1 : 0))
  const [a, ...said] = here!
  const [b, ...other] = there!
  return (
    singular(said[0]) === singular(other[0]) &&
    said.slice(1).join(' ') !== other.slice(1).join(' ') &&
    SIBLINGS.some((kind) => {
      const [group, another] = [kind.get(a!), kind.get(b!)]
      return (
        group !== undefined && another !== undefined && group !== another && !said.includes(b!) && !other.includes(a!)
      )
    })
  )
}

function singular(word = ''): string {
  return word.replace(/s$/, '')
}

/** `Before the login ...` and `After the login ...`. Not `until`, which says when it changes. */
const STAGES = kindOf('before | while during | after once')
const FILLER = /^(?:the|our|an?|is|are|was|were|has|have|it)$/

function areStagesApart(one: readonly string[], two: readonly string[]): boolean {
  const [here, there] = [STAGES.get(one[0]!), STAGES.get(two[0]!)]
  if (here === undefined || there === undefined || here === there) return false
  const [event, other] = [one, two].map((words) => words.slice(1).find((word) => !FILLER.test(word)))
  return event !== undefined && event === other && !VERSION.test(event)
}

const POSSIBLE = /^.+? (?:can|may)(?: be)? /i
/** With a number or one of these, the sentence states a limit. */
const LIMITS =
  /\d|[,;:]|\b(?:no|not|never|only|just|without|instead|until|before|after|again|all|every|any|first|last|some|half)\b|n['’]t\b/i

/** Whether both state abilities that one thing can have together: `Logs can be filtered by level` and `Logs can be exported`. */
export function areBothPossible(a: string, b: string): boolean {
  if ([a, b].some((text) => LIMITS.test(alike(text).join(' ')) || LIMITS.test(text))) return false
  const [one, two] = [POSSIBLE.exec(a)?.[0], POSSIBLE.exec(b)?.[0]]
  return one !== undefined && one.toLowerCase() === two?.toLowerCase()
}
