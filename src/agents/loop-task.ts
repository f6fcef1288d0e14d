/** A task of a loop, as its file gives it. */
export interface LoopTask {
  id: string
  title: string
  description?: string | undefined
  section?: string | undefined
}

export type LoopRole = 'coder' | 'reviewer' | 'coordinator'
