import {
  createScanner,
  findNodeAtLocation,
  getNodeValue,
  type Node,
  type ParseError,
  parseTree,
  stripComments,
} from 'jsonc-parser'
import { MemoryError } from '../model/errors.ts'
import { isRecord } from '../text/json.ts'
import { type Entry, isSame, type Status } from './entry.ts'

/** Token kinds of jsonc-parser's scanner, which it exports as a const enum. */
const [COMMA, LINE_COMMENT, BLOCK_COMMENT, LINE_BREAK, SPACE] = [5, 12, 13, 14, 15] as const

/** Adds and removes entries of JSON with comments. Every other byte of the text stays the same. */
export function statusOf(text: string, entry: Entry): Status {
  const node = findNodeAtLocation(parse(text), [...entry.at])
  if (node === undefined) return 'missing'
  if (entry.mark === undefined) return isSame(getNodeValue(node), entry.value) ? 'same' : 'other'
  const own = ownItem(node, entry.mark)
  if (own === undefined) return 'missing'
  return isSame(getNodeValue(own), entry.value) ? 'same' : 'other'
}

export function put(text: string, { at, value, mark }: Entry): string {
  const root = parse(text)
  const depth = at.findIndex((_, i) => findNodeAtLocation(root, at.slice(0, i + 1)) === undefined)
  // If only the list item is missing, the list itself is the parent.
  const missing = depth < 0 ? [] : at.slice(depth)
  const parent = findNodeAtLocation(root, depth < 0 ? [...at] : at.slice(0, depth))!
  const inner = mark === undefined ? value : [value]
  const nested = missing.slice(1).reduceRight<unknown>((within, key) => ({ [key]: within }), inner)
  if (parent.type !== (missing.length === 0 ? 'array' : 'object')) {
    throw new MemoryError(
      'INVALID_INPUT',
      `${at.slice(0, depth).join('.')} is not ${missing.length === 0 ? 'a list' : 'an object'}.`,
    )
  }
  const whole = insert(text, parent, missing.length === 0 ? { value } : { key: missing[0]!, value: nested })
  if (isRead(getNodeValue(parse(whole)), at)) return whole
  throw new MemoryError('INVALID_INPUT', `${at[0]} appears more than once. Keep one of them.`)
}

/** Whether programs can see the keys: for a duplicate key, they read the last. */
function isRead(value: unknown, at: readonly string[]): boolean {
  return at.reduce<unknown>((found, name) => (isRecord(found) ? found[name] : undefined), value) !== undefined
}

/** A text without a value gets an empty object. */
export function withRoot(text: string): string {
  if (stripComments(text).trim() !== '') return text
  return `${text.trim() === '' || text.endsWith('\n') ? text.trimStart() : `${text}\n`}{}\n`
}

/** Removes the entry, and enclosing objects and lists that become empty, down to `keep` keys of its path. */
export function remove(text: string, { at, mark }: Entry, keep: number): string {
  const node = findNodeAtLocation(parse(text), [...at])
  const target = mark === undefined ? node?.parent : node === undefined ? undefined : ownItem(node, mark)
  let without = target === undefined ? text : cut(text, target)
  for (let length = mark === undefined ? at.length - 1 : at.length; length > keep; length--) {
    const around = findNodeAtLocation(parse(without), at.slice(0, length))
    if (around !== undefined && (around.children ?? []).length > 0) break
    if (around === undefined) continue
    without = cut(without, around.parent!)
  }
  return without
}

/** The top-level keys, and whether the text has comments. */
export function remainder(text: string): string[] {
  return (parse(text).children ?? []).map(({ children }) => String(children![0]!.value))
}

/** How many keys of the path exist. */
export function depthOf(text: string, at: readonly string[]): number {
  const root = parse(text)
  const missing = at.findIndex((_, i) => findNodeAtLocation(root, at.slice(0, i + 1)) === undefined)
  return missing < 0 ? at.length : missing
}

function ownItem(list: Node, mark: string): Node | undefined {
  return list.children?.find((item) => JSON.stringify(getNodeValue(item)).includes(mark))
}

function parse(text: string): Node {
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true })
  if (root?.type === 'object' && errors.length === 0) return root
  if (root !== undefined && errors.length === 0) throw new MemoryError('INVALID_INPUT', 'It is not a JSON object.')
  const line = text.slice(0, errors[0]?.offset ?? 0).split('\n').length
  throw new MemoryError('INVALID_INPUT', `It is not valid JSON (line ${line}).`)
}

