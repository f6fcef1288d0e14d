import { chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** Where the one browser of all these tests listens. */
    browser: string
  }
}

export default async function setup(project: TestProject) {
  // A container has no user namespaces for the sandbox; only pages of our own are opened.
  const server = await chromium.launchServer({ executablePath: findChromium(), args: ['--no-sandbox'] })
  project.provide('browser', server.wsEndpoint())
  return () => server.close()
}
