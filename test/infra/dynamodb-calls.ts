/** The permissions that one DynamoDB request needs: `action table` or `action table/index`. */
export function callsOf(command: { constructor: { name: string }; input: object }): string[] {
  const action = command.constructor.name.replace(/Command$/, '')
  const { RequestItems, TransactItems, TableName, IndexName } = command.input as {
    RequestItems?: object
    TransactItems?: Record<string, { TableName: string }>[]
    TableName?: string
    IndexName?: string
  }
  // Transactions have no permission of their own: each part needs the one to put, update, delete or check an item.
  if (TransactItems) {
    return TransactItems.flatMap((item) =>
      Object.entries(item).map(([kind, { TableName: table }]) => `${PARTS[kind] ?? kind} ${table}`),
    )
  }
  if (RequestItems) return Object.keys(RequestItems).map((table) => `${action} ${table}`)
  return [`${action} ${TableName}${IndexName === undefined ? '' : `/${IndexName}`}`]
}

const PARTS: Record<string, string> = {
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  ConditionCheck: 'ConditionCheckItem',
}
