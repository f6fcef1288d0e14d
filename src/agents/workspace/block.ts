import { createHash, randomBytes } from 'node:crypto'

/** HTML comments, because Claude Code removes them from what it reads: the markers cost the agent no tokens. */
const BEGIN = '<!-- nokosu:begin -->'
/**
 * The end marker identifies the injection (first half) and holds a digest of the content (second half). So
 * our block can be told from text about blocks, from an edited block, and from a copy of an earlier one.
 */
const END = '<!-- nokosu:end ([0-9a-f]{16}) -->'
const NONCE_LENGTH = 8

/** Blocks by end marker. None can hold the beginning of another. */
function blockPattern(end: string): string {
  return `(?<=^|\\n)${BEGIN}[ \\t]*\\r?\\n((?:(?!(?:^|\\n)${BEGIN})[^])*?)\\n?${end}[ \\t]*(?:\\r?\\n|$)`
}

/** Identifies one injection. */
export function newNonce(): string {
  return randomBytes(NONCE_LENGTH / 2).toString('hex')
}

/**
 * File contents as one character per byte. Other people's files must come out exactly as they went in, whatever
 * their encoding.
 */
export type Bytes = string

/** A managed block placed before a file's own content. The text cannot end it early. */
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

/** Identifies our blocks: their injections, and digests of the lines we wrote. */
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

/** A file without these injections' blocks, and whether any part of one remains. */
export function withoutBlocksOf(bytes: Bytes, ours: Ours): { rest: Bytes; isPart: boolean } {
  return strip(bytes, ours, blockPattern(endOf(ours)), bare, sha)
}

/** Only these injections: text about blocks, and copies of earlier ones, belong to the user. */
function endOf({ nonces }: Ours): string {
  return `<!-- nokosu:end ((?:${nonces.join('|')})[0-9a-f]{8}) -->`
}

function sha(bytes: Bytes): string {
  return createHash('sha256').update(bytes, 'latin1').digest('hex')
}

/**
 * Git also runs this, from its source text, so it may only use its arguments. Removes whole blocks. From a block that was edited, it
 * removes only our own lines, so that git sees what was added.
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
  // A beginning without an end is a leftover of ours if our lines follow.
  const begun = rest.split(/^<!-- nokosu:begin -->[ \t]*\r?$/m).slice(1)
  const isBegun = begun.some((text) => {
    const said = text.split('\n').filter((line) => /\w{3}/.test(line))
    return !/^<!-- nokosu:end/m.test(text) && said.slice(0, 5).some(isOurs)
  })
  return { rest, isPart: isBegun || nonces.some((nonce) => rest.includes(`<!-- nokosu:end ${nonce}`)) }
}

/** Our first block in a file that is still as we wrote it; null if there is none. */
export function wholeBlock(bytes: Bytes): Bytes | null {
  for (const [found, inner, digest] of bytes.matchAll(new RegExp(blockPattern(END), 'g'))) {
    if (markOf(digest!.slice(0, NONCE_LENGTH), inner!) === digest) return found
  }
  return null
}

/**
 * A file without what we wrote into it. `base` is the content before. A whole block is cut out byte for byte. If the
 * agent wrote into it, or broke a marker, lines are matched by order: ours are removed, and everything
 * that the user or the agent wrote stays.
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

/** Without a marker, a line or two may match by chance. */
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

/** Editors and formatters change line ends, spaces and list marks. */
function bare(line: string): string {
  return line
    .replace(/^\s*[-*+]\s+/, '- ')
    .replace(/\s+/g, ' ')
    .trim()
}

/** Larger than any CLAUDE.md. Beyond this, only a common beginning and end are compared. */
const MOST_CELLS = 16_000_000

/**
 * For each line of `after` the index of the matching line of `before`, or -1: a longest common subsequence. Among several, the one that
 * uses later lines of `before`: in doubt, a line belongs to the user.
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
 * The shell command with which git removes these injections' blocks from what is about to be committed: bytes in, bytes out. If
 * a single marker remains, it fails, and git with it, rather than commit the rest. It looks for Node elsewhere if the repository was copied.
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
