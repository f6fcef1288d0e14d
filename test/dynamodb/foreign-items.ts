import {
  type AttributeValue,
  BatchWriteItemCommand,
  DeleteItemCommand,
  DynamoDBClient,
  PutItemCommand,
  ScanCommand,
  UpdateItemCommand,
} from '@aws-sdk/client-dynamodb'
import { onTestFinished } from 'vitest'
import type { Place } from './local-tables.ts'

export const NORI = { agentId: 'nori', projectId: 'shop' }
export const ID = '01JNA0000000000000000000AB'
export const CREATED = '2026-03-01T12:00:00.000Z'
/** A day later. */
export const soon = () => new Date(Date.parse(CREATED) + 86_400_000)
export type Item = Record<string, AttributeValue>

/** As the published helpers write one. */
export function helperItem(more: Item = {}): Item {
  return {
    id: { S: ID },
    agentProjectKey: { S: 'nori#shop' },
    createdAt: { S: CREATED },
    agentName: { S: 'nori' },
    projectId: { S: 'shop' },
    content: { S: 'The checkout test is flaky' },
    source: { S: 'extraction' },
    ...more,
  }
}

/** Another program on the table of memories. */
export function writer({ options }: Place) {
  const client = new DynamoDBClient(options)
  onTestFinished(() => client.destroy())
  const TableName = `${options.prefix}agent-memories`
  const keyOf = ({ agentProjectKey, createdAt }: Item) => ({
    agentProjectKey: agentProjectKey!,
    createdAt: createdAt!,
  })
  return {
    put: (Item: Item) => client.send(new PutItemCommand({ TableName, Item })),
    remove: (item: Item) => client.send(new DeleteItemCommand({ TableName, Key: keyOf(item) })),
    /** Changes the words of an item and nothing else. */
    say: (item: Item, content: string) =>
      client.send(
        new UpdateItemCommand({
          TableName,
          Key: keyOf(item),
          UpdateExpression: 'SET content = :content',
          ExpressionAttributeValues: { ':content': { S: content } },
        }),
      ),
    async items(): Promise<Item[]> {
      return (await client.send(new ScanCommand({ TableName, ConsistentRead: true }))).Items ?? []
    },
    async putAll(items: readonly Item[]) {
      for (let start = 0; start < items.length; start += 25) {
        const requests = items.slice(start, start + 25).map((Item) => ({ PutRequest: { Item } }))
        await client.send(new BatchWriteItemCommand({ RequestItems: { [TableName]: requests } }))
      }
    },
  }
}
