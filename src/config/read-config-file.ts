import { readFileSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { configurationError } from './configuration-error.ts'

/** Reads a configuration file without validating it. The parser of each kind is loaded only when needed. */
export async function readConfigFile(file: string): Promise<unknown> {
  const extension = extname(file)
  try {
    switch (extension) {
      case '.json': {
        const content: unknown = JSON.parse(readFileSync(file, 'utf8').replace(/^\uFEFF/, ''))
        return basename(file) === 'package.json' ? (content as { nokosu?: unknown }).nokosu : content
      }
      case '.yaml':
      case '.yml': {
        const { parse } = await import('yaml')
        return parse(readFileSync(file, 'utf8')) ?? {}
      }
      case '.ts':
      case '.mts':
      case '.js':
      case '.mjs': {
        const module: { default?: unknown } = await import(pathToFileURL(file).href)
        if (module.default === undefined) throw new Error('it has no default export')
        return module.default
      }
    }
  } catch (cause) {
    throw configurationError(file, '', `cannot be read: ${reason(cause)}`, cause)
  }
  throw configurationError(file, '', `cannot be read: '${extension}' is not ts, js, json or yaml`)
}

function reason(cause: unknown): string {
  const { code, message } = cause as { code?: string; message?: string }
  if (code === 'ENOENT') return 'there is no such file'
  if (code === 'ERR_UNKNOWN_FILE_EXTENSION') return 'this Node does not run TypeScript; use Node 22.18, or a .json file'
  return (message ?? String(cause)).split('\n', 1)[0]!
}
