import { readFileSync } from 'node:fs'
import { join } from 'node:path'

/**
 * The settings in a repository's own configuration, such as `remote.origin.url`: the first value of each. Names are in lower
 * case, except for the quoted part. Includes and rewrites are not resolved.
 */
export function readGitConfig(folder: string): ReadonlyMap<string, string> {
  const settings = new Map<string, string>()
  let section = ''
  for (const line of linesOf(join(folder, 'config'))) {
    const heading = /^\s*\[\s*([\w.-]+)(?:\s+"((?:[^"\\]|\\.)*)")?\s*\]/.exec(line)
    if (heading) {
      const [, name, part] = heading
      section = part === undefined ? name!.toLowerCase() : `${name!.toLowerCase()}.${withoutEscapes(part)}`
      continue
    }
    const [, name, value] = /^\s*([a-zA-Z][\w-]*)\s*=\s*(.*)$/.exec(line) ?? []
    if (name === undefined) continue
    const key = `${section}.${name.toLowerCase()}`
    if (!settings.has(key)) settings.set(key, plainValue(value!))
  }
  return settings
}

function linesOf(path: string): string[] {
  try {
    return readFileSync(path, 'utf8').split(/\r?\n/)
  } catch {
    return []
  }
}

/** Without quotes, escapes and a trailing comment. */
function plainValue(text: string): string {
  const parts = text.match(/"(?:[^"\\]|\\.)*"|\\.|[^"\\#;]+|[#;].*/g) ?? []
  return parts
    .filter((part) => !/^[#;]/.test(part))
    .map((part) => withoutEscapes(part.startsWith('"') ? part.slice(1, -1) : part))
    .join('')
    .trim()
}

function withoutEscapes(text: string): string {
  return text.replace(/\\(.)/g, '$1')
}
