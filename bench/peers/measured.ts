/** What one system did: for each measure its figure of every round, in order. */
export interface Measured {
  system: string
  memories: number
  rounds: Record<string, number[]>
  once: Record<string, number>
}
