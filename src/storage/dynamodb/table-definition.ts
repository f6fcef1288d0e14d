import type { CreateTableCommandInput, GlobalSecondaryIndex, KeySchemaElement } from '@aws-sdk/client-dynamodb'
import { CARRIED, NUMBERS, TABLES, type TableName } from './schema.ts'

export function tableDefinition(name: TableName, table: string): CreateTableCommandInput {
  const indexes = indexesOf(name)
  return {
    TableName: table,
    BillingMode: 'PAY_PER_REQUEST',
    AttributeDefinitions: attributesOf(name),
    KeySchema: keySchema(TABLES[name].keys),
    ...(indexes.length > 0 ? { GlobalSecondaryIndexes: indexes } : {}),
  }
}

export function indexesOf(name: TableName): GlobalSecondaryIndex[] {
  return Object.entries<readonly string[]>(TABLES[name].indexes).map(([IndexName, attributes]) => ({
    IndexName,
    KeySchema: keySchema(attributes),
    Projection: projection(IndexName),
  }))
}

export function attributesOf(name: TableName) {
  const { keys, indexes }: { keys: readonly string[]; indexes: Record<string, readonly string[]> } = TABLES[name]
  return [...new Set([keys, ...Object.values(indexes)].flat())].map((AttributeName) => ({
    AttributeName,
    AttributeType: NUMBERS.has(AttributeName) ? ('N' as const) : ('S' as const),
  }))
}

function keySchema(attributes: readonly string[]): KeySchemaElement[] {
  return attributes.map((AttributeName, i) => ({ AttributeName, KeyType: i === 0 ? 'HASH' : 'RANGE' }))
}

function projection(index: string): GlobalSecondaryIndex['Projection'] {
  const carried = CARRIED[index]
  if (carried === undefined) return { ProjectionType: 'ALL' }
  if (carried.length === 0) return { ProjectionType: 'KEYS_ONLY' }
  return { ProjectionType: 'INCLUDE', NonKeyAttributes: [...carried] }
}
