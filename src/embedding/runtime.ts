import { MemoryError } from '../model/errors.ts'
import type { Feed, Feeds } from './feed.ts'
import { importWasm } from './load-wasm.ts'
import { loadBinding, openNative } from './native.ts'

export const RUNTIMES = ['onnxruntime-node', 'onnxruntime-web'] as const
/** Native code, or WebAssembly if the native package is missing. */
export type RuntimeName = (typeof RUNTIMES)[number]

export interface Network {
  /** The named output for these inputs. */
  run(feeds: Feeds, output: string): Promise<{ data: Float32Array; dims: readonly number[] }>
  release(): Promise<void>
}

/** Runs all bundled models. */
export interface Runtime {
  readonly name: RuntimeName
  readonly version: string
  open(model: Uint8Array): Promise<Network>
}

let chosen: Promise<Runtime> | null = null

/**
 * The native runtime, otherwise WebAssembly (four to six times slower, no native part). Chosen once per process.
 * `only` selects one of them, for measuring.
 */
export function loadRuntime(only?: RuntimeName): Promise<Runtime> {
  if (only !== undefined) return tryRuntimes([only])
  chosen ??= tryRuntimes(RUNTIMES).catch((error: unknown) => {
    // The next call retries: the package may be installed by then.
    chosen = null
    throw error
  })
  return chosen
}

/** For doctor: `onnxruntime-node 1.30.0`. Rejects with MISSING_DEPENDENCY if there is none. */
export async function describeRuntime(): Promise<string> {
  const { name, version } = await loadRuntime()
  return `${name} ${version}${name === 'onnxruntime-web' ? ' (WebAssembly; slower than the native one)' : ''}`
}

const LOADERS: Record<RuntimeName, () => Promise<Runtime>> = {
  'onnxruntime-node': loadNative,
  'onnxruntime-web': loadWasm,
}

async function tryRuntimes(names: readonly RuntimeName[]): Promise<Runtime> {
  // The runtime would otherwise send telemetry and leave logs in the temporary folder.
  process.env.ORT_DISABLE_TELEMETRY = '1'
  const failures: Record<string, string> = {}
  for (const name of names) {
    try {
      return await LOADERS[name]()
    } catch (error) {
      failures[name] = error instanceof Error ? error.message : String(error)
    }
  }
  throw new MemoryError(
    'MISSING_DEPENDENCY',
    `No runtime for models can be loaded on this machine (${names.join(', ')}). Install nokosu again with its optional ` +
      'dependencies, or set embedding.kind to "http" or "hashing".',
    { details: { failures } },
  )
}

/** Two threads are no faster on a sentence or a pair, and use a third more processor time; only a long text would gain. */
const THREADS = 1

async function loadNative(): Promise<Runtime> {
  const { binding, version } = loadBinding()
  return {
    name: 'onnxruntime-node',
    version,
    open: async (model) => network(openNative(binding, model, THREADS)),
  }
}

async function loadWasm(): Promise<Runtime> {
  const ort = await importWasm()
  ort.env.wasm.numThreads = THREADS
  return {
    name: 'onnxruntime-web',
    version: ort.env.versions.web ?? '',
    async open(model) {
      const options = { executionProviders: ['wasm'], logSeverityLevel: 3 } as const
      const session = await ort.InferenceSession.create(model, options)
      return network({
        async run(feeds, output) {
          const tensors = Object.entries(feeds).map(([name, { data, dims }]) => [name, new ort.Tensor(data, dims)])
          return (await session.run(Object.fromEntries(tensors), [output]))[output] as Feed | undefined
        },
        release: () => session.release(),
      })
    },
  }
}

interface Session {
  run(feeds: Feeds, output: string): Promise<Feed | undefined>
  release(): Promise<void>
}

function network(session: Session): Network {
  return {
    async run(feeds, output) {
      const answer = await session.run(feeds, output)
      if (!(answer?.data instanceof Float32Array)) throw new TypeError(`the model has no output named ${output}`)
      return { data: answer.data, dims: answer.dims }
    },
    release: () => session.release(),
  }
}
