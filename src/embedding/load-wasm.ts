import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { findInstalled } from './runtime-files.ts'

const FOLDER = 'dist/onnx-web'

/** The WebAssembly build of the runtime: the build copies the few files that are needed of `onnxruntime-web`, 14 MB of 139. */
export async function importWasm(): Promise<typeof import('onnxruntime-web')> {
  const folder = findInstalled(FOLDER, 'ort.js')
  if (folder === null) throw new Error(`${FOLDER} is missing: in a checkout, npm run build makes it`)
  const address = (file: string) => pathToFileURL(join(folder, file)).href
  const ort: typeof import('onnxruntime-web') = await import(address('ort.js'))
  ort.env.wasm.wasmPaths = { mjs: address('ort-wasm-simd-threaded.mjs'), wasm: address('ort-wasm-simd-threaded.wasm') }
  return ort
}
