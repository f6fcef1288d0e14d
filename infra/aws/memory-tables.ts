import { RemovalPolicy } from 'aws-cdk-lib'
import { CfnTable } from 'aws-cdk-lib/aws-dynamodb'
import { type IGrantable, PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { CfnVectorBucket } from 'aws-cdk-lib/aws-s3vectors'
import { Construct } from 'constructs'
import { TABLE_NAMES, type TableName, TTL_ATTRIBUTE, WITH_TTL } from '../../src/storage/dynamodb/schema.ts'
import { tableDefinition } from '../../src/storage/dynamodb/table-definition.ts'
import { BUCKET_ACTION, QUERIED_INDEXES, TABLE_ACTIONS, VECTOR_ACTIONS } from './permissions.ts'

/** The tables of a store, defined by the code that `nokosu tables create` runs. */
export class MemoryTables extends Construct {
  readonly #tables: ReadonlyMap<TableName, CfnTable>

  readonly #vectors: CfnVectorBucket | null

  constructor(scope: Construct, id: string, { prefix, vectors }: { prefix: string; vectors: string | null }) {
    super(scope, id)
    this.#vectors = vectors === null ? null : new CfnVectorBucket(this, 'Vectors', { vectorBucketName: vectors })
    this.#tables = new Map(TABLE_NAMES.map((name) => [name, this.#make(name, prefix)]))
  }

  /** Lets somebody use the store, and nothing else. */
  grantUse(grantee: IGrantable): void {
    for (const [action, names] of Object.entries(TABLE_ACTIONS)) {
      const resources = names.map((name) => this.#arn(name))
      grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [action], resources }))
    }
    const resources = QUERIED_INDEXES.map(([name, index]) => `${this.#arn(name)}/index/${index}`)
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: ['dynamodb:Query'], resources }))
    if (this.#vectors === null) return
    // The store names its indexes itself, and makes new ones.
    const bucket = this.#vectors.attrVectorBucketArn
    const indexes = [`${bucket}/index/*`]
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: VECTOR_ACTIONS, resources: indexes }))
    grantee.grantPrincipal.addToPrincipalPolicy(new PolicyStatement({ actions: [BUCKET_ACTION], resources: [bucket] }))
  }

  #arn(name: TableName): string {
    return this.#tables.get(name)!.attrArn
  }

  #make(name: TableName, prefix: string): CfnTable {
    const table = new CfnTable(this, name, { keySchema: [] })
    // CloudFormation and the API of DynamoDB spell these alike, so every property of the definition is taken over as it is.
    const definition = tableDefinition(name, `${prefix}${name}`)
    for (const [property, value] of Object.entries(definition)) table.addPropertyOverride(property, value)
    table.pointInTimeRecoverySpecification = { pointInTimeRecoveryEnabled: true }
    table.deletionProtectionEnabled = true
    if (WITH_TTL.includes(name)) table.timeToLiveSpecification = { enabled: true, attributeName: TTL_ATTRIBUTE }
    // A stack that goes leaves the memories.
    table.applyRemovalPolicy(RemovalPolicy.RETAIN)
    return table
  }
}
