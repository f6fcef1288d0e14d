/** The commands of run.ts to a worker. Times are in milliseconds for one statement or question. */
export type Order =
  | { do: 'open'; peer: string; folder: string; database: string }
  | { do: 'fill' | 'bulk'; texts: string[]; live?: boolean }
  | { do: 'add'; texts: string[]; seconds: number; live?: boolean }
  | { do: 'search'; texts: string[]; expected: string[]; seconds: number }
  | { do: 'weigh' }
  | { do: 'close' }

export interface Answer {
  times?: number[]
  /** The share of questions whose statement was found. */
  found?: number
  /** CPU time of one, in milliseconds: more reliable than wall time on a busy machine. */
  processor?: number
  /** Memory of the process in bytes, minus its memory before the system was loaded. */
  memory?: number
  error?: string
}
