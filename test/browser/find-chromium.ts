import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'
import { installDebian } from '../install-debian.ts'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  '/snap/bin/chromium',
]

/** A browser on this machine. On Debian and derivatives it is installed if possible. */
export function findChromium(): string {
  const found = look() ?? (installDebian('chromium', 'fonts-dejavu-core') ? look() : null)
  if (found !== null) return found
  throw new Error(
    'The browser tests need Chromium. Install it (Debian: apt-get install chromium), or set NOKOSU_TEST_CHROMIUM to its path.',
  )
}

function look(): string | null {
  const { NOKOSU_TEST_CHROMIUM: named, PATH = '' } = process.env
  const inPath = NAMES.flatMap((name) => PATH.split(delimiter).map((folder) => join(folder, name)))
  return [...(named ? [named] : []), ...inPath, ...PLACES].find((file) => existsSync(file)) ?? null
}
