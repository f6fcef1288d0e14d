import { App } from 'aws-cdk-lib'
import { Template } from 'aws-cdk-lib/assertions'
import { NokosuStack, type NokosuStackProps } from '../../infra/aws/nokosu-stack.ts'

export interface Statement {
  /** The logical name of the policy, or of what it hangs on. */
  holder: string
  effect: string
  actions: string[]
  /** As texts: a reference to a part of the template is written `(Name.Attribute)`, one to its ref `(Name)`. */
  resources: string[]
  /** The logical names of the roles that have it. */
  roles: string[]
}

type Tree = { readonly [key: string]: unknown }

export const SERVER = {
  repository: 'nokosu',
  tag: '0.2.0',
  domainName: 'memory.example.com',
  certificateArn: 'arn:aws:acm:eu-west-1:111111111111:certificate/x',
}

/** The template, in this process: nothing is looked up, built or sent. */
export function synthesise(props: NokosuStackProps = {}): Template {
  return Template.fromStack(new NokosuStack(new App({ analyticsReporting: false }), 'Nokosu', props))
}

/** Every statement that says what somebody may do, wherever in the template it stands. */
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

/** At any depth, so that inline policies and policies of resources are seen too. */
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
