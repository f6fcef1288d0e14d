import { type BrowserServer, chromium } from 'playwright-core'
import type { TestProject } from 'vitest/node'
import { findChromium } from './find-chromium.ts'

declare module 'vitest' {
  interface ProvidedContext {
    /** The address of the browser that all these tests share. */
    browser: string
  }
}

export function startBrowser(): Promise<BrowserServer> {
  // Containers have no user namespaces for the sandbox, and only our own pages are opened.
  return chromium.launchServer({ executablePath: findChromium(), args: ['--no-sandbox'] })
}

export default async function setup(project: TestProject) {
  const server = await startBrowser()
  project.provide('browser', server.wsEndpoint())
  return () => server.close()
}
