import { expect, it } from 'vitest'
import { z as zod } from 'zod'
import { deferredZod } from '../scripts/bundle/deferred-zod.ts'
import { schemas } from '../src/engine/schemas.ts'
import { z } from './deferred-zod.ts'

type Zod = typeof zod

/** One of each form that our modules use, and what they are built of. */
const FORMS: Record<string, (z: Zod) => zod.ZodType> = {
  text: (z) => z.string().min(2, 'short').max(4).regex(/^a/),
  'text of our own rule': (z) =>
    z.string().check(({ value, issues }) => {
      if (value === 'ab') issues.push({ code: 'custom', message: 'no', input: value })
    }),
  number: (z) => z.number().min(0).max(3),
  'whole number': (z) => z.int().min(1).nullable(),
  choice: (z) => z.enum(['ab', 'b']).default('b'),
  literal: (z) => z.literal(3).or(z.literal('ab')),
  list: (z) => z.array(z.string().min(1)).max(2),
  object: (z) =>
    z.strictObject({
      a: z.string(),
      b: z.int().optional(),
      c: z.exactOptional(z.boolean()),
      d: z.array(z.string()).default([]),
      e: z.strictObject({ x: z.number().default(3) }).prefault({}),
      f: z.string().nullable().optional(),
    }),
  'object that keeps less': (z) => z.object({ a: z.string(), b: z.unknown() }),
  'object that keeps more': (z) => z.looseObject({ a: z.string() }),
  extended: (z) => z.strictObject({ a: z.string() }).extend({ b: z.int().default(1) }),
  narrowed: (z) =>
    z
      .strictObject({ a: z.string(), b: z.int() })
      .pick({ a: true })
      .refine((value) => value.a !== 'ab', 'not ab'),
  partial: (z) => z.strictObject({ a: z.string(), b: z.int().default(2) }).partial(),
  record: (z) => z.record(z.string().max(1), z.union([z.int(), z.literal(false)])),
  'record of choices': (z) => z.record(z.enum(['a', 'b']), z.unknown()),
  'record of some choices': (z) => z.partialRecord(z.enum(['a', 'b']), z.unknown()),
  'union by type': (z) =>
    z.discriminatedUnion('a', [
      z.strictObject({ a: z.literal('ab') }),
      z.strictObject({ a: z.literal('b'), b: z.int() }),
    ]),
  changed: (z) =>
    z.preprocess(
      (value) => (value === 3 ? 'ab' : value),
      z.string().transform((value) => value.length),
    ),
  caught: (z) => z.int().catch(7),
  time: (z) => z.iso.datetime({ offset: true }),
  own: (z) => z.custom<string>((value) => typeof value === 'string', 'must be text'),
  instance: (z) => z.instanceof(Date),
}

const VALUES: unknown[] = [
  ...[undefined, null, '', 'a', 'ab', 'abc', 'abcde', 'b', 0, 1, 3, -1, 2.5, Number.NaN, Number.POSITIVE_INFINITY],
  ...[true, false, [], ['ab'], [''], ['a', 'b', 'c'], [undefined], new Date(0), '2026-01-31T12:00:00Z', 2 ** 60],
  ...[
    {},
    { a: 'a' },
    { a: 'ab' },
    { a: 'b', b: 1 },
    { a: 'a', b: undefined },
    { a: 'a', b: 'x' },
    { a: 'a', other: 1 },
  ],
  ...[{ a: 'a', c: undefined }, { a: 'a', c: true, d: ['x'], e: { x: 1 }, f: null }, { a: 'a', e: { y: 1 } }, { b: 1 }],
  ...[{ a: 1 }, { ab: 1 }, { a: false, b: 2 }, { a: undefined }, JSON.parse('{"a":"a","__proto__":{"b":1}}')],
  ...[
    Object.create({ a: 'a' }),
    new (class A {
      a = 'a'
    })(),
  ],
]

it.each(Object.entries(FORMS))(
  '%s: the same answers as zod, asked once or often, and with the same complaints',
  (_, form) => {
    const real = form(zod)
    for (const value of VALUES) {
      const expected = real.safeParse(value)
      const deferred = form(deferredZod(() => zod))
      const answer = () => {
        const { success, data, error } = deferred.safeParse(value)
        return { success, data, issues: error?.issues }
      }
      const same = { success: expected.success, data: expected.data, issues: expected.error?.issues }
      expect(answer(), JSON.stringify(value)).toEqual(same)
      for (let times = 0; times < 25; times++) answer()
      expect(answer(), JSON.stringify(value)).toEqual(same)
      if (expected.success && typeof value === 'object')
        expect(Object.keys(Object(form(deferredZod(() => zod)).parse(value)))).toEqual(
          Object.keys(Object(expected.data)),
        )
    }
  },
)

it('zod is not loaded for values that the schemas take', () => {
  const z = deferredZod(() => {
    throw new Error('zod was loaded')
  })
  const schema = z.strictObject({ a: z.string().min(1), b: z.int().default(3) }).extend({ c: z.boolean().optional() })
  expect(schema.parse({ a: 'x' })).toEqual({ a: 'x', b: 3 })
  expect(Object.keys(schema.shape)).toEqual(['a', 'b', 'c'])
  expect(() => schema.parse({ a: '' })).toThrow('zod was loaded')
})

it('a schema serves as a part of one that was built before, and describes itself', () => {
  const first = z.strictObject({ a: z.string().meta({ title: 'A' }) })
  expect(first.safeParse(1).success).toBe(false)
  const both = first.extend({ b: z.int().optional() })
  expect(z.toJSONSchema(both)).toEqual(
    zod.toJSONSchema(zod.strictObject({ a: zod.string().meta({ title: 'A' }), b: zod.int().optional() })),
  )
  expect(both instanceof zod.ZodObject).toBe(true)
  expect(zod.object({ both }).parse({ both: { a: 'x' } })).toEqual({ both: { a: 'x' } })
})

it('users of the published schemas see what zod would give them', () => {
  for (const { input } of Object.values(schemas))
    expect(zod.toJSONSchema(input, { io: 'input', unrepresentable: 'any' })).toHaveProperty('$schema')
})
