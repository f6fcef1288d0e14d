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
import type { Change, DirectoryEntry, Injection, Session, WorkflowEvent } from '../model/records.ts'
import type { Claim, NewMemory, OwnMemory, PageRequest } from '../model/schema.ts'
import type { Tally } from '../storage/tally.ts'
import type { PurgeReport, StorageStats } from '../storage/upkeep.ts'
import type { Met } from './as-of.ts'
import type { Backoff } from './backoffs.ts'
import type { CaptureReport, CaptureRequest } from './capture.ts'
import type { Context, ContextRequest } from './context.ts'
import type { Fleet } from './fleet.ts'
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

/** What a caller can do, whoever `Who` is: anybody who says so (`Nokosu`), or one who is known (`memory.as(...)`). */
export interface Operations<New, Who> extends MemoryOperations<New, Who> {
  /** Reads a run's output (Claude Code's stream-json or transcript, or plain text) and remembers what it left behind. */
  capture(source: AsyncIterable<Uint8Array> | string, request: Claiming<CaptureRequest, Who>): Promise<CaptureReport>
  /** Remembers what is worth it of a workflow event: a submission, rejection, approval, follow-up, decision or hint. */
  record(
    event: WorkflowEventInput,
    options?: { session?: string; dryRun?: boolean } & Repeatable,
  ): Promise<{ outcomes: Outcome[]; refusals: Refusal[] }>
  /** Takes one observation or several through guard and admit, as capture does. */
  remember(
    candidates: string | CandidateInput | readonly (string | CandidateInput)[],
    ...target: Asking<RememberTarget, Who>
  ): Promise<Outcome[]>
  /** The block of memories that an agent is shown. */
  context(...request: Asking<ContextRequest, Who>): Promise<Context>
  /** What matters at a moment of a session: a prompt, a tool call, a failure, an output or a task. Nothing when nothing does. */
  recall(request: Claiming<RecallRequest, Who>): Promise<Recall>
  /** Accepts or rejects a memory that is held back for review. `list({trust: ['quarantined'], includeInactive: true})` shows them. */
  review(
    id: string,
    decision: ReviewDecision,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memory: Memory | null }>
  /** Everything that was decided about a memory, with the reason and both texts, and what it comes to now. */
  decisions(id: string, ...claim: ClaimArgument<Who>): Promise<Decisions>
  /** Takes back the last decision about a memory that stands, and is remembered. Only for operators. */
  undo(id: string, ...claim: ClaimArgument<Who, Repeatable>): Promise<Undone>
  /**
   * Says how two memories stand to each other: `same` (the first stays), `both-true`, or that the first `replaces` the second. They are not
   * compared again, nor are their words. Only for operators.
   */
  settle(
    ids: [first: string, second: string],
    as: Settlement,
    ...claim: ClaimArgument<Who, Repeatable>
  ): Promise<{ memories: Memory[] }>
  /** Withdraws what was wrong all along: no agent sees it again, and running sessions that were shown it are told. Only for operators. */
  retract(id: string, request: Claiming<{ why: string }, Who>): Promise<Retracted>
  /** Every change to a memory, oldest first; of deleted ones too. */
  history(
    id: string,
    ...request: ClaimArgument<Who, Pick<PageRequest, 'limit' | 'cursor'>>
  ): Promise<{ changes: Change[]; nextCursor: string | null }>
  /** How often memories were shown and used, and how those runs ended beside runs of the same kind without them. */
  usefulness(ids: readonly string[], ...claim: ClaimArgument<Who>): Promise<MemoryUsefulness[]>
  /** Brings back a deleted memory: with its id, its words and its history, which goes on. */
  restore(id: string, ...claim: ClaimArgument<Who>): Promise<{ memory: Memory }>
  /** What was deleted and can be brought back, the latest first. */
  deleted(...request: Asking<{ limit?: number }, Who>): Promise<{ deleted: DeletedMemory[]; totalCount: number }>
  /** The ids of memories, with `deleted` also of deleted ones, that begin or end with this; at most `limit`. */
  findIds(
    part: string,
    ...request: ClaimArgument<Who, { deleted?: boolean; limit?: number }>
  ): Promise<{ ids: string[] }>

  /** What the caller may see, in figures; each day from `since` on for itself. */
  tally(request: Claiming<{ since: string | Date }, Who>): Promise<Tally>

