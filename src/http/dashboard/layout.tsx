import { html, raw } from 'hono/html'
import type { Child, PropsWithChildren } from 'hono/jsx'
import { escapeHtml } from '../../guard/escape.ts'
import type { Health } from '../../model/provider.ts'
import type { RequestContext } from '../route.ts'
import { assetPath } from './assets.ts'
import { ConfirmDialog, HelpDialog } from './parts/dialogs.tsx'
import { Stored } from './parts/stored.tsx'
import { isUnknownProject, projectsOf } from './projects.ts'
import { SECTIONS } from './sections.ts'
import { Sidebar } from './sidebar.tsx'
import { UnknownProject } from './unknown-project.tsx'
import { href, type View } from './view.ts'

export interface PageFrame {
  title: string
  /** Replaces the title above the page; null if the page has its own. */
  heading?: Child | null
  lead?: string
  actions?: Child
  /** Number of memories awaiting review, if known. */
  held?: number
  health?: Health
  children: Child
}

/**
 * htmx: no inline styles, no evaluated text, requests to this server only, nothing stored in the browser. No settle delay: with
 * a delay, a click on it in the first 20 ms would be lost.
 */
const HTMX = JSON.stringify({
  defaultSettleDelay: 0,
  includeIndicatorStyles: false,
  allowEval: false,
  selfRequestsOnly: true,
  historyCacheSize: 0,
  refreshOnHistoryMiss: true,
  responseHandling: [
    { code: '204', swap: false },
    { code: '[23]..', swap: true },
    { code: '422', swap: true },
    { code: '[45]..', swap: false, error: true },
  ],
})

export async function sendPage(view: View, frame: PageFrame): Promise<Response> {
  const { context, parts } = view
  const [health, held, projects, isUnknown] = await Promise.all([
    frame.health ?? parts.memory.healthCheck(),
    frame.held ?? countHeld(view),
    projectsOf(view),
    isUnknownProject(view),
  ])
  const [, section = '', page] = context.req.path.split('/')
  const [path, name] = SECTIONS.find(([each]) => each === `/${section}`)!
  return send(
    context,
    <Document title={frame.title} headers={{ 'x-csrf-token': view.access.caller.csrf }}>
      <Sidebar view={view} current={path} held={held} health={health} projects={projects} />
      <main id="main" tabindex={-1}>
        {health.problems.map((problem) => (
          <p class="problem" role="alert">
            <Stored text={problem} />
          </p>
        ))}
        {page === undefined || frame.heading === null ? null : <Crumbs to={href(view, path)} name={name} />}
        <div class="heading">
          {frame.heading === null ? (
            <Crumbs to={href(view, path)} name={name} />
          ) : (
            <h1>{frame.heading ?? frame.title}</h1>
          )}
          {isUnknown ? null : frame.actions}
        </div>
        {frame.lead === undefined || isUnknown ? null : <p class="lead">{frame.lead}</p>}
        {isUnknown ? <UnknownProject view={view} current={path} projects={projects} /> : frame.children}
      </main>
      <div hidden data-live={href(view, '/live')} data-worker={assetPath('live-worker.js')} />
      <div class="toasts" role="status" aria-live="polite" />
      <ConfirmDialog />
      <HelpDialog />
    </Document>,
  )
}

function Crumbs({ to, name }: { to: string; name: string }) {
  return (
    <p class="crumbs">
      <a href={to}>{name}</a>
    </p>
  )
}

/** How many memories await review; null if the caller has not chosen a project. */
async function countHeld(view: View): Promise<number> {
  if (view.project === null && !view.access.may('admin')) return 0
  return (await view.own.list({ limit: 1, includeInactive: true, trust: ['quarantined'] })).totalCount
}

export function send(
  context: RequestContext,
  document: Child,
  status: 200 | 400 | 403 | 404 | 409 | 503 = 200,
): Response | Promise<Response> {
  return context.html(html`<!doctype html>${document}`, status)
}

function Document({ title, headers, children }: PropsWithChildren<{ title: string; headers?: object }>) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX} />
        <title>{raw(escapeHtml(`${title} · Nokosu`))}</title>
        <link rel="icon" href={assetPath('icon.svg')} type="image/svg+xml" />
        <script src={assetPath('theme.js')} />
        <link rel="stylesheet" href={assetPath('style.css')} />
        <script src={assetPath('app.js')} defer />
      </head>
      <body hx-headers={headers === undefined ? undefined : JSON.stringify(headers)}>
        <a class="skip" href="#main">
          Skip to the content
        </a>
        {children}
      </body>
    </html>
  )
}

export function LonePage({ title, children }: PropsWithChildren<{ title: string }>) {
  return (
    <Document title={title}>
      <main id="main" class="signin">
        {children}
      </main>
    </Document>
  )
}
