import { parse } from 'yaml'
import { isRecord } from '../text/json.ts'
import type { Note } from '../transfer/note.ts'
import { escapeRegExp, lineOf, noteAt, type RepositoryFiles } from './repository-files.ts'

const FILES = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']
const MOST = 6

/** The services that Docker Compose starts: image, port and dependencies. */
export function readCompose(files: RepositoryFiles): Note[] {
  const path = FILES.find((name) => files.has(name))
  const text = path === undefined ? null : files.read(path)
  const value = text === null ? null : parseYamlText(text)
  if (path === undefined || text === null || !isRecord(value) || !isRecord(value.services)) return []
  return Object.entries(value.services)
    .flatMap(([name, service]) => {
      const said = isRecord(service) ? describe(name, service) : null
      if (said === null) return []
      const line = lineOf(text, new RegExp(`^\\s{1,8}["']?${escapeRegExp(name)}["']?\\s*:`))
      return noteAt(path, line, { text: said, category: 'dependency', service: /^[\w-]+$/.test(name) ? name : null })
    })
    .slice(0, MOST)
}

/** Null if it is not YAML. */
export function parseYamlText(text: string): unknown {
  try {
    return parse(text, { maxAliasCount: 100 })
  } catch {
    return null
  }
}

function describe(name: string, service: Record<string, unknown>): string | null {
  const image = typeof service.image === 'string' ? ` from ${defaultsIn(service.image)}` : ''
  const ports = (Array.isArray(service.ports) ? service.ports : []).flatMap(portOf)
  const after = Array.isArray(service.depends_on)
    ? service.depends_on.map(String)
    : isRecord(service.depends_on)
      ? Object.keys(service.depends_on)
      : []
  if (image === '' && ports.length === 0 && after.length === 0) return null
  const listens = ports.length === 0 ? '' : `, on port ${ports.join(' and ')}`
  const order = after.length === 0 ? '' : `, after ${after.join(' and ')}`
  return `Docker Compose starts ${name}${image}${listens}${order}`
}

/** `5433:5432`, `127.0.0.1:5433:5432/tcp`, or the long form. */
function portOf(port: unknown): string[] {
  if (isRecord(port)) {
    return port.published === undefined ? [] : [mapped(String(port.published), String(port.target ?? port.published))]
  }
  const parts = defaultsIn(String(port))
    .replace(/\/\w+$/, '')
    .split(':')
  const inside = parts.at(-1)!
  const outside = parts.length > 1 ? parts.at(-2)! : null
  return outside === null || !/^[\d-]+$/.test(outside) ? [] : [mapped(outside, inside)]
}

function mapped(outside: string, inside: string): string {
  return outside === inside ? outside : `${outside} of this machine (${inside} inside)`
}

/** `${PORT:-5432}` is 5432 by default. */
function defaultsIn(text: string): string {
  return text.replace(/\$\{\w+:?-([^}]*)\}/g, '$1')
}
