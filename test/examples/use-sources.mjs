// Preloaded by the tests: what an example imports as `nokosu` is this checkout, and needs no build.
import { registerHooks } from 'node:module'
import { pathToFileURL } from 'node:url'
import { sourcesOf } from '../docs/sources.ts'

const sources = new Map(sourcesOf())

registerHooks({
  resolve(name, context, next) {
    const source = sources.get(name)
    return source === undefined ? next(name, context) : { url: pathToFileURL(source).href, shortCircuit: true }
  },
})
