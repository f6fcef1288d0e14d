import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { NokosuStack, type NokosuStackProps } from '../../infra/aws/nokosu-stack.ts'

export interface Statement {
  /** The logical name of the policy, or of the resource that has it. */
  holder: string
  effect: string
  actions: string[]
  /** As strings: a reference to a template attribute is `(Name.Attribute)`, one to its ref `(Name)`. */
  resources: string[]
  /** The logical names of the roles with it. */
  roles: string[]
}

type Tree = { readonly [key: string]: unknown }

export const SERVER = {
  repository: 'nokosu',
  tag: '0.2.0',
  domainName: 'memory.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111111111111:certificate/x',
}

/** Synthesises the template in this process: no lookups, builds or uploads. */
export function synthesise(props: NokosuStackProps = {}): Template {
  return Template.fromStack(new NokosuStack(new App({ analyticsReporting: false }), 'Nokosu', props))
}

/** Every permission statement in the template. */
export function statementsOf(template: Template): Statement[] {
  const { Resources } = template.toJSON() as { Resources: Record<string, { Properties?: Tree }> }
  return Object.entries(Resources).flatMap(([holder, { Properties = {} }]) => {
    const roles = [Properties.Roles ?? []].flat().map(written)
    return statementsIn(Properties).map((statement) => ({
      holder,
      roles,
      effect: String(statement.Effect),
      actions: [statement.Action ?? statement.NotAction].flat().map(String),
      resources: [statement.Resource ?? []].flat().map(written),
    }))
  })
}

/** At any depth, to include inline and resource policies. */
function statementsIn(value: unknown): Tree[] {
  if (Array.isArray(value)) return value.flatMap(statementsIn)
  if (value === null || typeof value !== 'object') return []
  const tree = value as Tree
  return 'Effect' in tree ? [tree] : Object.values(tree).flatMap(statementsIn)
}

function written(value: unknown): string {
  if (typeof value === 'string') return value
  const { Ref, 'Fn::GetAtt': attribute, 'Fn::Join': join } = value as Tree
  if (typeof Ref === 'string') return `(${Ref})`
  if (Array.isArray(attribute)) return `(${attribute.join('.')})`
  if (Array.isArray(join)) return (join[1] as unknown[]).map(written).join(String(join[0]))
  return JSON.stringify(value)
}
