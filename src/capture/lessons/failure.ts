import { commandParts, type Part } from './command-parts.ts'

export interface Facts {
  failures: number
  looked: number
  error: string
  output: string
  isSameCommand: boolean
  goal: Part
  success: Part
  /** Files and commands changed between failure and success. */
  changed: readonly string[]
  /** Files the agent changed before the failure, and between failure and success. */
  earlier: readonly string[]
  files: readonly string[]
  /** The output of every attempt. */
  outputs: readonly string[]
  /** What ran before the failure, and the line that failed. */
  begun: readonly string[]
}

const NETWORK =
  /ECONNRESET|ETIMEDOUT|OpenTimeout|connection refused by proxy|EAI_AGAIN|ENETUNREACH|TLS handshake|(?:connection|read|handshake) (?:reset|timed out|timeout)|reset by peer|temporar(?:y|ily)|could not resolve|name resolution|\b50[234]\b|too many requests|\b429\b|rate limit|i\/o timeout|unexpected EOF|early EOF|hung up|try again later|network is unreachable|remote end/i

/** Starts something slow. A failure right after it means "not up yet", not a network problem. */
const STARTS = /\b(?:restart|start|deploy|up|rollout|reboot|reload|recreate|redeploy)\b/i

/** Network errors that go away by themselves. */
export function isFlaky({ output, isSameCommand, files, begun, failures, changed }: Facts): boolean {
  if (!NETWORK.test(output) || files.length > 0) return false
  // Another way to the same result after a single failure proves nothing: the network may have recovered.
  if (!isSameCommand) return failures === 1 && changed.length === 0
  return !begun.some((command) => STARTS.test(command))
}

const MISSPELT =
  /did you mean|cannot load such file|command not found|unknown (?:command|option|flag|argument)|no such (?:file|option|command)|unrecognized|not found|doesn't have a resource|does not exist|invalid choice|no matching|cannot find|could not find|did not (?:find|match)|no (?:rule|tests?)\b/i
const OWN_CODE =
  /ReferenceError|SyntaxError|TypeError|NameError|IndentationError|AttributeError|assert|expect\(received\)|expected .* (?:received|got|to)|left: .* right:|error TS\d+|is not defined|undefined (?:variable|method|local|function)|CompileError|code style|clippy|dereferenced|is not a function|cannot find symbol|undeclared|unresolved import|E0\d{3}|parse error|unexpected token|lint|FAILED|✗|undefined:/i

/** What these need is the same everywhere. */
const EVERYDAY = /^(?:cp|mv|rm|ln|mkdir|rmdir|touch|chmod|chown|kill|pkill|tar|unzip|cat|test)$/
/** Everyone meets these in every repository. */
const EVERYDAY_GIT =
  /conflict|non-fast-forward|fetch first|nothing to commit|would be overwritten|no upstream branch|unstaged changes|uncommitted|already exists|not mergeable|cannot be cleanly|modified by this hook|reformatted|patch failed/i
/** From a service: the requested thing does not exist. Creating it teaches nothing. */
const ABSENT = /not ?found|no such|does not exist|no \w[\w -]* (?:found|reported)/i

/** A typo corrected, or the agent's own edit fixed. */
export function isOwnSlip(facts: Facts): boolean {
  const { failures, looked, output, outputs, goal, success, isSameCommand, files, earlier, changed } = facts
  if (failures === 1 && /did you mean|most similar command|similar name/i.test(output)) return true
  if (EVERYDAY.test(goal.words[0]!)) return true
  if (/^(?:git|gh)$/.test(goal.words[0]!) && EVERYDAY_GIT.test(output)) return true
  if (goal.words[0] === 'curl' ? changed.some((each) => /&\s*$/.test(each)) : isAsking(goal) && ABSENT.test(output))
    return true
  if (LINTS.test(goal.text) && files.length > 0 && !files.some((file) => CONFIGURES.test(file))) return true
  if (!isSameCommand)
    return (
      failures === 1 && (differsByTypo(goal, success, MISSPELT.test(output)) || isMisnamed(facts) || isOtherLook(facts))
    )
  // The agent's own code is made to run, or formatted by a tool.
  const isOwnFile = (text: string) => earlier.some((file) => text.includes(baseOf(file)))
  if (failures === 1 && changed.length > 0 && changed.every((each) => FORMATS.test(each) || isOwnFile(each))) {
    if (files.length === 0 || looked === 0) return true
  }
  if (files.length === 0) return false
  const isOwn = outputs.every((text) => OWN_CODE.test(text))
  const mended = files.every((file) => earlier.includes(file))
  if (mended && changed.length === files.length && (isOwn || (failures === 1 && looked === 0))) return true
  return failures === 1 && isOwn && (looked === 0 || isOwnFile(goal.text))
}

function isAsking({ looks, words }: Part): boolean {
  return looks || words[0] === 'gh'
}

/** Checks code: if the code was changed, the code was at fault. */
const LINTS =
  /lint|\b(?:ruff|flake8|rubocop|credo|clippy|vet|prettier|black|ktfmt|phpcs|phpstan|stylelint|biome)\b|--check\b/
