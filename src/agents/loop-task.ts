export interface LoopTask {
  id: string
  title: string
  description?: string | undefined
  section?: string | undefined
}

export type LoopRole = 'coder' | 'reviewer' | 'coordinator'
