import { type Browser, chromium, type Locator, type Page } from 'playwright-core'
import { afterAll, beforeAll, expect, inject, onTestFinished } from 'vitest'
import { type Nokosu, openMemory } from '../../src/engine/open-memory.ts'
import type { HeldBack } from '../../src/http/dashboard/held-back.ts'
import { type RunningServer, serve } from '../../src/http/serve.ts'
import type { Identifiers } from '../../src/model/layer.ts'
import type { OwnMemory } from '../../src/model/schema.ts'
import { createLogger } from '../../src/observe/log.ts'
import { startTelemetry } from '../../src/observe/telemetry.ts'
import { referenceStorage } from '../../src/storage/reference/reference-storage.ts'

const OPERATOR_KEY = `nko_${'a'.repeat(43)}`

export const SHOP = { projectId: 'shop' }

interface PageOptions {
  theme?: 'light' | 'dark'
  width?: number
  /** Signs in with this token. Default: as the operator, without a token. */
  token?: string
  /** Not signed in at all. */
  anonymous?: true
}

interface ServerOptions {
  requireToken?: boolean
  heldBack?: HeldBack
}

let browser: Browser | null = null

/** Call once per file: all files share the browser. */
export function useBrowser(): void {
  beforeAll(async () => {
    const address = inject('browser')
    browser = address === '' ? null : await chromium.connect(address)
  })
  afterAll(() => browser?.close())
}

/** A server with an empty memory, and its pages. A page that logs an error or contacts another host fails the test. */
export async function openDashboard({ requireToken = false, heldBack }: ServerOptions = {}) {
  const memory = await openMemory({ storage: referenceStorage(), embedding: { kind: 'hashing' }, relations: null })
  const metrics = await startTelemetry({})
  if (requireToken) await memory.tokens.create({ name: 'first', scope: 'admin' })
  const start = (port: number) =>
    serve({
      memory,
      metrics,
      log: createLogger('error'),
      store: '/some/where.db',
      command: 'nokosu',
      project: 'shop',
      host: '127.0.0.1',
      port,
      requireToken,
      operatorKey: OPERATOR_KEY,
      rate: null,
      ...(heldBack ? { heldBack: async () => heldBack } : {}),
    })
  let server = await start(0)
  onTestFinished(async () => {
    await server.close()
    await memory.shutdown()
    await metrics.close()
  })
  return {
    memory,
    url: server.url,
    /** Another process at the same address. */
    restart: async () => {
      await server.close()
      server = await start(server.port)
    },
    add: adder(memory),
    open: (path = '/', options: PageOptions = {}) =>
      openPage(server, path, requireToken || options.anonymous ? options : { token: OPERATOR_KEY, ...options }),
    mintLink: () => server.mintLink!(),
    token: async (scope: 'read' | 'write' | 'admin', identifiers: Identifiers = {}, name: string = scope) =>
      (await memory.tokens.create({ name, scope, identifiers })).secret,
  }
}

function adder(memory: Nokosu) {
  return async (content: string, more: Partial<OwnMemory> = {}) =>
    (
      await memory
        .as(SHOP, { by: 'test' })
        .add({ exact: true, layer: 'project', content, category: 'behavior', ...more })
    ).memory
}

async function openPage(server: RunningServer, path: string, { theme = 'light', width = 1280, token }: PageOptions) {
  const context = await browser!.newContext({ viewport: { width, height: 800 }, colorScheme: theme })
  // Only for what never happens: a busy machine is slow.
  context.setDefaultTimeout(240_000)
  const page = await context.newPage()
  const complaints: string[] = []
  page.on('console', (message) => {
    if (['error', 'warning'].includes(message.type())) complaints.push(message.text())
  })
  // A native dialog would cover all pages and look like anyone's.
  page.on('dialog', (dialog) => {
    complaints.push(`a dialog: ${dialog.message()}`)
    return dialog.dismiss()
  })
  page.on('pageerror', (error) => complaints.push(error.message))
  page.on('request', (request) => {
    if (!request.url().startsWith(server.url)) complaints.push(`a request to ${request.url()}`)
  })
  // A test removes the errors that it provokes on purpose.
  const quiet = { complaints }
  onTestFinished(async () => {
    await context.close()
    expect(complaints).toEqual([])
  })
  if (token !== undefined) await signIn(page, server.url, token)
  await page.goto(server.url + path)
  return Object.assign(page, quiet)
}

async function signIn(page: Page, url: string, token: string): Promise<void> {
  await page.goto(`${url}/login`)
  await page.getByLabel(/token/i).fill(token)
  await page.getByRole('button', { name: 'Sign in' }).click()
  await page.waitForURL(`${url}/`)
}

/** An action in a row's menu. */
export async function choose(row: Locator, action: RegExp): Promise<void> {
  await row.getByRole('button', { name: /^Actions/ }).click()
  await row.getByRole('button', { name: action }).click()
}

/** Waits until an expression is true in the page. Playwright's own way evaluates strings in the page, which its policy forbids. */
export async function until(page: Page, expression: string): Promise<void> {
  await expect.poll(() => page.evaluate(`Boolean(${expression})`), { interval: 50 }).toBe(true)
}