const CONFIGURES = /\.(?:json|ya?ml|toml|ini|cfg|conf)$|rc(?:\.\w+)?$|\.config\.\w+$/

/** Formats code without changing what it does. */
const FORMATS = /--fix\b|--write\b|\bfmt\b|\bformat\b|\b(?:gofmt|black|prettier|rustfmt)\b/

function baseOf(path: string): string {
  return path.split('/').at(-1)!
}

/** A name unknown to the tool, replaced by another: that is exploration, and the listing tells the next agent too. */
function isMisnamed({ goal, success, output, changed }: Facts): boolean {
  // Asking the same program what exists changes nothing relevant.
  const asks = (each: string) => commandParts(each).every(({ words }) => words[0] === goal.words[0])
  if (!MISSPELT.test(output) || !changed.every(asks)) return false
  const only = goal.words.filter((word) => !success.words.includes(word))
  const added = success.words.filter((word) => !goal.words.includes(word))
  if (only.length !== 1 || added.length !== 1) return false
  const name = only[0]!.replace(/^['"]|['"]$/g, '')
  const named = name
    .split(/[\s/=:]+/)
    .filter((part) => part.length > 2)
    .at(-1)
  return !/^-|\d\.\d/.test(name) && named !== undefined && output.includes(named)
}

/** Options that show more, or retry. */
const SEES = /^--?(?:v+|s|x|verbose|debug|trace|headed|ui|watch|bail|count|repeat\S*|retries|no-?cov\S*)(?:=\S*)?$|^on$/

/** The same again, more verbose or of another part: it no longer failed, and nothing says why. */
function isOtherLook({ goal, success, changed }: Facts): boolean {
  if (changed.length > 0 || goal.env.join() !== success.env.join()) return false
  const plain = (words: readonly string[]) => words.map((word) => word.replace(/(?::\d+)+$/, ''))
  const [before, after] = [plain(goal.words), plain(success.words)]
  const gone = before.filter((word) => !after.includes(word))
  const added = after.filter((word) => !before.includes(word))
  return added.every((word) => SEES.test(word)) && gone.every((word) => !word.startsWith('-'))
}

/** Whether only spelling was corrected. If the output does not say so, a one-letter difference counts, but never a number. */
function differsByTypo(a: Part, b: Part, isSaid: boolean): boolean {
  const only = a.words.filter((word) => !b.words.includes(word))
  const added = b.words.filter((word) => !a.words.includes(word))
  const limit = (word: string) => (isSaid ? Math.max(2, word.length / 6) : 2)
  return (
    only.length > 0 &&
    only.length === added.length &&
    only.every((word) => added.some((other) => isSpelling(word, other) && distance(word, other) <= limit(word)))
  )
}

/** Versions, counts and switches also differ by a letter, and those are worth learning. */
function isSpelling(a: string, b: string): boolean {
  return !/^-.{0,3}$|^v?\d|\d\.\d/.test(a) && a.replace(/\D/g, '') === b.replace(/\D/g, '')
}

/** Edit distance between two words; swapping neighbours counts as one. */
function distance(a: string, b: string): number {
  if (Math.abs(a.length - b.length) > 3) return 4
  const rows = Array.from({ length: a.length + 1 }, (_, i) => [i, ...Array<number>(b.length).fill(0)])
  for (let j = 0; j <= b.length; j++) rows[0]![j] = j
  for (let i = 1; i <= a.length; i++) {
    for (let j = 1; j <= b.length; j++) {
      const same = a[i - 1] === b[j - 1] ? 0 : 1
      let best = Math.min(rows[i - 1]![j]! + 1, rows[i]![j - 1]! + 1, rows[i - 1]![j - 1]! + same)
      if (i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1])
        best = Math.min(best, rows[i - 2]![j - 2]! + 1)
      rows[i]![j] = best
    }
  }
  return rows[a.length]![b.length]!
}

const TELLING =
  /error|fail|fatal|exception|denied|refused|not found|cannot|can't|unable|invalid|missing|panic|timed? ?out|exit code|killed|unknown|does not|no such/i

/** The line of an output that names the failure, without parts that change between runs. */
export function signatureOf(output: string): string {
  const lines = output
    .split('\n')
    .map((line) => line.trim())
    .filter((line) => line !== '' && !/^exit code \d+$/i.test(line))
  const telling = lines.filter((text) => TELLING.test(text))
  // A line such as `FAIL test/a.test.ts` or `9 failed` says that something failed; another line says what.
  const line =
    telling.find((text) => !/^(?:\W*FAIL\b|\d+ failed|exit code)/i.test(text)) ?? telling[0] ?? lines.at(-1) ?? ''
  return line
    .replace(/\b\d{4}-\d\d-\d\d[T ]\d\d:\d\d:\d\d\S*|\b\d\d:\d\d:\d\d\b/g, '')
    .replace(/\b(?=[0-9a-f]*\d)[0-9a-f]{10,}\b/gi, '…')
    .replace(/^\W*(?:(?:error|fatal|warn(?:ing)?)\b[:\s]*)+/i, '')
    .replace(/\s+/g, ' ')
    .trim()
    .slice(0, 400)
}
