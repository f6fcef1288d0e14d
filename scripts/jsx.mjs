// Lets Node run the pages from source: Node strips types but does not know JSX. Only for a checkout; the build does not need it.
import { readFileSync } from 'node:fs'
import module, { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

const require = createRequire(import.meta.url)

module.registerHooks?.({
  load(url, context, nextLoad) {
    if (!url.endsWith('.tsx')) return nextLoad(url, context)
    const { transformSync } = require('rolldown/utils')
    const file = fileURLToPath(url)
    const options = { jsx: { runtime: 'automatic', importSource: 'hono/jsx' } }
    const { code, errors } = transformSync(file, readFileSync(file, 'utf8'), options)
    if (errors.length > 0) throw new SyntaxError(`${file}: ${errors[0].message}`)
    return { format: 'module', source: code, shortCircuit: true }
  },
})
