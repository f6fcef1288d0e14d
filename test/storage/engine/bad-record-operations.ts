import { LIMITS } from '../../../src/model/limits.ts'
import { type BadOperation, fieldCalls, unknownFields } from './bad-calls.ts'
import {
  type BadValue,
  badBooleans,
  badCursors,
  badIdentifiers,
  badLayers,
  badNumbers,
  badTexts,
  badTimes,
  badWords,
} from './bad-values.ts'

const id = badTexts(128)
const shop = { identifiers: { projectId: 'shop' } }

/** Every field of the operations on sessions, showings, events and the whole store, with invalid values. */
export function badRecordOperations(): BadOperation[] {
  return [
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
          before: [{ label: 'no date', value: new Date('x') }],
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

/** Any number is a valid exit code. */
function isNoNumber({ value }: BadValue): boolean {
  return typeof value !== 'number' && typeof value !== 'string'
}
