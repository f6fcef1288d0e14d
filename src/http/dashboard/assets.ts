import { createHash } from 'node:crypto'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { findPackageRoot } from '../../package/package-root.ts'
import type { Route } from '../route.ts'

/** Later files override earlier ones. */
const STYLES = [
  ...['base.css', 'controls.css', 'layout.css', 'floating.css', 'parts.css', 'forms.css'],
  ...['table.css', 'table-room.css', 'plots.css', 'pages.css'],
]

const SCRIPTS = ['dialogs.js', 'rows.js', 'choices.js', 'drafts.js', 'menus.js', 'keyboard.js', 'live.js']
const SINGLE = ['docs.css', 'theme.js', 'live-worker.js', 'icon.svg']

/** Files that browsers load besides pages, and their location in a checkout. The build copies them to `dist/assets`. */
export const ASSET_FILES: Readonly<Record<string, string>> = {
  'htmx.js': 'node_modules/htmx.org/dist/htmx.min.js',
  ...Object.fromEntries([...STYLES, ...SCRIPTS, ...SINGLE].map((name) => [name, `src/http/dashboard/assets/${name}`])),
}

/** Files that are sent as one, in this order. */
const BUNDLES = {
  'style.css': STYLES,
  'docs.css': ['docs.css'],
  // First, so that a page never flashes in the other theme.
  'theme.js': ['theme.js'],
  'app.js': ['htmx.js', ...SCRIPTS],
  'live-worker.js': ['live-worker.js'],
  'icon.svg': ['icon.svg'],
} satisfies Record<string, readonly string[]>
const TYPES: Readonly<Record<string, string>> = {
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
}

interface Asset {
  body: string
  /** Identifies the content, so that a browser may cache it for ever. */
  path: string
}

let loaded: ReadonlyMap<string, Asset> | null = null

function assets(): ReadonlyMap<string, Asset> {
  loaded ??= new Map(
    Object.entries(BUNDLES).map(([name, files]) => {
      const body = files.map(readAsset).join('\n')
      const hash = createHash('sha256').update(body).digest('base64url').slice(0, 12)
      return [name, { body, path: `/assets/${hash}/${name}` }]
    }),
  )
  return loaded
}

function readAsset(name: string): string {
  const root = findPackageRoot() ?? ''
  const source = join(root, ASSET_FILES[name]!)
  return readFileSync(existsSync(source) ? source : join(root, 'dist', 'assets', name), 'utf8')
}

export function assetPath(name: keyof typeof BUNDLES): string {
  return assets().get(name)!.path
}

export const assetRoutes: readonly Route[] = [
  {
    method: 'GET',
    path: '/assets/:hash/:name',
    needs: 'open',
    summary: 'Styles, scripts and pictures of the pages.',
    handle(context) {
      const asset = assets().get(context.req.param('name') ?? '')
      if (asset?.path !== context.req.path) return context.notFound()
      return context.body(asset.body, 200, {
        'content-type': TYPES[asset.path.split('.').at(-1)!]!,
        'cache-control': 'public, max-age=31536000, immutable',
      })
    },
  },
]
