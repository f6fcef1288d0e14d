// Preloaded by the tests: what an example imports as `nokosu` is this checkout, and needs no build.
import { registerHooks } from 'node:module'

const library = new URL('../../src/index.ts', import.meta.url).href

registerHooks({
  resolve: (name, context, next) => (name === 'nokosu' ? { url: library, shortCircuit: true } : next(name, context)),
})
