import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { describe, expect, it } from 'vitest'
import { openServer } from './open-server.ts'

interface Operation {
  operationId: string
  parameters: { name: string; in: string }[]
  requestBody?: { content: { 'application/json': { schema: object } } }
}
type Paths = Record<string, Record<string, Operation>>

describe('/openapi.json', () => {
  it('is a valid description, OpenAPI 3.1, by an independent validator', async () => {
    const { call } = await openServer()
    const validator = new Validator()
    const { valid, errors } = await validator.validate((await call('GET', '/openapi.json')).json)
    expect(errors).toBeUndefined()
    expect([valid, validator.version]).toEqual([true, '3.1'])
  })

  it('says how long content may be on this server', async () => {
    const { call, memory } = await openServer()
    const { content } = (await call('GET', '/openapi.json')).json.components.schemas.Memory.properties
    expect(content.maxLength).toBe(memory.capabilities.maxContentLength)
  })

  it('its schemas compile, and its references lead somewhere', async () => {
    const { call } = await openServer()
    const { json } = await call('GET', '/openapi.json')
    const ajv = new Ajv2020({ strict: false, validateFormats: false })
    ajv.addSchema({ $id: 'api', ...json })
    for (const [path, methods] of Object.entries(json.paths as Paths)) {
      for (const method of Object.keys(methods)) {
        const body = methods[method]!.requestBody
        if (!body) continue
        const pointer = `/paths/${encodeURIComponent(path.replaceAll('/', '~1'))}/${method}/requestBody/content/application~1json/schema`
        expect(ajv.getSchema(`api#${pointer}`), `${method} ${path}`).toBeTypeOf('function')
      }
    }
  })

  it('describes every route of the API, with names that do not repeat and its path’s parameters', async () => {
    const { call, routes } = await openServer()
    const paths = (await call('GET', '/openapi.json')).json.paths as Paths
    const described = Object.entries(paths).flatMap(([path, methods]) =>
      Object.entries(methods).map(([method, operation]) => ({ path, method, operation })),
    )
    const wanted = routes
      .filter(({ path }) => /^\/(api(?!\/engine)|healthz|readyz|metrics)\b/.test(path))
      .map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`)
    expect(described.map(({ path, method }) => `${method.toUpperCase()} ${path}`).sort()).toEqual(wanted.sort())
    const names = described.map(({ operation }) => operation.operationId)
    expect(new Set(names).size).toBe(names.length)
    for (const { path, operation } of described) {
      const inPath = operation.parameters.filter((each) => each.in === 'path').map(({ name }) => name)
      expect(inPath, path).toEqual([...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => name))
    }
  })

  it('says what an identifier may be, and that it may be left out', async () => {
    const { call } = await openServer()
    const { Identifiers } = (await call('GET', '/openapi.json')).json.components.schemas
    expect(Identifiers.properties.projectId).toMatchObject({ type: 'string', minLength: 1, maxLength: 256 })
    expect(Identifiers.required).toBeUndefined()
    expect(() => new RegExp(Identifiers.properties.projectId.pattern, 'u')).not.toThrow()
  })

  it('has a page to read, with every operation and shape, that loads nothing from elsewhere', async () => {
    const { call, routes } = await openServer()
    const { text, headers } = await call('GET', '/docs')
    expect(headers.get('content-type')).toMatch(/^text\/html/)
    for (const { api } of routes) if (api) expect(text).toContain(`id="${api.operation}"`)
    expect(text).toContain('id="shape-Memory"')
    expect(text).not.toMatch(/<script|style="|src="http|href="http/)
    const style = /href="(\/assets\/[^"]*docs\.css)"/.exec(text)![1]!
    expect((await call('GET', style)).headers.get('content-type')).toMatch(/^text\/css/)
  })
})
