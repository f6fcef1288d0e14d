/** What a system must offer to be measured. Texts are statements, questions are asked about them. */
export interface Peer {
  /** Adds one statement. Done when the system says that it is stored. */
  add(text: string): Promise<unknown>
  /** Adds many statements with the system's own bulk call. */
  bulk(texts: readonly string[]): Promise<unknown>
  /** Fills the system without its own checks. Default: bulk(). */
  fill?(texts: readonly string[]): Promise<unknown>
  /** The texts found for a question, best first. */
  search(question: string): Promise<string[]>
  close(): Promise<void>
}

export type Embed = (texts: readonly string[]) => Promise<Float32Array[]>

export interface Place {
  /** A separate folder for its files. */
  folder: string
  embed: Embed
  /** The URL of an empty PostgreSQL database, for systems that need one. */
  database: string
}

export interface PeerModule {
  /** How it was set up, in words, and where that differs from its defaults. */
  settings: string
  /** What a program imports to use it. */
  packages: readonly string[]
  /** Whether another process finds what is stored. */
  persistent: boolean
  open(place: Place): Promise<Peer>
}

export const LIMIT = 10
export const DIMENSIONS = 384
export const OWNER = 'bench'
