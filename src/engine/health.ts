import type { Health } from '../model/provider.ts'
import type { Core } from './core.ts'

/** Whether the store answers, and whether its vectors are of the model that is in use. */
export async function checkHealth({ storage, model }: Core): Promise<Health> {
  const start = performance.now()
  const latencyMs = () => Math.round((performance.now() - start) * 100) / 100
  try {
    await storage.ping()
    const { models } = await storage.stats()
    const others = models.includes(model.name) ? [] : models
    const problems = others.length === 0 ? [] : [modelChanged(others, model.name)]
    return { status: problems.length === 0 ? 'healthy' : 'degraded', latencyMs: latencyMs(), problems }
  } catch (error) {
    return { status: 'unhealthy', latencyMs: latencyMs(), problems: [(error as Error).message] }
  }
}

function modelChanged(others: readonly string[], current: string): string {
  return `The memories were embedded with ${others.join(', ')}, and the model is now ${current}. Run 'nokosu reembed'.`
}
