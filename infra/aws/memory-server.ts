import { CfnOutput, Duration, RemovalPolicy, Stack } from 'aws-cdk-lib'
import { Certificate } from 'aws-cdk-lib/aws-certificatemanager'
import { GatewayVpcEndpointAwsService, type IVpc, Peer, Port, SubnetType, Vpc } from 'aws-cdk-lib/aws-ec2'
import { Cluster, FargateService, type ICluster } from 'aws-cdk-lib/aws-ecs'
import { ApplicationLoadBalancer, ApplicationProtocol, SslPolicy } from 'aws-cdk-lib/aws-elasticloadbalancingv2'
import { PolicyStatement } from 'aws-cdk-lib/aws-iam'
import { CfnSecret } from 'aws-cdk-lib/aws-secretsmanager'
import { Construct } from 'constructs'
import type { MemoryTables } from './memory-tables.ts'
import { PORT, serverTask } from './server-task.ts'

export interface ServerOptions {
  /** The image's repository in this account's registry, and its tag. */
  repository: string
  tag: string
  /** The name by which the server is called, and a certificate for it. */
  domainName: string
  certificateArn: string
  /** Addresses that may call it from outside, such as 203.0.113.0/24; none: its own network alone may. */
  allowFrom?: string
}

/** `nokosu serve` on Fargate, behind a load balancer that does TLS. Its first token is put into Secrets Manager. */
export class MemoryServer extends Construct {
  constructor(
    scope: Construct,
    id: string,
    {
      tables,
      store,
      domainName,
      certificateArn,
      allowFrom,
      ...image
    }: ServerOptions & { tables: MemoryTables; store: string },
  ) {
    super(scope, id)
    // It has no value until the first task starts: the store keeps only the hash of a token, so the program makes the token.
    const token = new CfnSecret(this, 'Token', { description: `The first token of the Nokosu server ${domainName}` })
    token.applyRemovalPolicy(RemovalPolicy.RETAIN)
    // Without private subnets there is no gateway to pay for; the tasks take connections from the load balancer alone.
    // The assertions are for the compiler: CDK's classes and its interfaces differ in what may be undefined.
    const vpc = new Vpc(this, 'Network', {
      maxAzs: 2,
      natGateways: 0,
      subnetConfiguration: [{ name: 'public', subnetType: SubnetType.PUBLIC }],
      gatewayEndpoints: { DynamoDB: { service: GatewayVpcEndpointAwsService.DYNAMODB } },
    }) as IVpc
    const taskDefinition = serverTask(this, { ...image, domainName, store, secret: token.ref })
    tables.grantUse(taskDefinition.taskRole)
    // It may put a token there, and see that there is one. It may not read it.
    const actions = ['secretsmanager:DescribeSecret', 'secretsmanager:PutSecretValue']
    taskDefinition.addToTaskRolePolicy(new PolicyStatement({ actions, resources: [token.ref] }))

    const service = new FargateService(this, 'Service', {
      cluster: new Cluster(this, 'Cluster', { vpc }) as ICluster,
      taskDefinition,
      desiredCount: 1,
      minHealthyPercent: 100,
      assignPublicIp: true,
      circuitBreaker: { rollback: true },
    })
    const balancer = new ApplicationLoadBalancer(this, 'Balancer', {
      vpc,
      vpcSubnets: { subnetType: SubnetType.PUBLIC },
      internetFacing: allowFrom !== undefined,
      dropInvalidHeaderFields: true,
      // The server keeps idle connections longer, so that none is closed while a request is on its way.
      idleTimeout: Duration.seconds(60),
    })
    const listener = balancer.addListener('Https', {
      port: 443,
      protocol: ApplicationProtocol.HTTPS,
      sslPolicy: SslPolicy.RECOMMENDED_TLS,
      certificates: [Certificate.fromCertificateArn(this, 'Certificate', certificateArn)],
      open: false,
    })
    listener.connections.allowFrom(Peer.ipv4(allowFrom ?? vpc.vpcCidrBlock), Port.tcp(443))
    listener.addTargets('Tasks', {
      port: PORT,
      protocol: ApplicationProtocol.HTTP,
      targets: [service],
      healthCheck: { path: '/readyz', interval: Duration.seconds(15) },
      deregistrationDelay: Duration.seconds(15),
    })
    new CfnOutput(Stack.of(this), 'TokenSecretArn', { value: token.ref })
    new CfnOutput(Stack.of(this), 'BalancerName', { value: balancer.loadBalancerDnsName })
  }
}
