/** What a schema is made of: a function or a method of zod with its arguments, and what the method is called on. */
export interface Plan {
  name: string
  given: readonly unknown[]
  of: Plan | null
  /** Makes the real schema. */
  build: () => object
  built: object | null
  uses: number
  accepts: Accept | null
}

/** Returns the value as the schema would give it, or REFUSED. Throws where only zod can tell. */
type Accept = (value: unknown) => unknown
type Fields = Readonly<Record<string, unknown>>

export const REFUSED = Symbol('refused')
/** The plan behind each schema that is handed out. */
export const plans = new WeakMap<object, Plan>()

/** What the schema makes of a value that it takes. REFUSED if it does not, or may not: zod decides, and says why. */
export function accept(plan: Plan, value: unknown): unknown {
  try {
    return ofPlan(plan)(value)
  } catch {
    return REFUSED
  }
}

/** The fields of a schema of objects; null of any other. */
export function fieldsOf({ name, given, of }: Plan): Fields | null {
  const first = given[0] as Fields
  if (of === null) return OBJECTS.has(name) ? first : null
  const before = RESHAPING.has(name) ? fieldsOf(of) : null
  if (before === null) return null
  if (name === 'extend') return { ...before, ...first }
  const entries = Object.entries(before)
  if (name === 'omit') return Object.fromEntries(entries.filter(([key]) => first[key] !== true))
  if (name === 'pick') return Object.fromEntries(entries.filter(([key]) => first[key] === true))
  if (first !== undefined) return null
  return Object.fromEntries(entries.map(([key, schema]) => [key, (schema as { optional(): object }).optional()]))
}

const RESHAPING = new Set(['extend', 'omit', 'partial', 'pick'])
const OBJECTS = new Set(['looseObject', 'object', 'strictObject'])

const unsure: Accept = () => {
  throw new TypeError('only zod can tell')
}

function ofPlan(plan: Plan): Accept {
  plan.accepts ??= plan.of === null ? made(plan) : followed(plan, plan.of)
  return plan.accepts
}

function of(schema: unknown): Accept {
  const plan = plans.get(schema as object)
  return plan === undefined ? unsure : ofPlan(plan)
}

function when(isGood: (value: never) => unknown): Accept {
  return (value) => (settled(isGood(value as never)) ? value : REFUSED)
}

function then(first: Accept, second: Accept): Accept {
  return (value) => {
    const result = first(value)
    return result === REFUSED ? REFUSED : second(result)
  }
}

function settled(value: unknown): unknown {
  return value instanceof Promise ? unsure(value) : value
}

interface Context {
  value: unknown
  issues: unknown[]
}

/** A function of ours that changes a value, or reports what is wrong with it. */
function changed(change: (value: unknown, context: Context) => unknown): Accept {
  return (value) => {
    const context: Context = { value, issues: [] }
    const result = settled(change(value, context))
    return context.issues.length === 0 ? result : REFUSED
  }
}

function made({ name, given }: Plan): Accept {
  const [first, second] = given
  switch (name) {
    case 'string':
    case 'boolean':
      return when((value) => typeof value === name)
    case 'number':
      return when(Number.isFinite)
    case 'int':
      return when(Number.isSafeInteger)
    case 'null':
      return when((value) => value === null)
    case 'any':
    case 'unknown':
      return (value) => value
    case 'literal':
      return when((value) => value === first)
    case 'enum':
      return Array.isArray(first) ? when((value) => first.includes(value)) : unsure
    case 'instanceof':
      return when((value: unknown) => value instanceof (first as new () => object))
    case 'custom':
      return first === undefined ? (value) => value : when(first as () => unknown)
    case 'exactOptional':
      return of(first)
    case 'array':
      return listOf(of(first))
    case 'record':
      return plans.get(first as object)?.name === 'string' || leads(first, 'string')
        ? recordOf(of(first), of(second))
        : unsure
    case 'partialRecord':
      return recordOf(of(first), of(second))
    case 'union':
      return anyOf(first as unknown[])
    case 'discriminatedUnion':
      return anyOf(second as unknown[])
    case 'preprocess':
      return then(changed(first as () => unknown), of(second))
    default:
      return OBJECTS.has(name) ? objectOf(first as Fields, name) : unsure
  }
}

