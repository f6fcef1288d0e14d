import { isBuiltin } from 'node:module'

const PREFIX = '\0builtin:'
/** Node has these in memory when it starts. */
const PRESENT = /^node:(events|fs|path|process|timers|url|util)$/

/**
 * A plugin for the bundler: takes Node's own modules from the running process instead of importing them. An import reads every export, and
 * with it what Node loads when needed: streams, all of the cryptography, the network. Together they cost as much as starting Node.
 * Functions of modules that are not yet in memory are fetched when they are first called.
 */
export const builtins = {
  name: 'builtins',
  resolveId: {
    // Before `platform: 'node'` leaves them as imports.
    order: 'pre' as const,
    handler: (id: string, importer: string | undefined, { kind }: { kind: string }) =>
      isBuiltin(id) && kind !== 'require-call' && !importer?.startsWith('\0rolldown')
        ? `${PREFIX}node:${id.replace(/^node:/, '')}`
        : null,
  },
  load(id: string) {
    if (!id.startsWith(PREFIX)) return null
    const name = id.slice(PREFIX.length)
    return { code: codeFor(name), moduleSideEffects: false }
  },
}

function codeFor(name: string): string {
  const own = process.getBuiltinModule(name) as Record<string, unknown>
  const names = Object.keys(own).filter((key) => key !== 'default' && /^[A-Za-z]\w*$/.test(key))
  const isPresent = PRESENT.test(name)
  const exported = (key: string) => `/* @__PURE__ */ ${isPresent ? 'pick' : howLater(name, own[key], key)}('${key}')`
  return `
const load = () => process.getBuiltinModule('${name}')
const pick = (key) => load()[key]
const custom = Symbol.for('nodejs.util.promisify.custom')
const laterClass = (key) => new Proxy(class {}, { construct: (_, given) => Reflect.construct(pick(key), given) })
const later = (key) => Object.defineProperty((...given) => pick(key)(...given), custom, { get: () => pick(key)[custom] })
${names.map((key) => `const _${key} = ${exported(key)}`).join('\n')}
export { ${names.map((key) => `_${key} as ${key}`).join(', ')} }
export default ${isPresent ? '/* @__PURE__ */ load()' : '/* @__PURE__ */ new Proxy({}, { get: (_, key) => pick(key) })'}
`
}

/** A function that is not a class, and has nothing attached to it, can be replaced by one that calls it. */
function howLater(name: string, value: unknown, key: string): 'later' | 'laterClass' | 'pick' {
  if (typeof value !== 'function' || Object.keys(value).length > 0) return 'pick'
  if (/^[a-z]/.test(key)) return 'later'
  // Node 22 warns when it loads SQLite, and a program may never open a store.
  return name === 'node:sqlite' ? 'laterClass' : 'pick'
}
