import { type Plain, toAttribute, toItem } from './attributes.ts'
import type { StoredRow } from './memory-item.ts'
import type { Place } from './place.ts'
import { TABLES, type TableName } from './schema.ts'

/** Conditions that a write puts on the existing item. */

export function absent(name: TableName): object {
  return {
    ConditionExpression: 'attribute_not_exists(#key)',
    ExpressionAttributeNames: { '#key': TABLES[name].keys[0] },
  }
}

export function revisionIs(revision: number): object {
  return { ConditionExpression: 'revision = :r', ExpressionAttributeValues: { ':r': toAttribute(revision) } }
}

export function pointsTo({ agentProjectKey, createdAt }: Place): object {
  return {
    ConditionExpression: 'agentProjectKey = :p AND createdAt = :c',
    ExpressionAttributeValues: toItem({ ':p': agentProjectKey, ':c': createdAt }),
  }
}

export function asRead({ revision, row, theirs = {} }: StoredRow): object {
  if (revision !== null) {
    // Another program may change the words alone.
    return {
      ConditionExpression: 'revision = :r AND content = :content',
      ExpressionAttributeValues: toItem({ ':r': revision, ':content': row.memory.content }),
    }
  }
  const told = (['content', 'revision'] as const).map((name) => [name, theirs[name]] as const)
  const values = told.flatMap(([name, value]) => (value ? [[`:${name}`, value] as const] : []))
  const conditions = told.map(([name, value]) => (value ? `#${name} = :${name}` : `attribute_not_exists(#${name})`))
  return {
    ConditionExpression: ['attribute_exists(agentProjectKey)', ...conditions].join(' AND '),
    ExpressionAttributeNames: { '#content': 'content', '#revision': 'revision' },
    ...(values.length > 0 ? { ExpressionAttributeValues: Object.fromEntries(values) } : {}),
  }
}

/** The key condition of a query: this key, and optionally a range within it, such as `#r > :r`. */
export function keyIs(name: string, value: string, range?: readonly [condition: string, name: string, value: Plain]) {
  return {
    KeyConditionExpression: range ? `#k = :k AND ${range[0]}` : '#k = :k',
    ExpressionAttributeNames: { '#k': name, ...(range && { '#r': range[1] }) },
    ExpressionAttributeValues: toItem({ ':k': value, ...(range && { ':r': range[2] }) }),
  }
}
