/** The contract of a memory provider, and how to use a third party's provider. */

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
