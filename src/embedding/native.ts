import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import type { Feed, Feeds } from './feed.ts'

/** The part of the official binary's interface that is used. `onnxruntime-node` wraps it too. */
interface Binding {
  InferenceSession: new () => BindingSession
  /** Call once per process. `tensor` is the class of its results. */
  initOrtOnce(logLevel: number, tensor: typeof Tensor, isMainThread: boolean): void
}

interface BindingSession {
  loadModel(buffer: ArrayBufferLike, offset: number, length: number, options: object): void
  run(feeds: Record<string, Tensor>, fetches: Record<string, null>, options: object): Record<string, Tensor>
  dispose(): void
}

class Tensor implements Feed {
  readonly location = 'cpu'
  readonly type: string
  readonly data: Feed['data']
  readonly dims: readonly number[]

  constructor(type: string, data: Feed['data'], dims: readonly number[]) {
    this.type = type
    this.data = data
    this.dims = dims
  }
}

const require = createRequire(import.meta.url)
/** Log level: only errors. */
const ERRORS = 3

/** The package for this platform, which is installed with Nokosu. A checkout has the official one instead, for all platforms. */
const PACKAGES = [
  { name: `@nokosu/onnx-${process.platform}-${process.arch}`, folder: '.' },
  { name: 'onnxruntime-node', folder: join('bin/napi-v6', process.platform, process.arch) },
]

let loaded: { binding: Binding; version: string } | null = null

/** Loads the native code. If no package can be loaded, throws the error of the last one. */
export function loadBinding(): { binding: Binding; version: string } {
  if (loaded !== null) return loaded
  let failure: unknown
  for (const { name, folder } of PACKAGES) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      const binding: Binding = require(join(dirname(manifest), folder, 'onnxruntime_binding.node'))
      const { isMainThread } = require('node:worker_threads') as typeof import('node:worker_threads')
      binding.initOrtOnce(ERRORS, Tensor, isMainThread)
      loaded = { binding, version: (require(manifest) as { version: string }).version }
      return loaded
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Opens a model. A run blocks this thread, so each run starts in a separate turn of the event loop. */
export function openNative({ InferenceSession }: Binding, model: Uint8Array, threads: number) {
  const session = new InferenceSession()
  session.loadModel(model.buffer, model.byteOffset, model.byteLength, {
    intraOpNumThreads: threads,
    logSeverityLevel: ERRORS,
  })
  return {
    async run(feeds: Feeds, output: string): Promise<Feed | undefined> {
      await new Promise(setImmediate)
      const tensors = Object.entries(feeds).map(([name, { type, data, dims }]) => [name, new Tensor(type, data, dims)])
      return session.run(Object.fromEntries(tensors), { [output]: null }, {})[output]
    },
    release: async () => session.dispose(),
  }
}
