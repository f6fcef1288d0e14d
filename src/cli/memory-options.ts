import type { Command } from 'commander'
import type { Filter } from '../model/filter.ts'
import { LAYERS, type Layer } from '../model/layer.ts'
import { CATEGORIES, type Category, type JsonObject } from '../model/memory.ts'
import type { ListRequest } from '../model/schema.ts'
import { choice, choices } from './choice.ts'
import { addClaimOptions, type ClaimOptions } from './identifiers.ts'
import {
  boundedNumber,
  collect,
  collectFilter,
  collectMetadata,
  numberIn,
  parsePastTime,
  parseThread,
  parseTime,
} from './parse-flags.ts'

/** The flags for fields, the same for `add` and `update`. */
export interface FieldOptions {
  category?: Category
  service?: string
  tag?: string[]
  metadata?: JsonObject
  anchor?: string
  importance?: number
  confidence?: number
  expires?: string
  thread?: string
  happened?: string
}

export function addFieldOptions(command: Command): Command {
  return command
    .addOption(choice('--category <category>', 'what kind of observation it is', CATEGORIES))
    .option('--service <name>', 'the service it is about; without one it is general')
    .option('--tag <tag>', 'a tag; may be repeated', collect)
    .option('--metadata <key=value>', 'or a JSON object; may be repeated', collectMetadata)
    .option('--anchor <anchor>', 'a pointer such as task_id:T7|commit:ab12cd')
    .option('--importance <number>', '0 to 100', numberIn('--importance', 0, 100))
    .option('--confidence <number>', '0 to 1; below 0.3 it is inactive', boundedNumber('--confidence', 0, 1))
    .option('--expires <time>', 'a time (2026-01-31T12:00:00Z), or a span such as 30d, 12h, 2w')
    .option(
      '--thread <id[:index]>',
      'its place in a thread, such as incident-7:4; what stands beside it is found with it',
    )
    .option('--happened <time>', 'when it was, where that is not now: a time, or how long ago (3h, 2d)')
}

/** `--expires never` and `--happened never` remove the time, `--thread none` takes it out of its thread. */
export function readFields(options: FieldOptions) {
  const { category, service, tag, metadata, anchor, importance, confidence, expires, thread, happened } = options
  return {
    ...(category === undefined ? {} : { category }),
    ...(service === undefined ? {} : { service }),
    ...(tag === undefined ? {} : { tags: tag }),
    ...(metadata === undefined ? {} : { metadata }),
    ...(anchor === undefined ? {} : { anchor }),
    ...(importance === undefined ? {} : { importance }),
    ...(confidence === undefined ? {} : { confidence }),
    ...(expires === undefined ? {} : { expiresAt: expires === 'never' ? null : parseTime(expires) }),
    ...(thread === undefined ? {} : { thread: thread === 'none' ? null : parseThread(thread) }),
    ...(happened === undefined ? {} : { occurredAt: happened === 'never' ? null : parsePastTime(happened) }),
  }
}

/** The flags that narrow a search or a list. */
export interface SelectionOptions extends ClaimOptions {
  layers?: string[]
  layer?: string[]
  tag?: string[]
  filter?: Filter
  category?: Category
  service?: string
  general?: boolean
  includeInactive?: boolean
}

export function addSelectionOptions(command: Command): Command {
  return addClaimOptions(command)
    .addOption(choices('--layers <layers>', 'only these layers, such as project,team', LAYERS, 'INVALID_LAYER'))
    .addOption(choices('--layer <layer>', 'the same as --layers, for one layer', LAYERS, 'INVALID_LAYER').hideHelp())
    .option('--tag <tag>', 'with this tag; repeated: any of them', collect)
    .option(
      '--filter <test>',
      "on metadata: 'path=value', 'path>5', 'path~text', or JSON; may be repeated",
      collectFilter,
    )
    .addOption(choice('--category <category>', 'only this kind', CATEGORIES))
    .option('--service <name>', 'only memories about this service')
    .option('--general', 'only memories about no service')
    .option('--include-inactive', 'also inactive, expired and corrected memories')
}

type Selection = Pick<ListRequest, 'layers' | 'tags' | 'filter' | 'category' | 'service' | 'includeInactive'>

/** Without the claim: see `readClaim`. */
export function readSelection(options: SelectionOptions): Selection {
  const layers = [...(options.layers ?? []), ...(options.layer ?? [])] as Layer[]
  const service = options.general ? null : options.service
  return {
    ...(layers.length === 0 ? {} : { layers }),
    ...(options.tag === undefined ? {} : { tags: options.tag }),
    ...(options.filter === undefined ? {} : { filter: options.filter }),
    ...(options.category === undefined ? {} : { category: options.category }),
    ...(service === undefined ? {} : { service }),
    ...(options.includeInactive ? { includeInactive: true } : {}),
  }
}
