import { Match } from 'aws-cdk-lib/assertions'
import { describe, expect, it, onTestFinished } from 'vitest'
import { stackSettings } from '../../infra/aws/settings.ts'
import { hashingEmbedding } from '../../src/embedding/hashing.ts'
import { openMemory } from '../../src/engine/open-memory.ts'
import { serve } from '../../src/http/serve.ts'
import { createLogger } from '../../src/observe/log.ts'
import { startTelemetry } from '../../src/observe/telemetry.ts'
import { TABLE_NAMES, TTL_ATTRIBUTE, WITH_TTL } from '../../src/storage/dynamodb/schema.ts'
import { tableDefinition } from '../../src/storage/dynamodb/table-definition.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'
import { SERVER, statementsOf, synthesise } from './synthesise.ts'

const tablesAlone = synthesise()
const withServer = synthesise({ prefix: 'prod-', server: SERVER })

describe('the tables', () => {
  it('are those that `nokosu tables create` makes, with expiry, recovery and protection, and outlive the stack [B10]', () => {
    const made = Object.values(withServer.findResources('AWS::DynamoDB::Table'))
    expect(made.map(({ Properties }) => Properties.TableName)).toEqual(TABLE_NAMES.map((name) => `prod-${name}`))
    TABLE_NAMES.forEach((name, i) => {
      expect(made[i]).toMatchObject({ DeletionPolicy: 'Retain', UpdateReplacePolicy: 'Retain' })
      const ttl = { TimeToLiveSpecification: { Enabled: true, AttributeName: TTL_ATTRIBUTE } }
      expect(made[i]!.Properties).toEqual({
        ...tableDefinition(name, `prod-${name}`),
        PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
        DeletionProtectionEnabled: true,
        ...(WITH_TTL.includes(name) ? ttl : {}),
      })
    })
  })

  it('have the published names and keys [B10]', () => {
    const keysOf = (hash: string, range?: string) => [
      { AttributeName: hash, KeyType: 'HASH' },
      ...(range ? [{ AttributeName: range, KeyType: 'RANGE' }] : []),
    ]
    tablesAlone.hasResourceProperties('AWS::DynamoDB::Table', {
      TableName: 'agent-memories',
      KeySchema: keysOf('agentProjectKey', 'createdAt'),
      GlobalSecondaryIndexes: [Match.objectLike({ IndexName: 'id-index', KeySchema: keysOf('id') })],
      TimeToLiveSpecification: { AttributeName: 'ttl', Enabled: true },
    })
    tablesAlone.hasResourceProperties('AWS::DynamoDB::Table', {
      TableName: 'agent-personalities',
      KeySchema: keysOf('agentName'),
    })
  })
})

