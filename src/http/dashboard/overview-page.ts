import { html, raw } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import type { Nokosu } from '../../engine/nokosu.ts'
import { escapeHtml } from '../../guard/escape.ts'
import { LAYERS, REQUIRED_IDENTIFIER } from '../../model/layer.ts'
import { isExpired, type Memory } from '../../model/memory.ts'
import type { Health } from '../../model/provider.ts'
import { formatAge, formatBytes, formatCount } from './format.ts'

type Stats = Awaited<ReturnType<Nokosu['stats']>>

export interface Overview {
  health: Health
  stats: Stats
  /** The embedding model in use. */
  model: string
  newest: readonly Memory[]
  /** How many memories wait for an operator's decision. */
  held: number
  store: string
  command: string
  now: Date
}

type Html = HtmlEscapedString | Promise<HtmlEscapedString>

/** Stored text on a page: escaped, with its invisible characters shown. */
function stored(text: string): HtmlEscapedString {
  return raw(escapeHtml(text))
}

/** The first page: what is stored, whether the store is healthy, and what to try next. */
export function renderOverview(overview: Overview): Html {
  const { health, stats, store } = overview
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Nokosu: ${formatCount(stats.memories)} memories</title>
<link rel="icon" href="/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/style.css">
</head>
<body>
<header class="top">
  <div class="inner">
    <a class="mark" href="/"><img src="/icon.svg" alt="" width="30" height="30"> nokosu</a>
    <span class="store" title="The store">${stored(store)}</span>
    ${renderHealth(health)}
  </div>
</header>
<main class="inner">
  ${health.problems.map((problem) => html`<p class="problem" role="alert">${stored(problem)}</p>`)}
  ${stats.memories === 0 ? renderWelcome(overview) : renderContents(overview)}
</main>
<footer class="inner">
  <a href="/healthz">health</a> <a href="/readyz">readiness</a> <a href="/metrics">metrics</a>
</footer>
</body>
</html>`
}

function renderWelcome(overview: Overview): Html {
  return html`<h1>There are no memories yet</h1>
  <p class="lead">One command adds the first.</p>
  ${renderNextSteps(overview)}`
}

function renderContents(overview: Overview): Html {
  return html`<h1>Memories</h1>
  ${renderFigures(overview)}
  <div class="columns">
    ${renderNewest(overview)}
    <div class="side">${renderLayers(overview)}${renderNextSteps(overview)}</div>
  </div>`
}

function renderHealth({ status, latencyMs }: Health): Html {
  return html`<span class="health ${status}" title="The store answered in ${latencyMs} ms">${status}</span>`
}

function renderFigures({ stats, model }: Overview): Html {
  const { memories, active, sessions, sizeBytes, models } = stats
  const others = models.filter((name) => name !== model)
  const vectors = others.length === 0 ? 'of all vectors' : `some vectors are of ${others.join(', ')}`
  const figure = (name: string, value: string, remark: string) =>
    html`<div class="figure"><dt>${name}</dt><dd>${value}</dd><dd class="remark">${remark}</dd></div>`
  return html`<dl class="figures">
  ${figure('Memories', formatCount(memories), `${formatCount(active)} active`)}
  ${figure('Sessions', formatCount(sessions), sessions === 0 ? 'no agent has run yet' : 'runs of agents')}
  ${figure('Size', sizeBytes === null ? '–' : formatBytes(sizeBytes), 'with vectors and history')}
  ${figure('Model', model.replace(/^[a-z]+:/, '').replace(/-int8$/, ''), vectors)}
</dl>`
}

function renderLayers({ stats }: Overview): Html {
  const layers = LAYERS.flatMap((layer) => {
    const count = stats.byLayer[layer] ?? 0
    return count === 0 ? [] : [{ layer, count }]
  })
  const most = Math.max(1, ...layers.map(({ count }) => count))
  // The width is an SVG attribute, because the page's policy forbids inline styles.
  const bar = (count: number) => html`<svg class="bar" width="100%" height="8" aria-hidden="true">
      <rect class="track" width="100%" height="8" rx="4"/>
      <rect class="fill" width="${Math.max(2, Math.round((100 * count) / most))}%" height="8" rx="4"/></svg>`
  return html`<section class="card layers" aria-labelledby="layers">
  <h2 id="layers">By layer</h2>
  <ul>${layers.map(
    ({ layer, count }) =>
      html`<li><span class="name">${layer}</span><span class="count">${formatCount(count)}</span>${bar(count)}</li>`,
  )}</ul>
</section>`
}

function renderNewest({ newest, now }: Overview): Html {
  return html`<section class="card newest" aria-labelledby="newest">
  <h2 id="newest">Newest memories</h2>
  <ol>${newest.map((memory) => renderMemory(memory, now))}</ol>
</section>`
}

function renderMemory(memory: Memory, now: Date): Html {
  const { layer, identifiers, category, service, confidence, createdAt } = memory
  const hidden = hiddenBecause(memory, now)
  const state = hidden ?? (memory.trust === 'flagged' ? 'unverified' : null)
  return html`<li class="${hidden === null ? 'memory' : 'memory faded'}">
    <p>${stored(memory.content)}</p>
    <div class="about">
      <span class="chip ${category}">${category}</span>
      ${service === null ? '' : html`<span class="chip">${stored(service)}</span>`}
      ${state === null ? '' : html`<span class="chip state">${state}</span>`}
      <span>${layer} <b>${stored(identifiers[REQUIRED_IDENTIFIER[layer]] ?? '?')}</b></span>
      <span>confidence ${confidence.toFixed(2)}</span>
      <time datetime="${createdAt}" title="${createdAt}">${formatAge(createdAt, now)}</time>
    </div>
  </li>`
}

/** Why no agent is shown it; null when agents are. */
function hiddenBecause(memory: Memory, now: Date): string | null {
  if (memory.trust === 'quarantined') return 'held for review'
  if (!memory.active) return 'inactive'
  return isExpired(memory, now) ? 'expired' : null
}

function renderNextSteps({ stats, newest, held, command }: Overview): Html {
  const project = newest.find((memory) => memory.identifiers.projectId !== undefined)?.identifiers.projectId ?? 'demo'
  const safe = /^[\w.-]+$/.test(project) ? project : 'demo'
  const steps = [
    ...(held === 0 ? [] : [[`Decide on what is held for review (${formatCount(held)})`, `${command} review --all`]]),
    ['Add a memory', `${command} add --project ${safe} "The staging database is reset every night"`],
    ['Find it by meaning', `${command} search --project ${safe} "when does staging lose its data"`],
    ...(stats.memories === 0 ? [] : [['List everything', `${command} list --all`]]),
    ['Check the store', `${command} doctor`],
  ]
  return html`<section class="card next" aria-labelledby="next">
  <h2 id="next">What to try next</h2>
  <dl>${steps.map(([title, line]) => html`<div><dt>${title}</dt><dd><code>${line}</code></dd></div>`)}</dl>
</section>`
}
