/** What run.ts tells a worker. Times are in milliseconds for one statement or question. */
export type Order =
  | { do: 'open'; peer: string; folder: string; database: string }
  | { do: 'fill' | 'bulk'; texts: string[]; live?: boolean }
  | { do: 'add'; texts: string[]; seconds: number; live?: boolean }
  | { do: 'search'; texts: string[]; expected: string[]; seconds: number }
  | { do: 'weigh' }
  | { do: 'close' }

export interface Answer {
  times?: number[]
  /** The share of questions whose statement was among what was found. */
  found?: number
  /** Processor time of one, in milliseconds: it says more than the clock on a busy machine. */
  processor?: number
  /** What the process takes, in bytes, beyond what it had before the system was loaded. */
  memory?: number
  error?: string
}
