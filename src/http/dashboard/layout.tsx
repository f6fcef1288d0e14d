import { html } from 'hono/html'
import type { Child } from 'hono/jsx'
import type { Health } from '../../model/provider.ts'
import type { RequestContext } from '../route.ts'
import { assetPath } from './assets.ts'
import { ConfirmDialog, HelpDialog } from './parts/dialogs.tsx'
import { Icon, type IconName } from './parts/icon.tsx'
import { Stored } from './parts/stored.tsx'
import { href, type View } from './view.ts'

const PAGES: readonly [path: string, name: string, icon: IconName][] = [
  ['/', 'Overview', 'overview'],
  ['/sessions', 'Sessions', 'sessions'],
  ['/events', 'Events', 'events'],
  ['/memories', 'Memories', 'memories'],
  ['/cooldowns', 'Cooldowns', 'cooldowns'],
  ['/agents', 'Agents', 'agents'],
  ['/search', 'Search', 'search'],
  ['/review', 'Review', 'review'],
]

export interface PageFrame {
  title: string
  /** The path of the entry in the sidebar that the page belongs to. */
  current: string
  /** How many memories wait for review, where that is known. */
  held?: number
  health?: Health
  status?: 200 | 400 | 403 | 404 | 409 | 503
  children: Child
}

/** htmx: no inline styles, no evaluated text, requests to this server only, nothing kept in the browser. */
const HTMX = JSON.stringify({
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

/** A whole page with its frame. */
export async function sendPage(view: View, frame: PageFrame): Promise<Response> {
  const { context, parts } = view
  const [health, held] = await Promise.all([frame.health ?? parts.memory.healthCheck(), frame.held ?? countHeld(view)])
  return send(
    context,
    <Document title={frame.title} headers={{ 'x-csrf-token': view.access.caller.csrf }}>
      <Sidebar view={view} current={frame.current} held={held} health={health} />
      <main id="main" tabindex={-1}>
        {health.problems.map((problem) => (
          <p class="problem" role="alert">
            <Stored text={problem} />
          </p>
        ))}
        {frame.children}
      </main>
      <div hidden data-live={href(view, '/live')} data-worker={assetPath('live-worker.js')} />
      <div class="toasts" role="status" aria-live="polite" />
      <ConfirmDialog />
      <HelpDialog />
    </Document>,
    frame.status,
  )
}

/** How many memories wait for a decision; a caller who has not said of which project is told none. */
async function countHeld(view: View): Promise<number> {
  if (view.project === null && !view.access.may('admin')) return 0
  return (await view.own.list({ limit: 1, includeInactive: true, trust: ['quarantined'] })).totalCount
}

export function send(
  context: RequestContext,
  document: Child,
  status: PageFrame['status'] = 200,
): Response | Promise<Response> {
  return context.html(html`<!doctype html>${document}`, status)
}

export function Document({ title, headers, children }: { title: string; headers?: object; children?: Child }) {
  return (
    <html lang="en">
      <head>
        <meta charset="utf-8" />
        <meta name="viewport" content="width=device-width, initial-scale=1" />
        <meta name="color-scheme" content="light dark" />
        <meta name="htmx-config" content={HTMX} />
        <title>{title} · Nokosu</title>
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

function Sidebar({ view, current, held, health }: { view: View; current: string; held: number; health: Health }) {
  const { caller } = view.access
  const isBound = Object.keys(caller.identifiers).length > 0
  return (
    <header class="sidebar">
      <a class="brand" href={href(view, '/')}>
        <img src={assetPath('icon.svg')} alt="" width="28" height="28" /> nokosu
      </a>
      <nav aria-label="Pages">
        <ul>
          {PAGES.map(([path, name, icon]) => (
            <li>
              <a href={href(view, path)} data-page={path} aria-current={path === current ? 'page' : undefined}>
                <Icon name={icon} /> {name}
                {path === '/review' && held > 0 ? (
                  <span class="badge">
                    {held}
                    <span class="hidden-label"> held for review</span>
                  </span>
                ) : null}
              </a>
            </li>
          ))}
        </ul>
      </nav>
      <footer>
        {isBound ? (
          <p class="who">
            Project{' '}
            <b>
              <Stored text={caller.identifiers.projectId ?? ''} />
            </b>
          </p>
        ) : (
          <form class="scope" action={view.context.req.path} method="get">
            <label for="project">Project</label>
            <input
              id="project"
              name="project"
              value={view.project ?? ''}
              placeholder="all projects"
              autocomplete="off"
            />
          </form>
        )}
        <p class={`health ${health.status}`} title={`The store answered in ${health.latencyMs} ms`}>
          {health.status === 'healthy' ? 'Store is healthy' : `Store is ${health.status}`}
        </p>
        <div class="tools">
          <button type="button" class="quiet" data-toggle-theme>
            Theme
          </button>
          <button type="button" class="quiet" data-help>
            Keys
          </button>
          <a class="button quiet" href="/docs">
            API
          </a>
          {caller.token === null ? null : (
            <form method="post" action="/logout">
              <input type="hidden" name="csrf" value={caller.csrf} />
              <button type="submit" class="quiet">
                Sign out
              </button>
            </form>
          )}
        </div>
      </footer>
    </header>
  )
}
