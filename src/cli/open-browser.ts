import { spawn } from 'node:child_process'
import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { stateFolder } from '../remote/spool-folders.ts'
import { shell } from './shell.ts'

/** Programs that open a URL in the user's browser. */
const OPENERS: Partial<Record<NodeJS.Platform, readonly string[]>> = {
  darwin: ['open'],
  win32: ['cmd', '/c', 'start', ''],
  linux: ['xdg-open'],
}

/**
 * Opens a sign-in link. Every user of a machine can read the arguments of its programs, so the browser gets a file that only this user
 * can read, and the file redirects to the link. Returns its cleanup function; null if there is no browser.
 */
export function openBrowser(link: string): (() => void) | null {
  const { env } = shell()
  const opener = env.BROWSER ? [env.BROWSER] : OPENERS[process.platform]
  const hasScreen = process.platform !== 'linux' || Boolean(env.DISPLAY || env.WAYLAND_DISPLAY || env.BROWSER)
  if (opener === undefined || !hasScreen || env.BROWSER === 'none' || env.CI || env.SSH_CONNECTION) return null
  const folder = join(stateFolder(env), 'nokosu')
  const file = join(folder, `open-${process.pid}.html`)
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
    rmSync(file, { force: true })
    writeFileSync(file, `<!doctype html><meta http-equiv="refresh" content="0; url=${link}">`, {
      mode: 0o600,
      flag: 'wx',
    })
  } catch {
    return null
  }
  const [program, ...args] = opener
  // The link is printed too, in case this fails.
  spawn(program!, [...args, pathToFileURL(file).href], { stdio: 'ignore', detached: true })
    .once('error', () => {})
    .unref()
  return () => rmSync(file, { force: true })
}
