import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of all these tests listens. */
    browser: string
  }
}

export function startBrowser(): Promise<BrowserServer> {
  // A container has no user namespaces for the sandbox; only pages of our own are opened.
  return chromium.launchServer({ executablePath: findChromium(), args: ['--no-sandbox'] })
}

export default async function setup(project: TestProject) {
  const server = await startBrowser()
  project.provide('browser', server.wsEndpoint())
  return () => server.close()
}
