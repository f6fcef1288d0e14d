import type { z } from 'zod'
import { MemoryError } from './errors.ts'
import { LAYERS } from './layer.ts'
import { nearest } from './suggest.ts'

/**
 * Parses untrusted input with a schema. The first problem becomes a MemoryError that names the field. A schema sets its
 * error code with `params: { code }` (see `schema.ts`); the default is INVALID_INPUT.
 */
export function parseInput<Schema extends z.ZodType>(
  schema: Schema,
  input: unknown,
  operation: string,
): z.output<Schema> {
  const result = schema.safeParse(input)
  if (result.success) return result.data
  throw toMemoryError(result.error.issues, operation, schema, input)
}

/** The correct form of each call, shown when it was called differently. */
const USAGE: Record<string, string> = {
  add: "a text or an object: add('Caddy needs WireGuard') or add({ content: 'Caddy needs WireGuard' })",
  search: "a query: search('caddy restart') or search({ query: 'caddy restart' })",
  list: "an object, or nothing: list() or list({ category: 'timing' })",
  context: "an object, or nothing: context() or context({ format: 'operational' })",
  update: "an id and what to change: update(id, { content: 'Caddy needs WireGuard' })",
  capture: "the output and its format: capture(output, { format: 'text' })",
  record: "an event: record({ type: 'hint', projectId: 'shop', summary: 'Prices are in cents' })",
  as: "identifiers: as({ projectId: 'shop' })",
  bulkAdd: "a list: bulkAdd(['Caddy needs WireGuard', { content: 'Prices are in cents' }])",
  get: "an id: get('01K3EXAMPLE')",
  delete: "an id: delete('01K3EXAMPLE')",
  history: "an id: history('01K3EXAMPLE')",
  review: "an id and a decision: review('01K3EXAMPLE', 'accept')",
  recall: "an object with a moment: recall({ moment: { kind: 'prompt', text: 'restart caddy' } })",
  bulkDelete: "a list of ids: bulkDelete(['01K3EXAMPLE'])",
  undo: "an id: undo('01K3EXAMPLE')",
  decisions: "an id: decisions('01K3EXAMPLE')",
  retract: "an id and the reason: retract('01K3EXAMPLE', { why: 'It was read from the wrong host' })",
  settle: "two ids and how they relate: settle(['01K3EXAMPLE', '01K3ANOTHER'], 'both-true')",
  usefulness: "a list of ids: usefulness(['01K3EXAMPLE'])",
  restore: "an id: restore('01K3EXAMPLE')",
  findIds: "the beginning or end of an id: findIds('01K3EX')",
  tally: "the day to count from: tally({ since: '2026-01-31' })",
  beginSession: "an object with an id: beginSession({ id: 's1' })",
  endSession: "an id, and how it ended: endSession('s1', { exitCode: 0 })",
  session: "an id: session('s1')",
  recordShowing:
    "a session and what it was shown: recordShowing({ session: 's1', format: 'mine', entries: [{ memory: '01K3EXAMPLE', position: 0, tokens: 12 }] })",
  injections: "a session or a memory: injections({ session: 's1' })",
  asOf: "ids with times: asOf({ points: [{ id: '01K3EXAMPLE', at: '2026-01-31T12:00:00Z' }] })",
  prune: "a scope: prune({ layer: 'task', identifiers: { taskId: 'T7' } })",
  runs: 'an object, or nothing: runs() or runs({ limit: 10 })',
  sessions: 'an object, or nothing: sessions() or sessions({ limit: 10 })',
  events: 'an object, or nothing: events() or events({ limit: 10 })',
  deleted: 'an object, or nothing: deleted() or deleted({ limit: 10 })',
  fleet: "an object, or nothing: fleet() or fleet({ since: '2026-01-31' })",
  standings: "an object, or nothing: standings() or standings({ ids: ['01K3EXAMPLE'] })",
  generateEmbedding: "a text: generateEmbedding('Caddy needs WireGuard')",
  remember: "a text, an object or a list of them, and options: remember('Caddy needs WireGuard', { session: 's1' })",
}

/** Refuses options that are not an object: they would be ignored, or fail halfway. */
export function requireOptions(operation: string, values: readonly unknown[]): void {
  const wrong = values.slice(1).find((value) => value === null || Array.isArray(value) || isSimple(value))
  if (wrong === undefined) return
  const usage =
    USAGE[operation] === undefined ? '' : ` ${operation}() takes ${USAGE[operation]}, and options as an object.`
  throw new MemoryError('INVALID_INPUT', `Invalid ${operation} options: they must be an object.${usage}`, {
    operation,
    details: { field: 'options' },
  })
}

function isSimple(value: unknown): boolean {
  return typeof value === 'number' || typeof value === 'boolean'
}

interface Inner {
  _zod?: { def?: Record<string, unknown>; values?: ReadonlySet<unknown> }
}

