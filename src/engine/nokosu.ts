import type { WorkflowEventInput } from '../capture/workflow-events.ts'
import type { EmbeddingProvider } from '../embedding/provider.ts'
import type { CandidateInput } from '../model/candidate.ts'
import type { Decisions, Retracted, Settlement, Undone } from '../model/decision.ts'
import type { Identifiers, Layer } from '../model/layer.ts'
import type { Memory } from '../model/memory.ts'
import type { Outcome, Refusal } from '../model/outcome.ts'
import type {
  Asking,
  ClaimArgument,
  Claiming,
  MemoryOperations,
  MemoryProvider,
  OwnClaim,
  Repeatable,
  Stoppable,
} from '../model/provider.ts'
import type { AuditEntry, Change, DirectoryEntry, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Claim, NewMemory, OwnMemory, PageRequest } from '../model/schema.ts'
import type { Tally } from '../storage/tally.ts'
import type { PurgeReport, StorageStats } from '../storage/upkeep.ts'
import type { Met } from './as-of.ts'
import type { AuditRequest } from './audit.ts'
import type { Backoff } from './backoffs.ts'
import type { CaptureReport, CaptureRequest } from './capture.ts'
import type { Context, ContextRequest } from './context.ts'
import type { Fleet } from './fleet.ts'
import type { BeforeWrite } from './metered-storage.ts'
import type { Personalities } from './personalities.ts'
import type { Recall, RecallRequest } from './recall.ts'
import type { ReembedOptions } from './reembed.ts'
import type { RememberTarget } from './remember/target.ts'
import type { DeletedMemory } from './restore.ts'
import type { ReviewDecision } from './review.ts'
import type { Run, RunsRequest } from './runs.ts'
import type { SessionEnd, SessionStart, Showing } from './sessions.ts'
import type { MemorySettings } from './settings.ts'
import type { MemoryStanding } from './standings.ts'
import type { SweepOptions, SweepReport } from './sweep.ts'
import type { Tokens } from './tokens.ts'
import type { ExportOptions, ImportOptions, ImportReport } from './transfer.ts'
import type { MemoryUsefulness } from './usefulness.ts'

/** The calls of a caller. `Who` is a caller that names the owner in each call (`Nokosu`), or a known one (`memory.as(...)`). */
export interface Operations<New, Who> extends MemoryOperations<New, Who> {
  /** Reads a run's output (Claude Code's stream-json or transcript, or plain text) and remembers what it recorded. */
  capture(source: AsyncIterable<Uint8Array> | string, request: Claiming<CaptureRequest, Who>): Promise<CaptureReport>
  /** Remembers what is worth keeping of a workflow event: a submission, rejection, approval, follow-up, decision or hint. */
  record(
    event: WorkflowEventInput,
    options?: { session?: string; dryRun?: boolean } & Repeatable,
  ): Promise<{ outcomes: Outcome[]; refusals: Refusal[] }>
  /** Records one or several observations through guard and admission, as capture does. */
  remember(
    candidates: string | CandidateInput | readonly (string | CandidateInput)[],
    ...target: Asking<RememberTarget, Who>
  ): Promise<Outcome[]>
  /** The block of memories for an agent. */
  context(...request: Asking<ContextRequest, Who>): Promise<Context>
  /** What matters at a moment of a session: a prompt, a tool call, a failure, an output or a task. Empty if nothing does. */
  recall(request: Claiming<RecallRequest, Who>): Promise<Recall>
  /** Accepts or rejects a held memory. `list({trust: ['quarantined'], includeInactive: true})` shows them. */
  review(
    id: string,
    decision: ReviewDecision,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memory: Memory | null }>
  /** All decisions about a memory, with reason and both texts, and its current state. */
  decisions(id: string, ...claim: ClaimArgument<Who>): Promise<Decisions>
  /** Undoes the last decision about a memory, and remembers that. Only for operators. */
  undo(id: string, ...claim: ClaimArgument<Who, Repeatable>): Promise<Undone>
  /**
   * States how two memories relate: `same` (the first stays), `both-true`, or the first `replaces` the second. They and their texts are not
   * compared again. Only for operators.
   */
  settle(
    ids: [first: string, second: string],
    as: Settlement,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memories: Memory[] }>
  /** Withdraws what was never true: no agent sees it again, and running sessions that were shown it are told. Only for operators. */
  retract(id: string, request: Claiming<{ why: string }, Who>): Promise<Retracted>
  /** Every change to a memory, oldest first, including deleted ones. */
  history(
    id: string,
    ...request: ClaimArgument<Who, Pick<PageRequest, 'limit' | 'cursor'>>
  ): Promise<{ changes: Change[]; nextCursor: string | null }>
  /** How often memories were shown and used, and how those runs ended compared with similar runs without them. */
  usefulness(ids: readonly string[], ...claim: ClaimArgument<Who>): Promise<MemoryUsefulness[]>
  /** Restores a deleted memory with its id, words and history, which continues. */
  restore(id: string, ...claim: ClaimArgument<Who>): Promise<{ memory: Memory }>
  /** Deleted memories that can be restored, latest first. */
  deleted(...request: Asking<{ limit?: number }, Who>): Promise<{ deleted: DeletedMemory[]; totalCount: number }>
  /** Ids of memories that begin or end with this, at most `limit`; `deleted` includes deleted ones. */
  findIds(
    part: string,
    ...request: ClaimArgument<Who, { deleted?: boolean; limit?: number }>
  ): Promise<{ ids: string[] }>

  /** Counts of what the caller may see; days from `since` on are counted separately. */
  tally(request: Claiming<{ since: string | Date }, Who>): Promise<Tally>

