import type { Nokosu } from '../../../engine/nokosu.ts'
import type { ErrorCode } from '../../../model/errors.ts'
import { LIMITS } from '../../../model/limits.ts'
import { ALL, sample } from '../samples.ts'
import {
  type BadValue,
  badBooleans,
  badCursors,
  badFilters,
  badIdentifiers,
  badLayers,
  badMetadata,
  badNumbers,
  badObjects,
  badTags,
  badTexts,
  badTimes,
  badWords,
} from './bad-values.ts'

export interface BadCall {
  /** Which field is wrong in which way. */
  title: string
  /** The field that `details.field` names; with `within`, or one below it. */
  field: string
  within?: boolean
  code: ErrorCode
  call(engine: Nokosu, existingId: string): Promise<unknown>
}

export interface BadOperation {
  operation: string
  calls: BadCall[]
}

/** Fields inside which a problem may be named more closely than by the field. */
const OPEN_FIELDS = new Set(['metadata', 'filter', 'vector'])

type Send = (engine: Nokosu, input: object, existingId: string) => Promise<unknown>

/** One call for each bad value of each field, all other fields being right. */
function fieldCalls(base: object, fields: Record<string, readonly BadValue[]>, send: Send, prefix = ''): BadCall[] {
  return Object.entries(fields).flatMap(([name, values]) =>
    values.map(({ label, value, code = 'INVALID_INPUT', at = '' }) => ({
      title: `${prefix}${name}: ${label}`,
      field: `${prefix}${name}${at}`,
      within: OPEN_FIELDS.has(name),
      code,
      call: (engine: Nokosu, existingId: string) => send(engine, { ...base, [name]: value }, existingId),
    })),
  )
}

/** Calls with one bad argument, named `field`. */
function argumentCalls(
  field: string,
  values: readonly BadValue[],
  send: (engine: Nokosu, value: never) => Promise<unknown>,
): BadCall[] {
  return values.map(({ label, value, code = 'INVALID_INPUT', at = '' }) => ({
    title: `${field}: ${label}`,
    field: `${field}${at}`,
    code,
    call: (engine) => send(engine, value as never),
  }))
}

function unknownFields(base: object, names: readonly string[], send: Send): BadCall[] {
  return names.map((name) => ({
    title: `unknown field ${name}`,
    field: name,
    code: 'INVALID_INPUT',
    call: (engine, existingId) =>
      send(engine, Object.defineProperty({ ...base }, name, { value: 'x', enumerable: true }), existingId),
  }))
}

const UNKNOWN: BadValue[] = [
  { label: 'no number', value: ['a'] },
  { label: 'NaN', value: [Number.NaN] },
]
const id = badTexts(128)

function contentFields(engineLimit: number) {
  return {
    content: badTexts(engineLimit, { tooLong: 'CONTENT_TOO_LONG' }),
    category: badWords,
    service: badTexts(LIMITS.service, { nullable: true }),
    tags: badTags,
    metadata: badMetadata,
    anchor: badTexts(LIMITS.anchor, { nullable: true }),
    importance: badNumbers(0, 100),
    confidence: badNumbers(0, 1).filter(({ label }) => !label.startsWith('too ')),
    expiresAt: badTimes,
  }
}

const selection = {
  identifiers: badIdentifiers,
  layers: [
    { label: 'no list', value: 'project' },
    { label: 'empty', value: [] },
    ...badLayers.map((bad) => ({
      ...bad,
      label: `one that is ${bad.label}`,
      value: ['project', bad.value],
      at: '[1]',
    })),
  ],
  tags: badTags,
  filter: badFilters,
  category: badWords,
  service: badTexts(LIMITS.service, { nullable: true }),
  includeInactive: badBooleans,
}

