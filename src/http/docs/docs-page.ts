import { html } from 'hono/html'
import type { HtmlEscapedString } from 'hono/utils/html'
import { assetPath } from '../dashboard/assets.ts'

type Html = HtmlEscapedString | Promise<HtmlEscapedString>
type Json = Record<string, unknown>

interface Operation {
  operationId: string
  summary: string
  description: string
  tags: string[]
  parameters: { name: string; in: string; required?: boolean; description?: string; schema: Json }[]
  requestBody?: { content: { 'application/json': { schema: Json } } }
  responses: Record<string, { description: string; content?: Record<string, { schema: Json }> }>
}

/** The API description as a page: without scripts or external resources. */
export function renderDocs(description: Json): Html {
  const { info, paths, components } = description as {
    info: { title: string; version: string; description: string }
    paths: Record<string, Record<string, Operation>>
    components: { schemas: Record<string, Json> }
  }
  const operations = Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ path, method, ...operation })),
  )
  const tags = [...new Set(operations.flatMap((operation) => operation.tags))]
  return html`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${info.title} API</title>
<link rel="icon" href="${assetPath('icon.svg')}" type="image/svg+xml">
<link rel="stylesheet" href="${assetPath('docs.css')}">
</head>
<body>
<nav aria-label="Operations">
  <a class="home" href="/">nokosu</a>
  ${tags.map(
    (tag) =>
      html`<h2>${tag}</h2><ul>${operations
        .filter((operation) => operation.tags.includes(tag))
        .map(
          ({ operationId, method, path }) => html`<li><a href="#${operationId}">${verb(method)} ${path}</a></li>`,
        )}</ul>`,
  )}
  <h2>Shapes</h2><ul>${Object.keys(components.schemas).map((name) => html`<li><a href="#shape-${name}">${name}</a></li>`)}</ul>
</nav>
<main>
  <h1>${info.title} API <small>${info.version}</small></h1>
  <p>${withCode(info.description)} For programs: <a href="/openapi.json">/openapi.json</a>.</p>
  <pre>curl -H "Authorization: Bearer $TOKEN" "http://localhost:4816/api/memories?projectId=shop"</pre>
  ${operations.map(renderOperation)}
  <h2>Shapes</h2>
  ${Object.entries(components.schemas).map(
    ([name, schema]) =>
      html`<section class="shape" id="shape-${name}"><h3>${name}</h3>${renderSchema(schema)}</section>`,
  )}
</main>
</body>
</html>`
}

/** Text between backticks is code. */
function withCode(text: string): Html[] {
  return text.split('`').map((part, i) => (i % 2 === 1 ? html`<code>${part}</code>` : html`${part}`))
}

function verb(method: string): Html {
  return html`<b class="verb ${method}">${method.toUpperCase()}</b>`
}

function renderOperation(operation: Operation & { path: string; method: string }): Html {
  const { operationId, method, path, summary, description, parameters, requestBody, responses } = operation
  return html`<section id="${operationId}">
  <h3>${verb(method)} <code>${path}</code></h3>
  <p>${withCode(summary)}. ${description}</p>
  ${
    parameters.length === 0
      ? ''
      : html`<table class="params"><thead><tr><th>Parameter</th><th>In</th><th>Type</th></tr></thead><tbody>${parameters.map(
          (parameter) =>
            html`<tr><td><code>${parameter.name}</code></td><td>${parameter.in}</td><td>${typeOf(parameter.schema)} ${parameter.description ?? ''}</td></tr>`,
        )}</tbody></table>`
  }
  ${requestBody ? html`<details open><summary>Body</summary>${renderSchema(requestBody.content['application/json'].schema)}</details>` : ''}
  <details><summary>Answers</summary><dl>${Object.entries(responses).map(
    ([status, { description: what, content }]) =>
      html`<dt>${status}</dt><dd>${what}${Object.values(content ?? {}).map(({ schema }) => html` ${renderSchema(schema)}`)}</dd>`,
  )}</dl></details>
</section>`
}

/** An object as a table of its fields, and anything else in a few words. */
function renderSchema(schema: Json): Html {
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices)
    return html`<div class="choices">${choices.map((choice) => html`<div>${renderSchema(choice)}</div>`)}</div>`
  if (schema.properties === undefined) return typeOf(schema)
  const required = new Set(schema.required as string[] | undefined)
  return html`<table class="fields"><tbody>${Object.entries(schema.properties as Record<string, Json>).map(
    ([name, field]) =>
      html`<tr><td><code>${name}</code>${required.has(name) ? html` <span class="needed">required</span>` : ''}</td><td>${typeOf(field)}</td></tr>`,
  )}</tbody></table>`
}

function typeOf(schema: Json): Html {
  if (typeof schema.$ref === 'string') {
    const name = schema.$ref.split('/').at(-1)!
    return html`<a href="#shape-${name}">${name}</a>`
  }
  if (Array.isArray(schema.prefixItems)) {
    const items = (schema.prefixItems as Json[]).map(typeOf)
    return items.length === 0
      ? html`empty list`
      : html`list: ${items.map((item, i) => html`${i === 0 ? '' : ', '}${item}`)}`
  }
  if (schema.type === 'array') return html`list of ${typeOf((schema.items ?? {}) as Json)}`
  const choices = (schema.anyOf ?? schema.oneOf) as Json[] | undefined
  if (choices) return html`${choices.map((choice, i) => html`${i === 0 ? '' : ' or '}${typeOf(choice)}`)}`
  if (schema.const !== undefined) return html`<code>${JSON.stringify(schema.const)}</code>`
  if (schema.enum) return html`${(schema.enum as string[]).map((value) => html`<code>${value}</code> `)}`
  if (schema.properties) return html`object ${renderSchema(schema)}`
  const type = [schema.type ?? 'anything'].flat().join(' or ')
  const bounds = [
    ['from', schema.minimum],
    ['to', schema.maximum],
    ['at most', schema.maxLength],
    ['default', schema.default === undefined ? undefined : JSON.stringify(schema.default)],
  ].filter(([, value]) => value !== undefined)
  return html`${type}${bounds.map(([name, value]) => html`, ${name} ${value}`)}`
}
