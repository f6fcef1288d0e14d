import { Duration, Stack } from 'aws-cdk-lib'
import { Repository } from 'aws-cdk-lib/aws-ecr'
import { ContainerDependencyCondition, ContainerImage, FargateTaskDefinition, LogDrivers } from 'aws-cdk-lib/aws-ecs'
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs'
import type { Construct } from 'constructs'

export const PORT = 4816

interface ServerTask {
  repository: string
  tag: string
  domainName: string
  store: string
  /** Where the first token is put. */
  secret: string
}

/** The server, after a step that makes its first token where there is none. Both have nothing to write on but the store. */
export function serverTask(scope: Construct, { repository, tag, domainName, store, secret }: ServerTask) {
  const task = new FargateTaskDefinition(scope, 'Task', { cpu: 512, memoryLimitMiB: 2048 })
  const logGroup = new LogGroup(scope, 'Log', { retention: RetentionDays.ONE_MONTH })
  const shared = {
    image: ContainerImage.fromEcrRepository(Repository.fromRepositoryName(scope, 'Images', repository), tag),
    readonlyRootFilesystem: true,
  }
  const firstToken = task.addContainer('first-token', {
    ...shared,
    essential: false,
    entryPoint: ['node', '/app/first-token.ts'],
    environment: { AWS_REGION: Stack.of(scope).region, NOKOSU_DB: store, TOKEN_SECRET: secret },
    logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'first-token' }),
  })
  const server = task.addContainer('server', {
    ...shared,
    command: ['serve', '--host', '0.0.0.0', '--port', String(PORT), '--allow-host', domainName, '--sweep-at', '03:00'],
    environment: { NOKOSU_DB: store, NOKOSU_LOG: 'info' },
    portMappings: [{ containerPort: PORT }],
    healthCheck: {
      // A store that is away is no reason to start the program anew; the load balancer asks /readyz.
      command: ['CMD', 'node', '/app/healthy.mjs', '/healthz'],
      startPeriod: Duration.seconds(30),
    },
    // Requests that have begun get 10 seconds.
    stopTimeout: Duration.seconds(30),
    logging: LogDrivers.awsLogs({ logGroup, streamPrefix: 'server' }),
  })
  server.addContainerDependencies({ container: firstToken, condition: ContainerDependencyCondition.SUCCESS })
  return task
}
