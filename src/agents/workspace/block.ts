/** HTML comments, because Claude Code takes them out of what it reads: the markers cost the agent nothing. */
const BEGIN = '<!-- nokosu:begin -->'
const END = '<!-- nokosu:end -->'

/** One pattern for us and for the filter that git runs, so that both see the same block. */
const PATTERN = `(^|\\n)${BEGIN}\\r?\\n[^]*?${END}(?:\\r?\\n|$)`

/**
 * File contents as one character a byte. Other people's files pass through here and must come out as they were, whatever
 * their encoding.
 */
export type Bytes = string

export function toBytes(text: string): Bytes {
  return Buffer.from(text, 'utf8').toString('latin1')
}

/** A managed block that goes before a file's own content. The text cannot end it early. */
export function makeBlock(text: string): Bytes {
  return toBytes(`${BEGIN}\n${text.replaceAll('<!-- nokosu:', '&lt;!-- nokosu:').trimEnd()}\n${END}\n`)
}

/** The block that a file begins with; null when it begins otherwise. */
export function leadingBlock(bytes: Bytes): Bytes | null {
  return bytes.startsWith(BEGIN) ? (new RegExp(PATTERN).exec(bytes)?.[0] ?? null) : null
}

/** The file without our block, exactly; also when the agent wrote before, behind or into it. */
export function removeBlock(bytes: Bytes, block: Bytes): Bytes {
  if (bytes.startsWith(block)) return bytes.slice(block.length)
  const rest = bytes.replace(new RegExp(PATTERN), '$1')
  const markers = (text: Bytes) => text.split(BEGIN).length + text.split(END).length
  // One marker is gone: what is left of the block can only be told by its lines.
  return rest === bytes && markers(bytes) % 2 === 1 ? subtractLines(bytes, block) : rest
}

/** What is in the file besides the lines that we wrote. */
export function subtractLines(bytes: Bytes, ours: Bytes): Bytes {
  if (bytes.startsWith(ours)) return bytes.slice(ours.length)
  const written = new Map<string, number>()
  for (const line of ours.split(/\r?\n/)) written.set(line, (written.get(line) ?? 0) + 1)
  const kept = bytes.split(/(?<=\n)/).filter((line) => {
    const bare = line.replace(/\r?\n$/, '')
    const left = written.get(bare) ?? 0
    if (left > 0) written.set(bare, left - 1)
    return left === 0
  })
  return kept.join('').replace(/^(?:\r?\n)+/, '')
}

/** The shell command by which git takes the block out of what is about to be committed: bytes in, bytes out. */
export function cleanCommand(): string {
  const script = `const b=require("fs").readFileSync(0).toString("latin1").replace(new RegExp(${JSON.stringify(PATTERN)}),"$1");process.stdout.write(Buffer.from(b,"latin1"))`
  return `NODE_OPTIONS= ${quote(process.execPath)} -e ${quote(script)}`
}

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
