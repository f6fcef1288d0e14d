import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { isMainThread } from 'node:worker_threads'
import type { Feed, Feeds } from './feed.ts'

/** What the official binary offers, as far as it is used: `onnxruntime-node` wraps the same. */
interface Binding {
  InferenceSession: new () => BindingSession
  /** Once a process. `tensor` is what it makes answers with. */
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
/** Of its log, everything else is left out. */
const ERRORS = 3

/** The package of this platform, which comes with Nokosu; else the official one, which has all of them: a checkout has that. */
const PACKAGES = [
  { name: `@nokosu/onnx-${process.platform}-${process.arch}`, folder: '.' },
  { name: 'onnxruntime-node', folder: join('bin/napi-v6', process.platform, process.arch) },
]

let loaded: { binding: Binding; version: string } | null = null

/** Loads the native code. Throws what the last package said where there is none, or it does not run here. */
export function loadBinding(): { binding: Binding; version: string } {
  if (loaded !== null) return loaded
  let failure: unknown
  for (const { name, folder } of PACKAGES) {
    try {
      const manifest = require.resolve(`${name}/package.json`)
      const binding: Binding = require(join(dirname(manifest), folder, 'onnxruntime_binding.node'))
      binding.initOrtOnce(ERRORS, Tensor, isMainThread)
      loaded = { binding, version: (require(manifest) as { version: string }).version }
      return loaded
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** Opens a model. A run blocks this thread, so each begins in a turn of its own. */
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
