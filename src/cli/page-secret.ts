import { randomBytes } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { stateFolder } from '../remote/spool-folders.ts'
import { shell } from './shell.ts'

const SECRET = /^[0-9a-f]{64}$/

/**
 * What pages without a token prove themselves by. It is kept on this machine, so that a page which was open while the server started
 * anew can still save what was typed in it. Null where nothing can be kept: then each server has its own.
 */
export function pageSecret(warn: (reason: string) => void): string | null {
  const file = join(stateFolder(shell().env), 'nokosu', 'page-secret')
  try {
    mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
    return readSecret(file) ?? createSecret(file)
  } catch (error) {
    warn((error as Error).message)
    return null
  }
}

function readSecret(file: string): string | null {
  if (!existsSync(file)) return null
  const kept = readFileSync(file, 'utf8')
  return SECRET.test(kept) ? kept : null
}

/** Of several servers that start at once the last one wins, and the others' pages have to be loaded again. */
function createSecret(file: string): string {
  const secret = randomBytes(32).toString('hex')
  writeFileSync(file, secret, { mode: 0o600 })
  return secret
}