function followed(plan: Plan, before: Plan): Accept {
  const inner = ofPlan(before)
  const [first] = plan.given
  const limit = first as number
  switch (plan.name) {
    case 'exactOptional':
    case 'meta':
      return inner
    case 'optional':
      return absence(before) === 'replaced' ? inner : (value) => (value === undefined ? undefined : inner(value))
    case 'nullable':
      return (value) => (value === null ? null : inner(value))
    case 'default':
      return (value) => (value === undefined ? copied(first) : inner(value))
    case 'prefault':
      return (value) => inner(value === undefined ? copied(first) : value)
    case 'array':
      return listOf(inner)
    case 'or':
      return firstOf([inner, of(first)])
    case 'min':
      return then(
        inner,
        when((value) => size(value) >= limit),
      )
    case 'max':
      return then(
        inner,
        when((value) => size(value) <= limit),
      )
    case 'length':
      return then(
        inner,
        when((value) => size(value) === limit),
      )
    case 'int':
      return then(inner, when(Number.isSafeInteger))
    case 'positive':
      return then(
        inner,
        when((value: number) => value > 0),
      )
    case 'nonnegative':
      return then(
        inner,
        when((value: number) => value >= 0),
      )
    case 'regex': {
      const rule = new RegExp(first as RegExp)
      return rule.global || rule.sticky
        ? unsure
        : then(
            inner,
            when((value: string) => rule.test(value)),
          )
    }
    case 'refine':
      return then(inner, when(first as () => unknown))
    case 'check':
      return typeof first === 'function' && plan.given.length === 1
        ? then(
            inner,
            changed((_, context) => settled(first(context)) ?? context.value),
          )
        : unsure
    case 'transform':
      return then(inner, changed(first as () => unknown))
    default: {
      const fields = fieldsOf(plan)
      return fields === null ? unsure : objectOf(fields, root(plan).name)
    }
  }
}

function root(plan: Plan): Plan {
  return plan.of === null ? plan : root(plan.of)
}

/** Made by this function of zod, and only narrowed since. */
function leads(schema: unknown, name: string): boolean {
  const plan = plans.get(schema as object)
  return plan !== undefined && root(plan).name === name && absence(plan) === 'refused'
}

/** What becomes of a field that is not there. */
function absence({ name, given, of: before }: Plan): 'left out' | 'replaced' | 'refused' | 'unsure' {
  if (name === 'default' || name === 'prefault') return 'replaced'
  if (name === 'optional' || name === 'exactOptional') {
    const inner = before ?? plans.get(given[0] as object)
    return inner && absence(inner) === 'replaced' ? 'replaced' : 'left out'
  }
  if (before !== null) return NARROWING.has(name) ? absence(before) : 'unsure'
  return PLAIN.has(name) ? 'refused' : 'unsure'
}

const NARROWING = new Set(
  'check extend int length max meta min nonnegative nullable omit partial pick positive refine regex'.split(' '),
)
const PLAIN = new Set([...OBJECTS, ...'array boolean enum int literal null number record string'.split(' ')])

function size(value: unknown): number {
  return typeof value === 'number' ? value : (value as string | unknown[]).length
}

/** A default is not shared between the values that have it. */
function copied(value: unknown): unknown {
  if (typeof value === 'function') return value()
  if (Array.isArray(value)) return [...value]
  return isPlain(value) ? { ...value } : value
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype
}

function anyOf(schemas: readonly unknown[]): Accept {
  return firstOf(schemas.map(of))
}

function firstOf(all: readonly Accept[]): Accept {
  return (value) => {
    for (const each of all) {
      const result = each(value)
      if (result !== REFUSED) return result
    }
    return REFUSED
  }
}

function listOf(item: Accept): Accept {
  return (value) => {
    if (!Array.isArray(value)) return REFUSED
    const items = Array.from(value, item)
    return items.includes(REFUSED) ? REFUSED : items
  }
}

function recordOf(key: Accept, item: Accept): Accept {
  return (value) => {
    if (!isPlain(value) || Object.hasOwn(value, '__proto__')) return unsure(value)
    const entries = Object.entries(value).map(([name, each]) => [key(name), item(each)] as const)
    return entries.flat().includes(REFUSED) ? REFUSED : Object.fromEntries(entries)
  }
}

function objectOf(fields: Fields, kind: string): Accept {
  return (value) => {
    if (!isPlain(value) || Object.hasOwn(value, '__proto__')) return unsure(value)
    const result: Record<string, unknown> = {}
    for (const [name, schema] of Object.entries(fields)) {
      const isThere = name in value
      if (!isThere) {
        const rule = absence(plans.get(schema as object) as Plan)
        if (rule === 'left out') continue
        if (rule !== 'replaced') return rule === 'refused' ? REFUSED : unsure(value)
      }
      const field = of(schema)(value[name])
      if (field === REFUSED) return REFUSED
      if (field !== undefined || isThere) result[name] = field
    }
    const others = Object.keys(value).filter((name) => !Object.hasOwn(fields, name))
    if (others.length > 0 && kind === 'strictObject') return REFUSED
    if (kind === 'looseObject') for (const name of others) result[name] = value[name]
    return result
  }
}
