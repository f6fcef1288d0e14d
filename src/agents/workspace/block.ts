import { createHash, randomBytes } from 'node:crypto'

/** HTML comments, because Claude Code takes them out of what it reads: the markers cost the agent nothing. */
const BEGIN = '<!-- nokosu:begin -->'
/**
 * The end marker says which injection a block is of (the first half), and by a digest whether it is still whole (the second). So a
 * block of ours is told from text about blocks, from one that was edited, and from a copy that somebody made of an earlier one.
 */
const END = '<!-- nokosu:end ([0-9a-f]{16}) -->'
const NONCE_LENGTH = 8

/** Blocks by their end marker. One never holds the beginning of another. */
function blockPattern(end: string): string {
  return `(?<=^|\\n)${BEGIN}[ \\t]*\\r?\\n((?:(?!(?:^|\\n)${BEGIN})[^])*?)\\n?${end}[ \\t]*(?:\\r?\\n|$)`
}

/** What tells one injection from all others. */
export function newNonce(): string {
  return randomBytes(NONCE_LENGTH / 2).toString('hex')
}

/**
 * File contents as one character a byte. Other people's files pass through here and must come out as they were, whatever
 * their encoding.
 */
export type Bytes = string

/** A managed block that goes before a file's own content. The text cannot end it early. */
export function makeBlock(text: string, nonce = newNonce()): Bytes {
  const safe = text.replaceAll('<!-- nokosu:', '&lt;!-- nokosu:').trimEnd()
  const inner = Buffer.from(safe, 'utf8').toString('latin1')
  return `${BEGIN}\n${inner}\n<!-- nokosu:end ${markOf(nonce, inner)} -->\n`
}

function markOf(nonce: string, inner: Bytes): string {
  return nonce + sha(nonce + inner).slice(0, 16 - NONCE_LENGTH)
}

export function nonceOf(block: Bytes): string {
  return new RegExp(END).exec(block)![1]!.slice(0, NONCE_LENGTH)
}

/** What blocks are known by: their injections, and the lines that we wrote, as digests. */
export interface Ours {
  nonces: string[]
  lines: string[]
}

export function oursOf(blocks: readonly Bytes[]): Ours {
  const lines = blocks.flatMap((block) => block.split('\n').slice(1, -2)).map((line) => bare(line))
  return {
    nonces: [...new Set(blocks.map(nonceOf))],
    lines: [...new Set(lines.filter((line) => line !== '').map((line) => sha(line).slice(0, 8)))],
  }
}

/** A file without the blocks of these injections, and whether a part of one is left. */
export function withoutBlocksOf(bytes: Bytes, ours: Ours): { rest: Bytes; isPart: boolean } {
  return strip(bytes, ours, blockPattern(endOf(ours)), bare, sha)
}

/** With these alone: text about blocks, and copies of earlier ones, are the user's. */
function endOf({ nonces }: Ours): string {
  return `<!-- nokosu:end ((?:${nonces.join('|')})[0-9a-f]{8}) -->`
}

function sha(bytes: Bytes): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex')
}

/**
 * Git runs it too, from its source: it uses nothing but what it is given. A whole block goes. Out of any other with the mark of these
 * injections go our lines alone, so that git sees what somebody wrote into it.
 */
function strip(
  bytes: Bytes,
  { nonces, lines }: Ours,
  pattern: string,
  toBare: (line: string) => string,
  digest: (bytes: Bytes) => string,
): { rest: Bytes; isPart: boolean } {
  const isOurs = (line: string) => line.trim() === '' || lines.includes(digest(toBare(line)).slice(0, 8))
  const rest = bytes.replace(new RegExp(pattern, 'g'), (found: string, inner: string, mark: string) => {
    const nonce = nonces.find((each) => mark.startsWith(each)) ?? ''
    if (nonce + digest(nonce + inner).slice(0, mark.length - nonce.length) === mark) return ''
    if (lines.length === 0) return found
    const theirs = inner.split('\n').filter((line) => !isOurs(line))
    return theirs.map((line) => `${line}\n`).join('')
  })
  // A beginning without an end is what is left of ours when our lines follow.
  const begun = rest.split(/^<!-- nokosu:begin -->[ \t]*\r?$/m).slice(1)
  const isBegun = begun.some((text) => {
    const said = text.split('\n').filter((line) => /\w{3}/.test(line))
    return !/^<!-- nokosu:end/m.test(text) && said.slice(0, 5).some(isOurs)
  })
  return { rest, isPart: isBegun || nonces.some((nonce) => rest.includes(`<!-- nokosu:end ${nonce}`)) }
}

