// Preloaded by the tests: examples import `nokosu` from this checkout, without a build.
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
