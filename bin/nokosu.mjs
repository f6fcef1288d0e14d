#!/usr/bin/env node
// Starts the command line. Its syntax works on old versions of Node, so that they can say which version is needed.
import module from 'node:module'

// An import would read every export of these, and load the streams with them.
const require = module.createRequire(import.meta.url)
const fs = require('node:fs')
const path = require('node:path')
const { fileURLToPath, pathToFileURL } = require('node:url')

const root = path.join(path.dirname(fileURLToPath(import.meta.url)), '..')
const sources = path.join(root, 'src')
const inCheckout = fs.existsSync(sources)

function isOldNode() {
  const parts = process.versions.node.split('.').map(Number)
  return parts[0] < 22 || (parts[0] === 22 && parts[1] < 13)
}

function explainNode() {
  const how = inCheckout
    ? "Run 'npm install' and then 'npx nokosu': the installation includes a suitable Node."
    : 'Install a newer one from https://nodejs.org, or with your version manager (nvm install 24).'
  console.error(`nokosu: MISSING_DEPENDENCY Nokosu needs Node 22.13 or newer; this is ${process.version}.\n${how}`)
  process.exit(3)
}

function isNewer(folder, time) {
  return fs.readdirSync(folder, { withFileTypes: true }).some((entry) => {
    const file = path.join(folder, entry.name)
    return entry.isDirectory() ? isNewer(file, time) : fs.statSync(file).mtimeMs > time
  })
}

/** The bundle, unless this is a checkout whose sources have changed since it was built. */
function chooseEntry() {
  const bundle = path.join(root, 'dist', 'cli.js')
  if (!inCheckout) return bundle
  const stamp = path.join(root, 'dist', '.stamp')
  const current = fs.existsSync(bundle) && fs.existsSync(stamp) && !isNewer(sources, fs.statSync(stamp).mtimeMs)
  return current ? bundle : path.join(sources, 'cli', 'main.ts')
}

/** Node 22 warns at every start that two features which Nokosu uses are experimental. */
function hideKnownWarnings() {
  const emitWarning = process.emitWarning
  process.emitWarning = (...values) => {
    const [warning, type] = values
    const name = type !== null && typeof type === 'object' ? type.type : type
    if (name === 'ExperimentalWarning' && /SQLite|Type Stripping/i.test(String(warning))) return
    emitWarning.apply(process, values)
  }
}

if (isOldNode()) {
  explainNode()
} else {
  hideKnownWarnings()
  if (module.enableCompileCache) module.enableCompileCache()
  const entry = chooseEntry()
  const isSource = entry.endsWith('.ts')
  const ready = isSource ? import(pathToFileURL(path.join(root, 'scripts', 'jsx.mjs')).href) : Promise.resolve()
  ready
    .then(() => import(pathToFileURL(entry).href))
    .catch((error) => {
      const stripping = error.code === 'ERR_UNKNOWN_FILE_EXTENSION'
      console.error(stripping ? "nokosu: This Node cannot run TypeScript. Run 'npm run build' first." : error)
      process.exit(stripping ? 3 : 1)
    })
}
