/** The results of one system: each measure with its value per round, in order. */
export interface Measured {
  system: string
  memories: number
  rounds: Record<string, number[]>
  once: Record<string, number>
}
