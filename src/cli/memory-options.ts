import { CATEGORIES } from '../model/categories.ts'
import { GUARDS } from '../model/guards.ts'
import { LAYERS } from '../model/layer.ts'
import type { ListRequest } from '../model/schema.ts'
import { withoutUndefined } from '../text/without-undefined.ts'
import type { FlagTable, OptionsOf } from './command.ts'
import { collectFilter, collectMetadata, futureTime, pastTime, threadPlace } from './parse-fields.ts'
import { boundedNumber, collect, number, oneOf, severalOf } from './parse-flags.ts'

export const FIELD_OPTIONS = {
  '--category <category>': ['what kind of observation it is', oneOf(CATEGORIES)],
  '--service <name>': 'the service it is about; without one it is general',
  '--tag <tag>': ['a tag; may be repeated', collect],
  '--guards <action>': [
    "a command, path or tool name ('terraform apply', db/migrations, 'mcp__jira__*') before which it is shown to agents; may be repeated",
    collect,
  ],
  '--metadata <key=value>': ['or a JSON object; may be repeated', collectMetadata],
  '--anchor <anchor>': 'a pointer such as task_id:T7|commit:ab12cd',
  '--importance <number>': ['0 to 100', number(0, 100)],
  '--confidence <number>': ['0 to 1; below 0.3 it is inactive', boundedNumber(0, 1)],
  '--expires <time>': ['a time (2026-01-31T12:00:00Z), or a span such as 30d, 12h, 2w', futureTime],
  '--thread <id[:index]>': [
    'its place in a thread, such as incident-7:4; search finds its neighbours with it',
    threadPlace,
  ],
  '--happened <time>': ['when it happened, if not now: a time, or how long ago (3h, 2d)', pastTime],
} as const satisfies FlagTable

export function readFields(options: OptionsOf<typeof FIELD_OPTIONS>) {
  const { category, service, tag, guards, metadata, anchor, importance, confidence, thread } = options
  const { expires, happened } = options
  const tags = tag || guards ? [...(tag ?? []), ...(guards ?? []).map((action) => GUARDS + action)] : undefined
  return withoutUndefined({
    ...{ category, service, tags, metadata, anchor, importance, confidence },
    expiresAt: expires === 'never' ? null : expires,
    thread: thread === 'none' ? null : thread,
    occurredAt: happened === 'never' ? null : happened,
  })
}

export const SELECTION_OPTIONS = {
  '--layer, --layers <layers>': ['only these layers, such as project,team', severalOf(LAYERS, 'INVALID_LAYER')],
  '--tag <tag>': ['with this tag; repeated: any of them', collect],
  '--filter <test>': [
    "a test on metadata: 'path=value', 'path>5', 'path~text', or JSON; may be repeated",
    collectFilter,
  ],
  '--category <category>': ['only this kind', oneOf(CATEGORIES)],
  '--service <name>': 'only memories about this service',
  '--general': 'only memories about no service',
  '--include-inactive': 'include inactive, expired and corrected memories',
} as const satisfies FlagTable

type Selection = Pick<ListRequest, 'layers' | 'tags' | 'filter' | 'category' | 'service' | 'includeInactive'>

/** Without the claim: see `readClaim`. */
export function readSelection(options: OptionsOf<typeof SELECTION_OPTIONS>): Selection {
  const { layers, tag: tags, filter, category, service, general, includeInactive } = options
  return withoutUndefined({ layers, tags, filter, category, service: general ? null : service, includeInactive })
}