/** Every field of every operation, with what it must refuse. */
export function badOperations(maxContentLength: number, dimensions: number): BadOperation[] {
  const add: Send = (engine, input) => engine.add(input as never)
  const update: Send = (engine, input, existingId) => engine.update(existingId, input as never, ALL)
  const search: Send = (engine, input) => engine.search(input as never)
  const list: Send = (engine, input) => engine.list(input as never)
  const query = { query: 'quokka', identifiers: { projectId: 'shop' } }
  const shop = { identifiers: { projectId: 'shop' } }
  const content = contentFields(maxContentLength)
  const added = {
    ...content,
    layer: badLayers,
    identifiers: badIdentifiers,
    source: badWords,
    tier: badNumbers(0, 3, { whole: true }),
    session: badTexts(128, { nullable: true }),
  }
  const tooMany = Array.from({ length: LIMITS.bulk + 1 }, () => 'x')
  return [
    {
      operation: 'add',
      calls: [
        ...fieldCalls(sample(), added, add),
        ...unknownFields(sample(), ['id', 'active', 'version', 'createdAt', 'extra', '__proto__'], add),
        ...argumentCalls('', badObjects, (engine, value) => engine.add(value)),
        {
          title: 'content missing',
          field: 'content',
          code: 'INVALID_INPUT',
          call: (engine) => engine.add({ layer: 'project', ...shop } as never),
        },
        {
          title: 'layer missing',
          field: 'layer',
          code: 'INVALID_LAYER',
          call: (engine) => engine.add({ content: 'x', ...shop } as never),
        },
      ],
    },
    {
      operation: 'update',
      calls: [
        ...fieldCalls({}, { ...content, active: badBooleans }, update),
        ...fieldCalls({ importance: 1 }, { version: badNumbers(1, Number.POSITIVE_INFINITY, { whole: true }) }, update),
        ...unknownFields(
          {},
          ['id', 'layer', 'identifiers', 'source', 'session', 'createdAt', 'extra', '__proto__'],
          update,
        ),
        ...argumentCalls(
          '',
          [
            ...badObjects,
            { label: 'nothing to change', value: {} },
            { label: 'a version alone', value: { version: 1 } },
          ],
          (engine, value) => engine.update('01JNA000000000000000000000', value, ALL),
        ),
        ...argumentCalls('id', id, (engine, value) => engine.update(value, { importance: 1 }, ALL)),
      ],
    },
    {
      operation: 'search',
      calls: [
        ...fieldCalls(
          query,
          {
            ...selection,
            query: badTexts(LIMITS.query, { tooLong: 'QUERY_TOO_LONG' }),
            mode: badWords,
            order: badWords,
            limit: badNumbers(1, LIMITS.searchLimit, { whole: true }),
            threshold: badNumbers(0, 1),
            explain: badBooleans,
            vector: [
              ...UNKNOWN,
              { label: 'a string', value: 'x' },
              { label: 'too short', value: [1] },
              { label: 'a NaN in it', value: new Float32Array(dimensions).fill(Number.NaN) },
              { label: 'an Infinity in it', value: Array.from({ length: dimensions }, () => Number.POSITIVE_INFINITY) },
            ],
          },
          search,
        ),
        ...unknownFields(query, ['source', 'cursor', 'extra', '__proto__'], search),
        ...argumentCalls('', badObjects, (engine, value) => engine.search(value)),
        {
          title: 'query missing',
          field: 'query',
          code: 'INVALID_INPUT',
          call: (engine) => engine.search(shop as never),
        },
      ],
    },
    {
      operation: 'list',
      calls: [
        ...fieldCalls(
          shop,
          {
            ...selection,
            source: badWords,
            session: badTexts(128),
            limit: badNumbers(1, LIMITS.listLimit, { whole: true }),
            cursor: badCursors,
          },
          list,
        ),
        ...unknownFields(shop, ['query', 'offset', '__proto__'], list),
        ...argumentCalls('', badObjects, (engine, value) => engine.list(value)),
      ],
    },
    {
      operation: 'get',
      calls: [
        ...argumentCalls('id', id, (engine, value) => engine.get(value, ALL)),
        ...fieldCalls({}, { identifiers: badIdentifiers }, (engine, input, existingId) =>
          engine.get(existingId, input as never),
        ),
        ...fieldCalls({}, { identifiers: badIdentifiers }, (engine, input) =>
          engine.get('01JNA000000000000000000000', input as never),
        ),
        ...unknownFields({}, ['projectId'], (engine, input, existingId) => engine.get(existingId, input as never)),
      ],
    },
    { operation: 'delete', calls: argumentCalls('id', id, (engine, value) => engine.delete(value, ALL)) },
    {
      operation: 'bulkAdd',
      calls: [
        ...argumentCalls(
          'memories',
          [
            { label: 'a number', value: 42 },
            { label: 'null', value: null },
            { label: 'empty', value: [] },
            { label: 'too many', value: tooMany },
          ],
          (engine, value) => engine.bulkAdd(value),
        ),
        ...fieldCalls(sample(), added, (engine, input) => engine.bulkAdd([sample(), input] as never), 'memories[1].'),
      ],
    },
    {
      operation: 'bulkDelete',
      calls: argumentCalls(
        'ids',
        [
          { label: 'a number', value: 42 },
          { label: 'null', value: null },
          { label: 'empty', value: [] },
          { label: 'too many', value: tooMany },
          ...id.map((bad) => ({ ...bad, label: `one that is ${bad.label}`, value: ['fine', bad.value], at: '[1]' })),
        ],
        (engine, value) => engine.bulkDelete(value, ALL),
      ),
    },
    {
      operation: 'generateEmbedding',
      calls: argumentCalls('text', badTexts(maxContentLength, { tooLong: 'CONTENT_TOO_LONG' }), (engine, value) =>
        engine.generateEmbedding(value),
      ),
    },
    { operation: 'history', calls: argumentCalls('id', id, (engine, value) => engine.history(value, ALL)) },
    ...(['sessions', 'events'] as const).map((operation) => ({
      operation,
      calls: fieldCalls(
        { everything: true },
        { limit: badNumbers(1, LIMITS.pageLimit, { whole: true }), cursor: badCursors },
        (engine, input) => engine[operation](input as never),
      ),
    })),
    {
      operation: 'injections',
      calls: fieldCalls(
        { everything: true, session: 'run-1' },
        { limit: badNumbers(1, LIMITS.pageLimit, { whole: true }), cursor: badCursors, session: badTexts(128) },
        (engine, input) => engine.injections(input as never),
      ),
    },
    {
      operation: 'beginSession',
      calls: [
        ...fieldCalls(
          { id: 'run-9' },
          {
            id,
            agent: badTexts(LIMITS.identifier),
            project: badTexts(LIMITS.identifier),
            role: badTexts(LIMITS.identifier),
            tier: badNumbers(0, 3, { whole: true }),
            at: badTimes.filter(({ label }) => label !== 'a null'),
          },
          (engine, input) => engine.beginSession(input as never),
        ),
        ...unknownFields({ id: 'run-9' }, ['endedAt', '__proto__'], (engine, input) =>
          engine.beginSession(input as never),
        ),
      ],
    },
    {
      operation: 'endSession',
      calls: fieldCalls(
        {},
        {
          exitCode: badNumbers(Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY).filter(isNoNumber),
          outcome: badTexts(LIMITS.outcome),
        },
        (engine, input) => engine.endSession('run-9', input as never),
      ),
    },
    {
      operation: 'recordShowing',
      calls: fieldCalls(
        { ...shop, session: 'run-9', format: 'x', entries: [{ memory: 'm', position: 0, tokens: 1 }] },
        {
          session: id,
          format: badTexts(64),
          entries: [
            { label: 'no list', value: 'm' },
            { label: 'empty', value: [] },
            { label: 'a fraction', value: [{ memory: 'm', position: 0.5, tokens: 1 }], at: '[0].position' },
            { label: 'an unknown field', value: [{ memory: 'm', position: 0, tokens: 1, x: 1 }], at: '[0].x' },
          ],
          key: badTexts(128),
        },
        (engine, input) => engine.recordShowing(input as never),
      ),
    },
    {
      operation: 'context',
      calls: fieldCalls(
        shop,
        {
          format: badWords,
          budget: badNumbers(1, Number.POSITIVE_INFINITY, { whole: true }),
          session: id,
          identifiers: badIdentifiers,
        },
        (engine, input) => engine.context(input as never),
      ),
    },
    {
      operation: 'remember',
      calls: fieldCalls(
        shop,
        {
          layer: badLayers,
          session: id,
          tier: badNumbers(0, 3, { whole: true }),
          source: badWords,
          dryRun: badBooleans,
        },
        (engine, input) => engine.remember([], input as never),
      ),
    },
    {
      operation: 'purge',
      calls: fieldCalls(
        {},
        {
          dryRun: badBooleans,
          before: [
            { label: 'a text', value: '2026-01-01T00:00:00Z' },
            { label: 'no date', value: new Date('x') },
          ],
        },
        (engine, input) => engine.purge(input as never),
      ),
    },
    {
      operation: 'directory.set',
      calls: [
        ...fieldCalls({ teamId: 'red' }, { projectId: badTexts(LIMITS.identifier) }, (engine, input) =>
          engine.directory.set(input),
        ),
        ...unknownFields({ projectId: 'shop', teamId: 'red' }, ['team', '__proto__'], (engine, input) =>
          engine.directory.set(input),
        ),
      ],
    },
  ]
}

/** Numbers of any size are exit codes. */
function isNoNumber({ value }: BadValue): boolean {
  return typeof value !== 'number' && typeof value !== 'string'
}
