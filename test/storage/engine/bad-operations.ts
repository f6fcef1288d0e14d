import { LIMITS } from '../../../src/model/limits.ts'
import { ALL, sample } from '../../../src/testing/conformance/samples.ts'
import { argumentCalls, type BadOperation, fieldCalls, type Send, unknownFields } from './bad-calls.ts'
import { badRecordOperations } from './bad-record-operations.ts'
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

/** Every field of every operation, with invalid values. */
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
  /** These calls also accept a plain string. */
  const noTexts = badObjects.filter(({ value }) => typeof value !== 'string')
  const tooMany = Array.from({ length: LIMITS.bulk + 1 }, () => 'x')
  return [
    {
      operation: 'add',
      calls: [
        ...fieldCalls(sample(), added, add),
        ...unknownFields(sample(), ['id', 'active', 'version', 'createdAt', 'extra', '__proto__'], add),
        ...argumentCalls('', noTexts, (engine, value) => engine.add(value)),
        {
          title: 'content missing',
          field: 'content',
          code: 'INVALID_INPUT',
          call: (engine) => engine.add({ layer: 'project', ...shop } as never),
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
          // Values that are not objects are reported first, as the options.
        ).map((call) => ({ ...call, within: true })),
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
        ...argumentCalls('', noTexts, (engine, value) => engine.search(value)),
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
    ...badRecordOperations(),
  ]
}
