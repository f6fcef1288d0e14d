import { CfnOutput, Stack, type StackProps } from 'aws-cdk-lib'
import { Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam'
import type { Construct } from 'constructs'
import { MemoryServer, type ServerOptions } from './memory-server.ts'
import { MemoryTables } from './memory-tables.ts'

export interface NokosuStackProps extends StackProps {
  /** Put before the name of every table, such as `prod-`. */
  prefix?: string
  /** The name of a vector bucket to make, for very large scopes; none unless it is asked for. */
  vectors?: string
  /** The server for agents and people without access to the tables; none unless it is asked for. */
  server?: ServerOptions
}

/** A store in DynamoDB, the role for tasks that use it, and the server in front of it where it is wanted. */
export class NokosuStack extends Stack {
  constructor(scope: Construct, id: string, { prefix = '', vectors, server, ...props }: NokosuStackProps = {}) {
    super(scope, id, props)
    const tables = new MemoryTables(this, 'Tables', { prefix, vectors: vectors ?? null })
    const taskRole = new Role(this, 'TaskRole', {
      description: 'Tasks of agents that keep their memories in the tables of Nokosu',
      // Only for tasks of this account.
      assumedBy: new ServicePrincipal('ecs-tasks.amazonaws.com', {
        conditions: { StringEquals: { 'aws:SourceAccount': this.account } },
      }),
    })
    tables.grantUse(taskRole)
    const settings = [...(prefix === '' ? [] : [`prefix=${prefix}`]), ...(vectors ? [`vectors=${vectors}`] : [])]
    const store = `dynamodb://${this.region}${settings.length === 0 ? '' : `?${settings.join('&')}`}`
    new CfnOutput(this, 'TaskRoleArn', { value: taskRole.roleArn })
    new CfnOutput(this, 'Store', { value: store, description: 'NOKOSU_DB of the tasks' })
    if (server) new MemoryServer(this, 'Server', { ...server, tables, store })
  }
}