  /** Records that a run has begun, with what is known. Earlier records of it are kept. */
  beginSession(start: SessionStart & Stoppable): Promise<Session>
  /** Records how it ended. Only the first end counts. */
  endSession(id: string, end?: SessionEnd & Stoppable): Promise<Session>
  session(id: string, ...claim: ClaimArgument<Who>): Promise<Session | null>
  /** Newest first. */
  sessions(...request: Asking<PageRequest, Who>): Promise<{ sessions: Session[]; nextCursor: string | null }>
  /** Sessions with what each was asked, shown, used and recorded; filtered by agent, outcome and words. */
  runs(...request: Asking<RunsRequest, Who>): Promise<{ runs: Run[]; nextCursor: string | null }>
  /** Memories with their standing: who corrects or disputes them, and whether they fade. Without `ids`: all that contradict or are contradicted. */
  standings(...request: Asking<{ ids?: string[] }, Who>): Promise<{ standings: MemoryStanding[] }>
  /** Memories at given times, and now. */
  asOf(request: Claiming<{ points: { id: string; at: string | Date }[] }, Who>): Promise<{ met: Met[] }>
  /** Which agents ran, what they learned, who was shown it and who used it. */
  fleet(...request: Asking<{ since?: string | Date; agent?: string; limit?: number }, Who>): Promise<Fleet>
  /** Records that a session was shown memories, and counts them as recalled. */
  recordShowing(showing: Claiming<Showing, Who>): Promise<void>
  /** What a session was shown, in order, or which sessions were shown a memory. */
  injections(
    request: Claiming<PageRequest, Who> & ({ session: string } | { memory: string }),
  ): Promise<{ injections: Injection[]; nextCursor: string | null }>
  /** Newest first. */
  events(...request: Asking<PageRequest, Who>): Promise<{ events: WorkflowEvent[]; nextCursor: string | null }>
  /** Applies the caps of one scope, as `record` does by itself; returns how many memories became inactive. */
  prune(scope: { layer: Layer; identifiers: Identifiers } & Stoppable): Promise<number>
  /** Memories, history, sessions and other records that the caller may read, as lines of JSON without line breaks. */
  export(...request: Asking<ExportOptions & Partial<Claim>, Who>): AsyncGenerator<string>
  /** The agents' personalities, across projects. */
  readonly personality: Personalities
}

/** The engine as one caller sees it: everything else does not exist. */
export type OwnMemories = Operations<OwnMemory, OwnClaim>

/** What code that authenticates a caller knows about it. */
interface CallerMode {
  named?: true
  seesHeld?: boolean
  agent?: boolean
  anonymous?: true
  beforeWrite?: BeforeWrite
}

/** The engine: the provider contract, and operations on the whole store. */
export interface Nokosu extends MemoryProvider, Operations<NewMemory, Claim>, AsyncDisposable {
  readonly embedding: EmbeddingProvider
  readonly settings: MemorySettings
  /**
   * The engine as this caller sees it. `by` is its name in the history, with `named` also when it speaks for a session. `within` limits what
   * it may change, if that is less than it may read. Only operators see held memories: that follows from the identifiers
   * (no agent, session or task), unless `seesHeld` is given. Agents cannot change what an operator wrote; that follows from them too, unless
   * `agent` is given. An `anonymous` caller reads and adds, and changes or removes nothing. `beforeWrite` is called with the number of memories
   * that a commit of this caller would write, and stops it by throwing.
   */
  as(identifiers: Identifiers, options?: { by?: string; within?: Identifiers } & CallerMode): OwnMemories
  /** The engine as an operator with this name sees it, with access to everything: a call without an owner applies to the whole store. */
  operator(by: string, options?: CallerMode): OwnMemories
  /** Access tokens for the server. */
  readonly tokens: Tokens
  /** Binds a key to a request for as long as the store exists; reusing the key for another request is a CONFLICT. */
  bindKey(key: string, asked: string, options?: Stoppable): Promise<void>
  /** Applies decay, caps and expiry to everything. */
  sweep(options?: SweepOptions & Stoppable): Promise<SweepReport>
  /** Permanently removes, with its history, what has been inactive or deleted since before `before`. */
  purge(options?: PurgeOptions & Stoppable): Promise<PurgeReport>
  readonly directory: Directory
  /** What operators did, newest first: who, when, from where and what. */
  audit(options?: AuditRequest & Stoppable): Promise<{ entries: AuditEntry[]; nextCursor: string | null }>
  /** Loads the models now, so that the first write or search does not have to. */
  warm(options?: Stoppable): Promise<void>
  /** Temporary failures that are being retried, and when. */
  backoffs(): Backoff[]
  stats(options?: Stoppable): Promise<StorageStats>
  /** Subscribes to changes; `changed` is called soon after any write. Returns an unsubscribe function, or null if the store cannot notify. */
  follow(changed: () => void, options?: Stoppable): Promise<(() => Promise<void>) | null>
  /** Gives every memory a vector of the current model. Can be interrupted and resumed. `dryRun` only counts missing ones, `gently` yields to other work. */
  reembed(options?: ReembedOptions & Stoppable): Promise<{ embedded: number }>
  /** Imports an export. Existing records stay unchanged. */
  import(lines: AsyncIterable<string>, options?: ImportOptions & Stoppable): Promise<ImportReport>
}

export interface PurgeOptions {
  before?: Date | string
  dryRun?: boolean
}

/** Which team, org and company projects belong to. */
export interface Directory {
  /** `{projectId, teamId, orgId, companyId}`, any two or more. */
  set(chain: Identifiers, options?: Repeatable): Promise<DirectoryEntry[]>
  remove(layer: DirectoryEntry['layer'], id: string, options?: Stoppable): Promise<void>
  list(options?: Stoppable): Promise<DirectoryEntry[]>
}