describe('the server', () => {
  it('is not there unless it is asked for: the stack is tables, a role and its policy', () => {
    const { Resources } = tablesAlone.toJSON() as { Resources: Record<string, { Type: string }> }
    const others = Object.values(Resources).flatMap(({ Type }) => (Type === 'AWS::DynamoDB::Table' ? [] : [Type]))
    expect(others.sort()).toEqual(['AWS::IAM::Policy', 'AWS::IAM::Role'])
  })

  it('runs on Fargate after its first token was made, on a file system that it cannot write to', () => {
    const [task] = Object.values(withServer.findResources('AWS::ECS::TaskDefinition'))
    const containers = task!.Properties.ContainerDefinitions as Record<string, unknown>[]
    const [firstToken, server] = containers
    expect(containers).toHaveLength(2)
    expect(firstToken).toMatchObject({ Name: 'first-token', Essential: false, ReadonlyRootFilesystem: true })
    expect(server).toMatchObject({
      Command: 'serve --host 0.0.0.0 --port 4816 --allow-host memory.example.com --sweep-at 03:00'.split(' '),
      DependsOn: [{ Condition: 'SUCCESS', ContainerName: 'first-token' }],
      Essential: true,
      ReadonlyRootFilesystem: true,
      StopTimeout: 30,
    })
    const store = { 'Fn::Join': ['', ['dynamodb://', { Ref: 'AWS::Region' }, '?prefix=prod-']] }
    expect(server!.Environment).toContainEqual({ Name: 'NOKOSU_DB', Value: store })
  })

  it('keeps its token in Secrets Manager: it may put it there and not read it, and nobody else may do either', () => {
    const about = statementsOf(withServer).filter(({ actions }) => actions.some((name) => name.startsWith('secrets')))
    expect(about).toHaveLength(1)
    const [secret] = Object.keys(withServer.findResources('AWS::SecretsManager::Secret'))
    expect(about[0]).toMatchObject({
      actions: ['secretsmanager:DescribeSecret', 'secretsmanager:PutSecretValue'],
      resources: [`(${secret})`],
      roles: [expect.stringMatching(/^\(ServerTaskTaskRole/)],
    })
  })

  it('keeps idle connections longer than the load balancer does, so that no request is sent into a closed one', async () => {
    const memory = await openMemory({ storage: referenceStorage(), embedding: hashingEmbedding(), relations: null })
    const metrics = await startTelemetry()
    const shared = { store: '', command: 'nokosu', project: null, log: createLogger('error', () => {}), names: [] }
    const server = await serve({ memory, metrics, host: '127.0.0.1', port: 0, ...shared })
    onTestFinished(async () => {
      await server.close()
      await metrics.close()
      await memory.shutdown()
    })
    const { headers } = await fetch(`${server.url}/healthz`)
    const seconds = Number(/timeout=(\d+)/.exec(headers.get('keep-alive')!)![1])
    const [balancer] = Object.values(withServer.findResources('AWS::ElasticLoadBalancingV2::LoadBalancer'))
    const attributes: { Key: string; Value: string }[] = balancer!.Properties.LoadBalancerAttributes
    const idle = attributes.find(({ Key }) => Key === 'idle_timeout.timeout_seconds')!
    expect(seconds).toBeGreaterThan(Number(idle.Value) + 10)
  })

  it('is called over TLS alone, from its own network unless others are named', () => {
    withServer.hasResourceProperties('AWS::ElasticLoadBalancingV2::Listener', { Port: 443, Protocol: 'HTTPS' })
    withServer.resourceCountIs('AWS::ElasticLoadBalancingV2::Listener', 1)
    withServer.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', { Scheme: 'internal' })
    withServer.hasResourceProperties('AWS::ElasticLoadBalancingV2::TargetGroup', { HealthCheckPath: '/readyz' })
    expect(JSON.stringify(withServer.toJSON())).not.toMatch(/"CidrIp":"0\.0\.0\.0\/0"[^}]*"IpProtocol":"tcp"/)
    const open = synthesise({ server: { ...SERVER, allowFrom: '203.0.113.0/24' } })
    open.hasResourceProperties('AWS::ElasticLoadBalancingV2::LoadBalancer', { Scheme: 'internet-facing' })
    open.hasResourceProperties('AWS::EC2::SecurityGroup', {
      SecurityGroupIngress: [Match.objectLike({ CidrIp: '203.0.113.0/24', FromPort: 443, ToPort: 443 })],
    })
  })
})

describe('settings', () => {
  const read = (given: Record<string, string>) => stackSettings((name) => given[name])

  it('are read from the command line: nothing is the tables alone, and the server needs all of its own', () => {
    expect(read({})).toEqual({})
    expect(read({ prefix: 'prod-' })).toEqual({ prefix: 'prod-' })
    expect(read({ ...SERVER, allowFrom: '10.0.0.0/8' })).toEqual({ server: { ...SERVER, allowFrom: '10.0.0.0/8' } })
    expect(() => read({ repository: 'nokosu', tag: '1' })).toThrow('-c domainName=... -c certificateArn=...')
    expect(() => read({ allowFrom: '10.0.0.0/8' })).toThrow('-c repository=...')
  })
})