/** The field names a schema accepts at a path; of a union by type, those of the type that is given. */
function knownFields(schema: unknown, path: readonly PropertyKey[], input: unknown): string[] {
  const { def } = (schema as Inner | undefined)?._zod ?? {}
  if (def === undefined) return []
  const [next, ...rest] = path
  const below = (inner: unknown) => knownFields(inner, rest, fieldOf(input, next!))
  if (def.type === 'object') {
    const shape = def.shape as Record<PropertyKey, unknown>
    return next === undefined ? Object.keys(shape) : below(shape[next])
  }
  if (def.type === 'array') return next === undefined ? [] : below(def.element)
  const inner = [def.innerType, def.in, def.out, ...optionsOf(def, input)]
  return inner.flatMap((each) => (each === undefined ? [] : knownFields(each, path, input)))
}

function optionsOf({ options = [], discriminator }: Record<string, unknown>, input: unknown): unknown[] {
  const all = options as Inner[]
  if (typeof discriminator !== 'string') return all
  const given = fieldOf(input, discriminator)
  return all.filter((option) => {
    const { shape } = option._zod?.def ?? {}
    return (fieldOf(shape, discriminator) as Inner | undefined)?._zod?.values?.has(given)
  })
}

function fieldOf(value: unknown, name: PropertyKey): unknown {
  return (value as Record<PropertyKey, unknown> | null | undefined)?.[name]
}

function toMemoryError(
  issues: readonly z.core.$ZodIssue[],
  operation: string,
  schema: z.ZodType,
  input: unknown,
): MemoryError {
  const issue = deepest(issues[0]!)
  const isUnknown = issue.code === 'unrecognized_keys'
  const field = fieldName(isUnknown ? [...issue.path, issue.keys[0]!] : issue.path)
  const params = issue.code === 'custom' ? (issue.params ?? {}) : {}
  const { code = isLayerProblem(issue) ? 'INVALID_LAYER' : 'INVALID_INPUT', ...facts } = params as {
    code?: MemoryError['code']
  }
  const message = isUnknown ? `unknown field ${issue.keys.join(', ')}` : plainIssue(issue.message)
  const meant = nearestOf(issue, schema, input)
  const known = isUnknown && meant === null ? [...new Set(knownFields(schema, issue.path, input))] : []
  const fields = known.length === 0 ? '.' : `; its fields are ${known.join(', ')}.`
  const hint = meant === null ? fields : `; did you mean ${meant}?`
  const what = fieldName(issue.path) || `${operation} input`
  const usage = USAGE[operation] === undefined ? null : `${operation}() takes ${USAGE[operation]}.`
  // The call itself has the wrong form: an argument is missing or has the wrong type.
  const isShape =
    (issue.code === 'invalid_type' || issue.code === 'invalid_union') &&
    (issue.path.length <= 1 || (issue.path.length === 2 && typeof issue.path[1] === 'number')) &&
    (message === 'it is missing' ||
      ['', 'id'].includes(field) ||
      (issue.code === 'invalid_type' && ['object', 'array'].includes(issue.expected)))
  const example = isShape && usage !== null ? ` ${usage}` : ''
  const text = isShape && field === '' && usage !== null ? usage : `Invalid ${what}: ${message}${hint}${example}`
  return new MemoryError(code, printable(text), { operation, details: { field, ...facts } })
}

/** The valid field name or value that an unknown one most likely stands for. */
function nearestOf(issue: z.core.$ZodIssue, schema: z.ZodType, input: unknown): string | null {
  if (issue.code === 'unrecognized_keys') return nearest(issue.keys[0]!, knownFields(schema, issue.path, input))
  if (issue.code !== 'invalid_value') return null
  const given = issue.path.reduce<unknown>(fieldOf, input)
  const texts = issue.values.filter((value) => typeof value === 'string')
  return typeof given === 'string' ? nearest(given, texts) : null
}

function isLayerProblem(issue: z.core.$ZodIssue): boolean {
  return issue.code === 'invalid_value' && LAYERS.every((layer, i) => issue.values[i] === layer)
}

/** In a union, the branch that got furthest has the most useful message. */
function deepest(issue: z.core.$ZodIssue): z.core.$ZodIssue {
  if (issue.code !== 'invalid_union') return issue
  const nested = issue.errors.flat().sort((a, b) => b.path.length - a.path.length)[0]
  return nested && nested.path.length > 0 ? deepest({ ...nested, path: [...issue.path, ...nested.path] }) : issue
}

function fieldName(path: readonly PropertyKey[]): string {
  return path
    .map((part, i) => (typeof part === 'number' ? `[${part}]` : i === 0 ? String(part) : `.${String(part)}`))
    .join('')
}

/** A validation message in plain words: zod calls missing values "undefined". */
export function plainIssue(message: string): string {
  if (/^Invalid input: expected .*, received undefined$/.test(message)) return 'it is missing'
  return message.charAt(0).toLowerCase() + message.slice(1)
}

/** Messages quote names and words from the input and end up in terminals and logs. */
function printable(text: string): string {
  const short = text.length > 500 ? `${text.slice(0, 499)}…` : text
  return short.toWellFormed().replace(/[\u0000-\u001F\u007F-\u009F]/g, (character) => {
    return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
  })
}
