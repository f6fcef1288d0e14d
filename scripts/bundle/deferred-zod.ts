import type { z } from 'zod'
import { accept, fieldsOf, type Plan, plans, REFUSED } from './accept.ts'

/** Functions of zod that make a schema. */
const MAKERS =
  'any array boolean custom discriminatedUnion enum exactOptional instanceof int literal looseObject null number object partialRecord preprocess record strictObject string tuple union unknown'
/** Methods that make a schema of a schema. */
const METHODS = new Set(
  'and array catch check default exactOptional extend int length max meta min nonempty nonnegative nullable omit optional or partial pick pipe positive prefault readonly refine regex required strict transform trim'.split(
    ' ',
  ),
)
/** A process that uses a schema this often is a server, or reads a long file: zod compiles what it builds. */
const OFTEN = 20

/** Where the options of a union are among its arguments. */
const OPTIONS: Readonly<Record<string, number>> = { union: 0, discriminatedUnion: 1 }

type Make = (...given: unknown[]) => object

/**
 * Zod whose schemas are built when they are needed. Building the hundreds that are declared takes longer than starting Node, and a command
 * uses few of them. A value that a schema takes is recognised without zod (`accept.ts`), so that most commands never load it. The bundle
 * has this in the place of zod, and so do the tests.
 */
export function deferredZod(load: () => typeof z): typeof z {
  const later =
    (name: string, make = () => Reflect.get(load(), name) as Make): Make =>
    (...given) =>
      defer(name, given, null, () => make()(...given.map(settled)))
  const own: Record<string, unknown> = { iso: { datetime: later('datetime', () => load().iso.datetime as Make) } }
  for (const name of MAKERS.split(' ')) own[name] = later(name)
  return new Proxy(own, {
    get: (_, name) => own[name as string] ?? fromZod(Reflect.get(load(), name), name as string),
  }) as typeof z
}

/** Functions such as `toJSONSchema` see the real schemas. */
function fromZod(value: unknown, name: string): unknown {
  if (typeof value !== 'function' || !/^[a-z]/.test(name)) return value
  return (...given: unknown[]) => value(...given.map(settled))
}

function defer(name: string, given: readonly unknown[], of: Plan | null, build: () => object): object {
  const plan: Plan = { name, given, of, build, built: null, uses: 0, accepts: null }
  const schema = new Proxy(plan, HANDLER)
  plans.set(schema, plan)
  return schema
}

const HANDLER: ProxyHandler<Plan> = {
  get(plan, name) {
    // Also of a built schema: what it is given may be deferred.
    if (METHODS.has(name as string)) return (...given: unknown[]) => follow(plan, name as string, given)
    if (name === 'options' && plan.name in OPTIONS) return plan.given[OPTIONS[plan.name]!]
    if (plan.built !== null) return Reflect.get(plan.built, name)
    if (name === 'safeParse' || name === 'parse') return (input: unknown) => parse(plan, name, input)
    return (name === 'shape' ? fieldsOf(plan) : null) ?? Reflect.get(real(plan), name)
  },
  has: (plan, name) => name in real(plan),
  set: (plan, name, value) => Reflect.set(real(plan), name, value),
  getPrototypeOf: (plan) => Reflect.getPrototypeOf(real(plan)),
  ownKeys: (plan) => Reflect.ownKeys(real(plan)),
  getOwnPropertyDescriptor(plan, name) {
    const found = Reflect.getOwnPropertyDescriptor(real(plan), name)
    return found && { ...found, configurable: true }
  },
}

function follow(plan: Plan, method: string, given: unknown[]): object {
  const call = () => (Reflect.get(real(plan), method) as Make)(...given.map(settled))
  // Without a value it reads.
  return method === 'meta' && given.length === 0 ? call() : defer(method, given, plan, call)
}

function parse(plan: Plan, method: 'safeParse' | 'parse', input: unknown): unknown {
  const data = plan.uses++ < OFTEN ? accept(plan, input) : REFUSED
  if (data !== REFUSED) return method === 'parse' ? data : { success: true, data }
  return (Reflect.get(real(plan), method) as Make)(input)
}

function real(plan: Plan): object {
  plan.built ??= plan.build()
  return plan.built
}

/** An argument in which every schema is a real one. */
function settled(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  const plan = plans.get(value)
  if (plan !== undefined) return real(plan)
  if (Array.isArray(value)) return value.map(settled)
  if (Object.getPrototypeOf(value) !== Object.prototype) return value
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, settled(item)]))
}
