import { execFileSync } from 'node:child_process'
import { cp, mkdir, mkdtemp, readdir, rm, symlink, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { localEmbedding } from './local.ts'
import { loadBinding } from './native.ts'
import { findInstalled } from './runtime-files.ts'

const provider = localEmbedding()
const installed = join(import.meta.dirname, '../../models/embed')
let folder: string

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'nokosu-model-'))
})
afterAll(async () => {
  await provider.close?.()
  await rm(folder, { recursive: true, force: true })
})

async function vectorOf(text: string): Promise<Float32Array> {
  const [vector] = await provider.embed([text])
  return vector!
}

function dot(a: Float32Array, b: Float32Array): number {
  return a.reduce((sum, value, i) => sum + value * b[i]!, 0)
}

async function modelFolder(name: string): Promise<string> {
  const target = join(folder, name)
  await mkdir(target, { recursive: true })
  await cp(join(installed, '../shared/tokenizer.json'), join(target, 'tokenizer.json'))
  return target
}

describe('vectors', () => {
  test.each([
    ['The service needs about a minute to boot', 'Startup takes roughly 60 seconds', 'Invoices are sent on Fridays'],
    ['Run the database migrations before deploying', 'Schema changes go first, then the release', 'The logo is blue'],
    ['The disk of the backup host is full', 'No space left where backups are kept', 'Reviewers prefer small commits'],
  ])('a paraphrase of "%s" is nearer than an unrelated sentence', async (text, paraphrase, unrelated) => {
    const [a, near, far] = await provider.embed([text, paraphrase, unrelated])
    expect(dot(a!, near!)).toBeGreaterThan(dot(a!, far!) + 0.2)
    expect(Math.abs(dot(a!, far!))).toBeLessThan(0.25)
  })

  test('a text has the same vector each time, whatever is embedded with it', async () => {
    const text = 'Traefik reloads its routes by itself'
    const alone = await vectorOf(text)
    const [, among] = await provider.embed(['short', text, 'a longer neighbour '.repeat(40)])
    expect(among).toEqual(alone)
    expect(alone).toHaveLength(provider.dimensions)
    expect(dot(alone, alone)).toBeCloseTo(1, 5)
  })

  test('a text of 100 KB is cut after what the model reads, not refused', async () => {
    const long = 'The worker retries three times. '.repeat(3200)
    const vector = await vectorOf(long)
    expect(vector).toEqual(await vectorOf(`${long} And this ending is never seen.`))
    expect(dot(vector, await vectorOf('The worker retries three times.'))).toBeGreaterThan(0.7)
    expect(await vectorOf('x'.repeat(100_000))).toHaveLength(provider.dimensions)
  })

  test.each(['🚀🔥 deploy', 'الخدمة بطيئة عند البدء', 'nul\0inside', '\ud800 lone', '[SEP] [MASK]', '日本語のメモ'])(
    'unusual text %j gives a finite unit vector',
    async (text) => {
      const vector = await vectorOf(text)
      expect(dot(vector, vector)).toBeCloseTo(1, 5)
    },
  )

  test('blank text gives the zero vector, and no text no vectors', async () => {
    const vectors = await provider.embed(['', ' \n\t', '\0'])
    for (const vector of vectors) expect(vector.every((value) => value === 0)).toBe(true)
    expect(await provider.embed([])).toEqual([])
  })
})