  /** Says that a run has begun, as far as it is known. What was said of it before stands. */
  beginSession(start: SessionStart & Stoppable): Promise<Session>
  /** Says how it ended. Only the first end counts. */
  endSession(id: string, end?: SessionEnd & Stoppable): Promise<Session>
  session(id: string, ...claim: ClaimArgument<Who>): Promise<Session | null>
  /** Newest first. */
  sessions(...request: Asking<PageRequest, Who>): Promise<{ sessions: Session[]; nextCursor: string | null }>
  /** The same with what each run was asked, shown, used and recorded; by agent, outcome and words where that is asked. */
  runs(...request: Asking<RunsRequest, Who>): Promise<{ runs: Run[]; nextCursor: string | null }>
  /** Memories with what each comes to: who corrects or disputes it, whether it fades. Without `ids`: all that contradict or are contradicted. */
  standings(...request: Asking<{ ids?: string[] }, Who>): Promise<{ standings: MemoryStanding[] }>
  /** What memories were at certain times, and what they are now. */
  asOf(request: Claiming<{ points: { id: string; at: string }[] }, Who>): Promise<{ met: Met[] }>
  /** Who ran, what they learned, who was shown it and who used it. */
  fleet(...request: Asking<{ since?: string | Date; agent?: string; limit?: number }, Who>): Promise<Fleet>
  /** Records that a session was shown memories, and counts them as recalled. */
  recordShowing(showing: Claiming<Showing, Who>): Promise<void>
  /** What a session was shown, in order, or which sessions were shown a memory. */
  injections(
    request: Claiming<PageRequest, Who> & ({ session: string } | { memory: string }),
  ): Promise<{ injections: Injection[]; nextCursor: string | null }>
  /** Newest first. */
  events(...request: Asking<PageRequest, Who>): Promise<{ events: WorkflowEvent[]; nextCursor: string | null }>
  /** The caps of one scope, as `record` applies them by itself; returns how many memories went inactive. */
  prune(scope: { layer: Layer; identifiers: Identifiers } & Stoppable): Promise<number>
  /** Memories, history, sessions and the rest that the caller may read, as lines of JSON without their line breaks. */
  export(...request: Asking<ExportOptions & Partial<Claim>, Who>): AsyncGenerator<string>
  /** Who the agents are, across projects. */
  readonly personality: Personalities
}

/** The engine as one caller sees it: everything else does not exist. */
export type OwnMemories = Operations<OwnMemory, OwnClaim>

/** What whoever lets a caller in knows of it. */
interface CallerMode {
  named?: true
  seesHeld?: boolean
  agent?: boolean
  anonymous?: true
}

/** The engine: the provider contract, and what only the whole can offer. */
export interface Nokosu extends MemoryProvider, Operations<NewMemory, Claim>, AsyncDisposable {
  readonly embedding: EmbeddingProvider
  readonly settings: MemorySettings
  /**
   * The engine seen by this caller. `by` names it in the history, with `named` also where it speaks for a session. `within` bounds what
   * it may change, where that is less than it may read. What is held for review exists for operators only: who is one, its identifiers say
   * (no agent, session or task), unless `seesHeld` does. An agent cannot change what an operator wrote; who is one, they say too, unless
   * `agent` does. An `anonymous` one reads and adds, and changes or removes nothing.
   */
  as(identifiers: Identifiers, options?: { by?: string; within?: Identifiers } & CallerMode): OwnMemories
  /** The engine seen by an operator of this name, who may see everything: a call that says nothing else is made for the whole store. */
  operator(by: string, options?: CallerMode): OwnMemories
  /** Keys to the server. */
  readonly tokens: Tokens
  /** Binds a key to what is asked with it, for as long as the store lives; something else with the same key is a CONFLICT. */
  bindKey(key: string, asked: string, options?: Stoppable): Promise<void>
  /** Decay, caps and expiry, over everything. */
  sweep(options?: SweepOptions & Stoppable): Promise<SweepReport>
  /** Removes for good, history included, what has been inactive or deleted since before `before`. */
  purge(options?: PurgeOptions & Stoppable): Promise<PurgeReport>
  readonly directory: Directory
  /** Loads the models now, so that the first write and the first search need not. */
  warm(options?: Stoppable): Promise<void>
  /** What failed for a moment and is tried again, and when. */
  backoffs(): Backoff[]
  stats(options?: Stoppable): Promise<StorageStats>
  /** Calls `changed` soon after anybody has written to the store; returns what ends that. null: the store does not tell. */
  follow(changed: () => void, options?: Stoppable): Promise<(() => Promise<void>) | null>
  /** Gives every memory a vector of the current model. Can be interrupted and run again. `dryRun` only counts those that have none, `gently` leaves room for other work. */
  reembed(options?: ReembedOptions & Stoppable): Promise<{ embedded: number }>
  /** Reads an export. What is there already stays as it is. */
  import(lines: AsyncIterable<string>, options?: ImportOptions & Stoppable): Promise<ImportReport>
}

export interface PurgeOptions {
  before?: Date | string
  dryRun?: boolean
}

/** Where projects, teams and orgs belong. */
export interface Directory {
  /** `{projectId, teamId, orgId, companyId}`, any two or more. */
  set(chain: Identifiers, options?: Repeatable): Promise<DirectoryEntry[]>
  remove(layer: DirectoryEntry['layer'], id: string, options?: Stoppable): Promise<void>
  list(options?: Stoppable): Promise<DirectoryEntry[]>
}
