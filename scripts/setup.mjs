// Prepares a fresh clone: installs the dependencies (with the right Node) and compiles the program. Fast when nothing changed.
// It runs on the machine's own Node, so it is plain JavaScript with built-in modules only.
import { spawnSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = join(dirname(fileURLToPath(import.meta.url)), '..')
const stamp = join(root, 'node_modules', '.nokosu-setup')

function run(what, command, args) {
  const result = spawnSync(command, args, {
    cwd: root,
    // The embedding runtime does not need the GPU files that its install script would download.
    env: { ...process.env, ONNXRUNTIME_NODE_INSTALL: 'skip' },
    stdio: ['ignore', 'ignore', 'inherit'],
    shell: process.platform === 'win32',
  })
  if (result.status === 0) return
  console.error(`nokosu: ${what} failed (${command} ${args.join(' ')}). The lines above say why.`)
  process.exit(result.status || 1)
}

const wanted = createHash('sha256')
  .update(readFileSync(join(root, 'package-lock.json')))
  .digest('hex')
const installed = existsSync(stamp) ? readFileSync(stamp, 'utf8') : ''
if (installed !== wanted) {
  console.error('nokosu: installing dependencies (half a minute the first time) ...')
  // Warnings about the machine's own Node do not matter, because the scripts use the installed one.
  // Not `npm ci`: it fails when a registry lacks the binaries of other platforms.
  run('installing dependencies', 'npm', ['install', '--no-save', '--loglevel=error', '--engine-strict=false'])
  writeFileSync(stamp, wanted)
}
run('compiling', 'npm', ['run', '-s', 'build', '--', '--if-stale'])
