// Installs the Claude Code command line for the end-to-end tests. It is large and not a dependency of the package, so it is kept
// in a cache and downloaded once. Plain JavaScript with built-in modules only, like setup.mjs.
import { spawnSync } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const PACKAGE = '@anthropic-ai/claude-code'
/** The version that the tests are written for. */
const VERSION = '2.1.325'

const cache = join(dirname(fileURLToPath(import.meta.url)), '..', '.cache')
const home = join(cache, 'claude-code')
const packageOf = (folder) => join(folder, 'node_modules', ...PACKAGE.split('/'))
const stampOf = (folder) => join(folder, '.version')
const binary = join(packageOf(home), 'bin', 'claude.exe')

function isInstalled() {
  return existsSync(binary) && existsSync(stampOf(home)) && readFileSync(stampOf(home), 'utf8') === VERSION
}

/** Runs a command and returns its output. The error of a failed command names it and shows its output. */
function run(what, command, args, options = {}) {
  const { status, error, stdout, stderr } = spawnSync(command, args, { encoding: 'utf8', ...options })
  const printed = `${stdout ?? ''}${stderr ?? ''}`.trim()
  if (status === 0) return printed
  const why = error ? error.message : printed
  throw new Error(
    `Installing ${PACKAGE} ${VERSION} for the end-to-end tests failed: ${what}.\n${why}\n` +
      'It comes from the npm registry, once; check the network and try again: node scripts/install-claude.mjs',
  )
}

function installInto(folder) {
  // npm does not run its scripts, because some versions of npm ask for permission. The one script that matters puts the platform's
  // binary in its place, and is run here.
  const flags = ['--ignore-scripts', '--include=optional', '--no-save', '--no-audit', '--no-fund', '--loglevel=error']
  run('npm install', 'npm', ['install', '--prefix', folder, ...flags, `${PACKAGE}@${VERSION}`], {
    cwd: folder,
    shell: process.platform === 'win32',
  })
  const printed = run('placing the binary', process.execPath, [join(packageOf(folder), 'install.cjs')], { cwd: folder })
  const placed = join(packageOf(folder), 'bin', 'claude.exe')
  // That script also succeeds when there is no binary for the platform.
  const answer = run(`the binary does not start. ${printed}`, placed, ['--version'])
  if (!answer.startsWith(VERSION)) throw new Error(`${placed} should be version ${VERSION}, and says: ${answer}`)
  writeFileSync(stampOf(folder), VERSION)
}

/** Installs the pinned version unless it is there. Several processes may do this at once. */
function installClaude() {
  if (isInstalled()) return
  console.error(`nokosu: installing Claude Code ${VERSION} for the end-to-end tests (about 350 MB, once) ...`)
  mkdirSync(cache, { recursive: true })
  const folder = mkdtempSync(join(cache, 'claude-code-'))
  try {
    installInto(folder)
    // Another process was faster, and its copy may be in use, so it is kept.
    if (!isInstalled()) {
      rmSync(home, { recursive: true, force: true })
      renameSync(folder, home)
    }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

try {
  installClaude()
  console.log(binary)
} catch (error) {
  console.error(`nokosu: ${error.message}`)
  process.exit(1)
}
