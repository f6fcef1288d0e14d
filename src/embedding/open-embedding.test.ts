import { execFileSync } from 'node:child_process'
import { expect, test } from 'vitest'
import { type EmbeddingConfig, openEmbedding } from './open-embedding.ts'

test('each kind opens its provider', async () => {
  const configs: EmbeddingConfig[] = [
    { kind: 'local' },
    { kind: 'http', url: 'http://127.0.0.1:9/v1', model: 'm', dimensions: 8 },
    { kind: 'hashing', dimensions: 32 },
  ]
  const names = await Promise.all(configs.map(async (config) => (await openEmbedding(config)).name))
  expect(names).toEqual(['local:nokosu-embed-2', 'http:m-8', 'hashing:v1-32'])
})

test('an unknown kind is a CONFIGURATION_ERROR naming the key', async () => {
  await expect(openEmbedding({ kind: 'magic' } as unknown as EmbeddingConfig)).rejects.toMatchObject({
    code: 'CONFIGURATION_ERROR',
    details: { key: 'embedding.kind' },
  })
})

test('opening the local kind loads no native code; the first embed() does', () => {
  const script = `
    const { openEmbedding } = await import(${JSON.stringify(new URL('./open-embedding.ts', import.meta.url).href)})
    const loaded = () => process.report.getReport().sharedObjects.some((path) => path.includes('onnxruntime'))
    const provider = await openEmbedding({ kind: 'local' })
    const opened = loaded()
    await provider.embed(['one'])
    console.log(JSON.stringify([opened, loaded()]))`
  const output = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' })
  expect(JSON.parse(output)).toEqual([false, true])
})
