import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import type { Template } from 'aws-cdk-lib/assertions'
import { expect, it, onTestFinished, vi } from 'vitest'
import { BUCKET_ACTION, VECTOR_ACTIONS } from '../../infra/aws/permissions.ts'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { createTables, deleteTables, dynamodbStorage } from '../../src/storage/dynamodb/dynamodb-storage.ts'
import { localOptions, ownPrefix } from '../dynamodb/local-tables.ts'
import { callsOf } from './dynamodb-calls.ts'
import { SERVER, type Statement, statementsOf, synthesise } from './synthesise.ts'
import { useEverything } from './use-everything.ts'

const PREFIX = ownPrefix()
const tablesAlone = synthesise({ prefix: PREFIX })
const withServer = synthesise({ prefix: PREFIX, server: SERVER })

/** The actions that a role's statements allow, as `action table` or `action table/index`. */
function granted(template: Template, role: RegExp): Set<string> {
  const tables = Object.entries(template.findResources('AWS::DynamoDB::Table'))
  const named = new Map(tables.map(([id, { Properties }]) => [`(${id}.Arn)`, String(Properties.TableName)]))
  const own = statementsOf(template).filter(({ roles, actions }) => isOf(roles, role) && isDynamodb(actions))
  return new Set(
    own.flatMap(({ actions, resources }) =>
      actions.flatMap((action) =>
        resources.map((resource) => {
          const [table, index] = resource.split('/index/') as [string, string?]
          return `${action.slice('dynamodb:'.length)} ${named.get(table)}${index === undefined ? '' : `/${index}`}`
        }),
      ),
    ),
  )
}

const isOf = (roles: readonly string[], role: RegExp) => roles.some((name) => role.test(name))
const isDynamodb = (actions: readonly string[]) => actions.every((action) => action.startsWith('dynamodb:'))
const TASK_ROLE = /^\(TaskRole/
const SERVER_ROLE = /^\(ServerTaskTaskRole/

it('the task role may do with the tables what the engine does with them, and nothing more [B10]', async () => {
  const options = { ...(await localOptions()), prefix: PREFIX }
  await createTables({ ...options, ttl: false })
  onTestFinished(async () => {
    vi.restoreAllMocks()
    await deleteTables(options)
  })
  const allowed = granted(tablesAlone, TASK_ROLE)
  const used = new Set<string>()
  // Like IAM: a call without an allowing statement is refused.
  const send = DynamoDBClient.prototype.send as (command: Parameters<typeof callsOf>[0]) => Promise<unknown>
  vi.spyOn(DynamoDBClient.prototype, 'send').mockImplementation(async function (this: DynamoDBClient, command: object) {
    const calls = callsOf(command as Parameters<typeof callsOf>[0])
    for (const call of calls) used.add(call)
    const refused = calls.filter((call) => !allowed.has(call))
    if (refused.length > 0) throw Object.assign(new Error(refused.join()), { name: 'AccessDeniedException' })
    return send.call(this, command as Parameters<typeof callsOf>[0])
  })
  let days = 0
  const memory = await openMemory({
    storage: dynamodbStorage(options),
    embedding: hashingEmbedding(),
    relations: null,
    memory: { keepDays: { sessions: 30, events: 30, showings: 30 } },
    now: () => new Date(Date.now() + days * 86_400_000),
  })
  await useEverything(memory)
  days = 31
  expect(await memory.sweep()).toMatchObject({ sessions: 1 })
  await memory.shutdown()
  expect([...used].sort()).toEqual([...allowed].sort())
})

it('with a vector bucket, both may also use the indexes in it, and nothing else', () => {
  const template = synthesise({ prefix: PREFIX, server: SERVER, vectors: 'memories' })
  template.hasResourceProperties('AWS::S3Vectors::VectorBucket', { VectorBucketName: 'memories' })
  for (const role of [TASK_ROLE, SERVER_ROLE]) {
    const own = statementsOf(template).filter(
      ({ roles, actions }) => isOf(roles, role) && actions.join().includes('s3vectors'),
    )
    expect(own.map(({ actions }) => actions)).toEqual([VECTOR_ACTIONS, [BUCKET_ACTION]])
    expect(own.flatMap(({ resources }) => resources)).toEqual([
      expect.stringMatching(/VectorBucketArn\)\/index\/\*$/),
      expect.stringMatching(/VectorBucketArn\)$/),
    ])
  }
  const { Outputs } = template.toJSON() as { Outputs: { Store: { Value: unknown } } }
  expect(JSON.stringify(Outputs.Store.Value)).toContain(`?prefix=${PREFIX}&vectors=memories`)
})

it('the server may do the same with the tables [B10]', () => {
  expect(granted(withServer, SERVER_ROLE)).toEqual(granted(tablesAlone, TASK_ROLE))
})

/** The one action that AWS grants for everything or not at all: signing in to the registry. It gives access to no image by itself. */
const ONLY_FOR_ALL = ['ecr:GetAuthorizationToken']

it('no statement of the template allows an action by a pattern, or on anything but named resources [B10]', () => {
  const all = [...statementsOf(tablesAlone), ...statementsOf(withServer)]
  expect(all.length).toBeGreaterThan(16)
  const tooWide = all.filter(({ actions, resources }) => {
    if (actions.some((action) => action.includes('*'))) return true
    return resources.some((resource) => resource.includes('*')) && actions.join() !== ONLY_FOR_ALL.join()
  })
  expect(tooWide).toEqual([])
  expect(all.filter(({ effect }) => effect !== 'Allow')).toEqual([])
  // A statement without a resource says who may assume a role, which is ECS.
  const onNone = all.filter(({ resources }) => resources.length === 0)
  expect(new Set(onNone.flatMap(({ actions }) => actions))).toEqual(new Set(['sts:AssumeRole']))
  expect(roleStatements(tablesAlone, TASK_ROLE).every(({ actions }) => isDynamodb(actions))).toBe(true)
})

function roleStatements(template: Template, role: RegExp): Statement[] {
  return statementsOf(template).filter(({ roles }) => isOf(roles, role))
}
