import { type McpServer, ResourceNotFoundError, ResourceTemplate } from '@modelcontextprotocol/server'
import { type Identifiers, LAYERS, type Layer, REQUIRED_IDENTIFIER } from '../model/layer.ts'
import type { Desk } from './tool.ts'

const MIME_TYPE = 'text/markdown'

interface Scope {
  layer: Layer
  id: string
}

/**
 * The memories of each of the client's scopes, for clients that let their user pick a context. Other scopes do not
 * exist for it.
 */
export function registerResources(server: McpServer, identifiers: Identifiers, open: OpenScope): void {
  const own = LAYERS.flatMap((layer): Scope[] => {
    const id = identifiers[REQUIRED_IDENTIFIER[layer]]
    return id === undefined ? [] : [{ layer, id }]
  })
  const template = new ResourceTemplate('nokosu://context/{layer}/{id}', {
    list: () => ({ resources: own.map(describe) }),
    complete: {
      layer: (begun) => own.map(({ layer }) => layer).filter((layer) => layer.startsWith(begun)),
      id: (begun) => own.map(({ id }) => id).filter((id) => id.startsWith(begun)),
    },
  })
  const about = {
    title: 'What is known',
    description: 'The memories of a scope, as an agent is shown them.',
    mimeType: MIME_TYPE,
  }
  server.registerResource('context', template, about, async (uri) => {
    const found = own.find((scope) => uriOf(scope) === uri.href)
    if (found === undefined) throw new ResourceNotFoundError(uri.href)
    const memories = await open(found)
    const { text } = await memories.context({})
    return {
      contents: [{ uri: uri.href, mimeType: MIME_TYPE, text: text === '' ? 'Nothing is remembered yet.' : text }],
    }
  })
}

/** The engine limited to one scope. */
type OpenScope = (scope: Scope) => ReturnType<Desk['open']>

function describe(scope: Scope) {
  return {
    uri: uriOf(scope),
    name: `${scope.layer}-context`,
    title: `What is known: ${scope.layer} ${scope.id}`,
    mimeType: MIME_TYPE,
  }
}

function uriOf({ layer, id }: Scope): string {
  return new URL(`nokosu://context/${layer}/${encodeURIComponent(id)}`).href
}
