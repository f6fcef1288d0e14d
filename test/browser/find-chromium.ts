import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { delimiter, join } from 'node:path'

const NAMES = ['chromium', 'chromium-browser', 'google-chrome-stable', 'google-chrome', 'chrome', 'microsoft-edge']
const PLACES = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
  'C:\\Program Files\\Google\\Chrome\\Application\\chrome.exe',
  '/snap/bin/chromium',
]

/** A browser of this machine. On Debian and the like one is installed where that is possible. */
export function findChromium(): string {
  const found = look() ?? (install() ? look() : null)
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

/** Whether Debian’s own could be installed: as root, or with a sudo that does not ask. */
function install(): boolean {
  const isRoot = process.getuid?.() === 0
  const run = (...words: string[]) => {
    const [command, ...rest] = isRoot ? words : ['sudo', '-n', ...words]
    const env = { ...process.env, DEBIAN_FRONTEND: 'noninteractive' }
    return spawnSync(command!, rest, { env, stdio: 'ignore' }).status === 0
  }
  if (!existsSync('/usr/bin/apt-get')) return false
  const packages = ['install', '-y', '--no-install-recommends', 'chromium', 'fonts-dejavu-core']
  return run('apt-get', ...packages) || (run('apt-get', 'update') && run('apt-get', ...packages))
}
