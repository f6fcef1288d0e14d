import { z } from 'zod'
import { DEFAULT_SETTINGS } from '../engine/settings.ts'
import { DEFAULTS, LIMITS } from '../model/limits.ts'
import { decaySchema } from '../model/memory.ts'
import { keepDaysSchema } from '../model/records.ts'
import { LOG_LEVELS } from '../observe/log.ts'

const text = z.string().min(1, 'must not be empty')
const count = (least: number) => z.int().min(least)

const retrySchema = z.strictObject({
  retries: count(0).max(20).exactOptional(),
  baseMs: z.number().min(0).exactOptional(),
  factor: z.number().min(1).exactOptional(),
  maxMs: z.number().min(0).exactOptional(),
})

const embeddingSchema = z.discriminatedUnion(
  'kind',
  [
    z.strictObject({ kind: z.literal('local'), modelPath: text.exactOptional() }),
    z.strictObject({
      kind: z.literal('http'),
      url: text,
      model: text,
      dimensions: count(1),
      apiKey: z.string().exactOptional(),
    }),
    z.strictObject({ kind: z.literal('hashing'), dimensions: count(1).exactOptional() }),
  ],
  'must be one of local, http or hashing',
)

const belongsTo = z
  .strictObject({ team: text.exactOptional(), org: text.exactOptional(), company: text.exactOptional() })
  .refine((place) => Object.keys(place).length > 0, 'needs a team, org or company')

const memorySchema = z.strictObject({
  enabled: z.boolean().default(DEFAULT_SETTINGS.enabled),
  projectRetention: count(1).default(DEFAULT_SETTINGS.projectRetention),
  sectionRetention: count(1).default(DEFAULT_SETTINGS.sectionRetention),
  taskRetention: count(1).default(DEFAULT_SETTINGS.taskRetention),
  /** Of all scopes of a project together. */
  maxKeep: count(1).default(DEFAULT_SETTINGS.maxKeep),
  /** Days without reinforcement or use after which a category begins to fade; false: never. */
  decay: decaySchema.default({}),
  /** Days to keep sessions (with their events and showings), events and showings; false: for ever. */
  keepDays: keepDaysSchema.default({}),
  /** Maximum characters of an automatic workflow summary. */
  maxSummaryLength: count(16).default(DEFAULT_SETTINGS.maxSummaryLength),
  includeHintsFromOutputs: z.boolean().default(DEFAULT_SETTINGS.includeHintsFromOutputs),
  /** Draw lessons from tool calls that failed and later worked. */
  lessons: z.boolean().default(DEFAULT_SETTINGS.lessons),
  /** Keep findings in the agents' own layers. By default, facts go to the project. */
  private: z.boolean().default(DEFAULT_SETTINGS.private),
  /** Aliases of services, each with the name it stands for. */
  aliases: z.record(text, text).default({ ...DEFAULT_SETTINGS.aliases }),
})

/** The call after a run that asks a model what was learned. */
const extractSchema = z.strictObject({
  enabled: z.boolean().default(true),
  /** Also after plugin sessions end. */
  sessions: z.boolean().default(true),
  /** A shell command to use instead of Claude Code. */
  command: text.exactOptional(),
  timeoutSeconds: z.number().positive().max(600).default(15),
  /** Maximum US dollars per call. */
  maxBudgetUsd: z.number().positive().default(0.05),
})

/** The moments of a session at which an agent is shown relevant memories. */
const recallSchema = z.strictObject({
  prompt: z.boolean().default(true),
  tool: z.boolean().default(true),
  failure: z.boolean().default(true),
  /** After a tool has answered. */
  output: z.boolean().default(true),
})

export const configSchema = z.strictObject({
  $schema: z.string().exactOptional(),
  /** Store URL, such as `sqlite:path`. A relative path is relative to the configuration file. */
  db: text.exactOptional(),
  /** The project to use if no flag names one. */
  project: text.max(LIMITS.identifier).exactOptional(),
  embedding: embeddingSchema.default({ kind: 'local' }),
  log: z.enum(LOG_LEVELS).default('warn'),
  retry: retrySchema.default({}),
  /** Where each project belongs: project -> team, org, company. */
  directory: z.record(text, belongsTo).default({}),
  memory: memorySchema.prefault({}),
  extract: extractSchema.prefault({}),
  recall: recallSchema.prefault({}),
  /** Maximum tokens of a block of memories in a prompt. */
  budget: count(1).default(DEFAULTS.budget),
})

/** The content of a `nokosu.config.*` file. */
export type NokosuConfig = z.input<typeof configSchema>
/** A validated configuration with all defaults. */
export type CompleteConfig = z.output<typeof configSchema>