function insert(text: string, parent: Node, child: { key?: string; value: unknown }): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const last = parent.children?.at(-1)
  const end = parent.offset + parent.length - 1
  const isOneLine = last !== undefined && !text.slice(last.offset + last.length, end).includes('\n')
  const unit = /^([ \t]+)\S/m.exec(text)?.[1] ?? '  '
  const outer = indentAt(text, parent.offset)
  const indent = last === undefined || isOneLine ? outer + unit : indentAt(text, parent.children![0]!.offset)
  const name = child.key === undefined ? '' : `${JSON.stringify(child.key)}: `
  if (isOneLine) {
    const at = last.offset + last.length
    const comma = findComma(text, at, end)
    const added = `${name}${JSON.stringify(child.value)}`
    return comma === null ? splice(text, at, `, ${added}`) : splice(text, comma + 1, ` ${added},`)
  }
  const added = `${eol}${indent}${name}${layOut(child.value, unit).replaceAll('\n', eol + indent)}`
  if (last === undefined) {
    const isBroken = text.slice(parent.offset, end).includes('\n')
    return isBroken
      ? splice(text, endOfLine(text, parent.offset + 1, end), added)
      : splice(text, parent.offset + 1, `${added}${eol}${outer}`)
  }
  const at = last.offset + last.length
  const comma = findComma(text, at, end)
  if (comma !== null) return splice(text, endOfLine(text, comma + 1, end), `${added},`)
  return splice(splice(text, endOfLine(text, at, end), added), at, ',')
}

/** Removes a property or an item with its lines, and the comma that is no longer needed. */
function cut(text: string, node: Node): string {
  const parent = node.parent!
  const siblings = parent.children!
  const closing = parent.offset + parent.length - 1
  const index = siblings.indexOf(node)
  const after = node.offset + node.length
  const comma = findComma(text, after, closing)
  const end = comma === null ? after : comma + 1
  const lineStart = text.lastIndexOf('\n', node.offset) + 1
  const ownsLine = /^[ \t]*$/.test(text.slice(lineStart, node.offset)) && lineStart > parent.offset
  const isFollowed = /^[ \t]*\r?\n/.test(text.slice(end))
  // From the preceding line break, so that the following line keeps its own.
  const start = ownsLine && isFollowed ? lineStart - (text[lineStart - 2] === '\r' ? 2 : 1) : node.offset
  let without = text.slice(0, start) + text.slice(end)
  if (siblings.length === 1 && /^\s*$/.test(without.slice(parent.offset + 1, closing - (end - start)))) {
    return without.slice(0, parent.offset + 1) + without.slice(closing - (end - start))
  }
  if (comma !== null || index === 0) return without
  const before = siblings[index - 1]!
  const spare = findComma(without, before.offset + before.length, closing - (end - start))
  if (spare !== null) without = without.slice(0, spare) + without.slice(spare + 1).replace(/^ +(?=[\]}])/, '')
  return without
}

function findComma(text: string, from: number, to: number): number | null {
  const scanner = createScanner(text.slice(0, to), false)
  scanner.setPosition(from)
  for (;;) {
    const kind = scanner.scan() as number
    if (kind === COMMA) return scanner.getTokenOffset()
    if (kind !== LINE_COMMENT && kind !== BLOCK_COMMENT && kind !== LINE_BREAK && kind !== SPACE) return null
  }
}

/** After a comment on the same line. */
function endOfLine(text: string, from: number, to: number): number {
  const scanner = createScanner(text.slice(0, to), false)
  scanner.setPosition(from)
  for (let at = from; ; at = scanner.getPosition()) {
    const kind = scanner.scan() as number
    if (kind !== LINE_COMMENT && kind !== BLOCK_COMMENT && kind !== SPACE) return at
  }
}

function indentAt(text: string, offset: number): string {
  return /^[ \t]*/.exec(text.slice(text.lastIndexOf('\n', offset - 1) + 1))![0]
}

/** Lists of words stay on one line. */
function layOut(value: unknown, unit: string): string {
  const text = JSON.stringify(value, null, unit)
  return text.replace(
    /\[\n\s+("[^\n]*"(?:,\n\s+"[^\n]*")*)\n\s+\]/g,
    (_, list: string) => `[${list.replace(/,\n\s+/g, ', ')}]`,
  )
}

function splice(text: string, at: number, added: string): string {
  return text.slice(0, at) + added + text.slice(at)
}
