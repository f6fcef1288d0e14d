import type { TestProject } from 'vitest/node'
import { startBrowser } from './browser/global-setup.ts'
import { installClaude } from './e2e/global-setup.ts'

/** The browser and Claude Code, if available. If empty, the test is skipped and a line at the end says so. */
export default async function setup(project: TestProject) {
  const notTried: string[] = []
  const attempt = async <T>(what: string, make: () => T | Promise<T>): Promise<T | null> => {
    try {
      return await make()
    } catch (error) {
      notTried.push(`NOT TRIED: ${what}. ${(error as Error).message.trim()}`)
      return null
    }
  }
  const browser = await attempt('the dashboard in a browser', startBrowser)
  project.provide('browser', browser?.wsEndpoint() ?? '')
  project.provide('claudeBinary', (await attempt('a run of the real Claude Code', installClaude)) ?? '')
  return async () => {
    await browser?.close()
    for (const line of notTried) console.log(line)
  }
}