describe('loading', () => {
  test('concurrent first calls load the model once', async () => {
    const load = vi.spyOn(loadBinding().binding, 'InferenceSession')
    const fresh = localEmbedding({ modelPath: installed })
    const [a, b] = await Promise.all([fresh.embed(['one']), fresh.embed(['one']), fresh.warm?.()])
    expect(load).toHaveBeenCalledTimes(1)
    expect(a).toEqual(b)
    await fresh.close?.()
    load.mockRestore()
  })

  test('close() waits for the calls under way, and a later call loads again', async () => {
    const fresh = localEmbedding()
    const running = fresh.embed(['one', 'two', 'three'])
    await fresh.close?.()
    expect(await running).toHaveLength(3)
    expect(await fresh.embed(['one'])).toHaveLength(1)
    await fresh.close?.()
  })

  test('a missing model is MISSING_DEPENDENCY saying what to do, and is found once it is there', async () => {
    const modelPath = await modelFolder('late')
    const late = localEmbedding({ modelPath })
    await expect(late.embed(['one'])).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message: expect.stringContaining('embedding.modelPath'),
      details: { path: join(modelPath, 'embed.onnx') },
    })
    await symlink(join(installed, 'embed.onnx'), join(modelPath, 'embed.onnx'))
    expect(await late.embed(['one'])).toEqual(await provider.embed(['one']))
    await late.close?.()
  })

  test('a model with another hash is refused before the runtime sees it', async () => {
    const modelPath = await modelFolder('fake')
    await writeFile(join(modelPath, 'embed.onnx'), 'not the model')
    const load = vi.spyOn(loadBinding().binding, 'InferenceSession')
    await expect(localEmbedding({ modelPath }).embed(['one'])).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      retryable: false,
      message: expect.stringContaining('SHA-256'),
    })
    expect(load).not.toHaveBeenCalled()
    load.mockRestore()
  })

  test('a damaged tokenizer is MISSING_DEPENDENCY naming the file', async () => {
    const modelPath = await modelFolder('damaged')
    await symlink(join(installed, 'embed.onnx'), join(modelPath, 'embed.onnx'))
    await writeFile(join(modelPath, 'tokenizer.json'), '{"cut off')
    await expect(localEmbedding({ modelPath }).embed(['one'])).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      message: expect.stringContaining('is damaged or was replaced: its SHA-256 is wrong at'),
      details: { path: join(modelPath, 'tokenizer.json') },
    })
  })

  test('the model is found from a bundle in dist/, and nowhere else', async () => {
    const root = join(folder, 'installed')
    const model = join(root, 'models/embed')
    await mkdir(model, { recursive: true })
    await mkdir(join(root, 'dist/chunks'), { recursive: true })
    await writeFile(join(root, 'package.json'), '{"name": "nokosu"}')
    await writeFile(join(root, 'dist/package.json'), '{broken')
    const bundled = pathToFileURL(join(root, 'dist/chunks/local.js')).href
    const find = (from: string) => findInstalled('models/embed', 'embed.onnx', from)
    expect(find(bundled)).toBeNull()
    await writeFile(join(model, 'embed.onnx'), '')
    expect(find(bundled)).toBe(model)
    expect(find(pathToFileURL(join(folder, 'elsewhere.js')).href)).toBeNull()
  })
})

describe('running', () => {
  test('a signal stops a long list between two texts', async () => {
    const controller = new AbortController()
    const texts = Array.from({ length: 500 }, (_, i) => `observation number ${i}`)
    const reason = new Error('enough')
    setTimeout(() => controller.abort(reason), 30)
    await expect(provider.embed(texts, { signal: controller.signal })).rejects.toBe(reason)
  })

  test('timers run while a long list is embedded', async () => {
    let ticks = 0
    const timer = setInterval(() => ticks++, 1)
    await provider.embed(Array.from({ length: 50 }, (_, i) => `observation number ${i}`))
    clearInterval(timer)
    expect(ticks).toBeGreaterThan(10)
  })

  test('a failing run is EMBEDDING_FAILED', async () => {
    const open = vi.spyOn(loadBinding().binding, 'InferenceSession').mockImplementationOnce(
      class {
        loadModel() {}
        run(): never {
          throw new Error('out of memory')
        }
        dispose() {}
      },
    )
    const broken = localEmbedding({ modelPath: installed })
    await expect(broken.embed(['one'])).rejects.toMatchObject({
      code: 'EMBEDDING_FAILED',
      retryable: true,
      message: expect.stringContaining('out of memory'),
    })
    open.mockRestore()
  })
})

test('keeps to itself: the runtime’s telemetry is off, and leaves nothing in the temporary folder', async () => {
  const quiet = await mkdtemp(join(folder, 'quiet-'))
  const module = JSON.stringify(pathToFileURL(join(import.meta.dirname, 'local.ts')).href)
  const program = `const { localEmbedding } = await import(${module}); await localEmbedding().embed(['x'])`
  execFileSync(process.execPath, ['--input-type=module', '-e', program], { env: { ...process.env, TMPDIR: quiet } })
  expect(await readdir(quiet)).toEqual([])
})