/** The first block of ours in a file that is still as we wrote it; null when there is none. */
export function wholeBlock(bytes: Bytes): Bytes | null {
  for (const [found, inner, digest] of bytes.matchAll(new RegExp(blockPattern(END), 'g'))) {
    if (markOf(digest!.slice(0, NONCE_LENGTH), inner!) === digest) return found
  }
  return null
}

/**
 * A file without what we wrote into it. `base` is what it had before. Where the block is whole its bytes are cut out. Where the
 * agent wrote into it, or broke a marker, the lines are told apart by their order: those that are still ours go, and all that
 * the user or the agent wrote stays.
 */
export function withoutBlock(bytes: Bytes, ours: Bytes, base: Bytes): Bytes {
  const at = bytes.indexOf(ours)
  if (at >= 0) return bytes.slice(0, at) + bytes.slice(at + ours.length)
  const [mine, own, present] = [ours, base, bytes].map(linesOf) as [string[], string[], string[]]
  const matched = align([...mine, ...own].map(bare), present.map(bare))
  const isOurs = present.map((_, position) => matched[position]! >= 0 && matched[position]! < mine.length)
  const drop = /^<!-- nokosu:(?:begin|end [0-9a-f]{16}) -->\s*$/m.test(bytes) ? isOurs : longRuns(present, isOurs)
  return present.filter((_, position) => !drop[position]).join('')
}

/** Without any marker a line or two may be the same by chance. */
function longRuns(lines: readonly string[], marked: readonly boolean[]): boolean[] {
  const kept = [...marked]
  for (let start = 0, at = 0; at <= lines.length; at++) {
    if (marked[at]) continue
    const said = lines.slice(start, at).filter((line) => line.trim() !== '').length
    if (said < 3) kept.fill(false, start, at)
    start = at + 1
  }
  return kept
}

function linesOf(bytes: Bytes): string[] {
  return bytes === '' ? [] : bytes.split(/(?<=\n)/)
}

/** Editors and formatters change line ends, spaces and the signs of lists. */
function bare(line: string): string {
  return line
    .replace(/^\s*[-*+]\s+/, '- ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** More than any CLAUDE.md takes. Beyond it only the beginning and the end that are the same are compared. */
const MOST_CELLS = 16_000_000

/**
 * For each line of `after` the line of `before` that it is, or -1: a longest common subsequence. Of several, the one that takes
 * the later lines of `before`: when in doubt a line is the user's.
 */
function align(before: readonly string[], after: readonly string[]): number[] {
  const matched: number[] = Array(after.length).fill(-1)
  let [n, m] = [before.length, after.length]
  while (n > 0 && m > 0 && before[n - 1] === after[m - 1]) matched[--m] = --n
  if (n * m > MOST_CELLS) return matched
  const width = m + 1
  const longest = new Uint32Array((n + 1) * width)
  for (let i = 1; i <= n; i++) {
    for (let j = 1; j <= m; j++) {
      longest[i * width + j] =
        before[i - 1] === after[j - 1]
          ? longest[(i - 1) * width + j - 1]! + 1
          : Math.max(longest[(i - 1) * width + j]!, longest[i * width + j - 1]!)
    }
  }
  while (n > 0 && m > 0) {
    if (before[n - 1] === after[m - 1]) matched[--m] = --n
    else if (longest[(n - 1) * width + m]! >= longest[n * width + m - 1]!) n--
    else m--
  }
  return matched
}

/**
 * The shell command by which git takes the blocks of these injections out of what is about to be committed: bytes in, bytes out. With
 * one marker left it fails, and git with it, rather than commit the rest. It finds a Node elsewhere when the repository was copied.
 */
export function cleanCommand(ours: Ours): string {
  const sha = '(b)=>require("crypto").createHash("sha256").update(b,"latin1").digest("hex")'
  const given = [JSON.stringify(ours), JSON.stringify(blockPattern(endOf(ours))), bare, sha]
  const script = `const{rest,isPart}=(${strip})(require("fs").readFileSync(0).toString("latin1"),${given.join(',')});if(isPart){console.error("nokosu: remove the rest of the nokosu block first");process.exit(1)}process.stdout.write(Buffer.from(rest,"latin1"))`
  return `n=${quote(process.execPath)}; [ -x "$n" ] || n=node; NODE_OPTIONS= "$n" -e ${quote(script)}`
}

export function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
