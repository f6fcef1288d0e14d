/** The contract of a memory provider, and how one that was written elsewhere is used in its place. */

export { type ForeignProvider, fromProvider } from './engine/from-provider.ts'
export type {
  AddOptions,
  Asking,
  Capabilities,
  ClaimArgument,
  Claiming,
  Explanation,
  Health,
  MemoryOperations,
  MemoryProvider,
  OwnClaim,
  Repeatable,
  Stoppable,
} from './model/provider.ts'
export type { Claim } from './model/schema.ts'
