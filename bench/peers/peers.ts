import { langgraph } from './langgraph.ts'
import { mastra } from './mastra.ts'
import { mem0 } from './mem0.ts'
import { nokosu, nokosuExact } from './nokosu.ts'
import type { PeerModule } from './peer.ts'
import { serverMemory } from './server-memory.ts'
import { sqliteVec } from './sqlite-vec.ts'

/** By the name in the tables. The others are compared with Nokosu. */
export const PEERS: Readonly<Record<string, PeerModule>> = {
  Nokosu: nokosu,
  'Nokosu exact': nokosuExact,
  mem0ai: mem0,
  '@mastra/memory': mastra,
  'server-memory': serverMemory,
  'LangGraph store': langgraph,
  'sqlite-vec': sqliteVec,
}
