/**
 * Makes one npm package per platform with the native code that runs the models, from `onnxruntime-node`, which contains the binaries of all platforms (288 MB):
 * `node scripts/onnx-packages.ts [linux-x64 ...]` writes `dist-packages/onnx-*`, ready for `npm pack` or `npm publish`. Only files for the CPU are copied.
 * DirectML and the shader compiler are for graphics cards.
 */
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')
const OFFICIAL = join(ROOT, 'node_modules/onnxruntime-node')

const FILES: Readonly<Record<string, readonly string[]>> = {
  'linux-x64': ['libonnxruntime.so.1'],
  'linux-arm64': ['libonnxruntime.so.1'],
  'darwin-arm64': ['libonnxruntime.1.dylib'],
  'win32-x64': ['onnxruntime.dll'],
  'win32-arm64': ['onnxruntime.dll'],
}

/** The optional dependencies of the packed package.json, with the version of the runtime. */
export function nativePackages(): Record<string, string> {
  return Object.fromEntries(Object.keys(FILES).map((platform) => [`@nokosu/onnx-${platform}`, official().version]))
}

const official = () => readManifest(OFFICIAL)

function readManifest(folder: string): { version: string; repository?: unknown } {
  return JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'))
}

const LICENCE = `MIT License

Copyright (c) Microsoft Corporation

Permission is hereby granted, free of charge, to any person obtaining a copy
of this software and associated documentation files (the "Software"), to deal
in the Software without restriction, including without limitation the rights
to use, copy, modify, merge, publish, distribute, sublicense, and/or sell
copies of the Software, and to permit persons to whom the Software is
furnished to do so, subject to the following conditions:

The above copyright notice and this permission notice shall be included in all
copies or substantial portions of the Software.

THE SOFTWARE IS PROVIDED "AS IS", WITHOUT WARRANTY OF ANY KIND, EXPRESS OR
IMPLIED, INCLUDING BUT NOT LIMITED TO THE WARRANTIES OF MERCHANTABILITY,
FITNESS FOR A PARTICULAR PURPOSE AND NONINFRINGEMENT. IN NO EVENT SHALL THE
AUTHORS OR COPYRIGHT HOLDERS BE LIABLE FOR ANY CLAIM, DAMAGES OR OTHER
LIABILITY, WHETHER IN AN ACTION OF CONTRACT, TORT OR OTHERWISE, ARISING FROM,
OUT OF OR IN CONNECTION WITH THE SOFTWARE OR THE USE OR OTHER DEALINGS IN THE
SOFTWARE.
`

/** Returns the written folder. */
export function writeNativePackage(platform: string, target = join(ROOT, 'dist-packages')): string {
  const libraries = FILES[platform]
  if (libraries === undefined) throw new Error(`${platform} is none of ${Object.keys(FILES).join(', ')}`)
  const [os, cpu] = platform.split('-') as [string, string]
  const { version } = official()
  const { repository } = readManifest(ROOT)
  const folder = join(target, `onnx-${platform}`)
  const manifest = {
    name: `@nokosu/onnx-${platform}`,
    version,
    description: `The native code of ONNX Runtime ${version} for ${platform}, as nokosu loads it.`,
    license: 'MIT',
    ...(repository === undefined ? {} : { repository }),
    os: [os],
    cpu: [cpu],
    ...(os === 'linux' ? { libc: ['glibc'] } : {}),
  }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  for (const file of ['onnxruntime_binding.node', ...libraries])
    copyFileSync(join(OFFICIAL, 'bin/napi-v6', os, cpu, file), join(folder, file))
  writeFileSync(join(folder, 'package.json'), `${JSON.stringify(manifest, null, 2)}\n`)
  writeFileSync(join(folder, 'LICENSE'), LICENCE)
  writeFileSync(
    join(folder, 'README.md'),
    `# ${manifest.name}\n\nUnchanged binaries of [onnxruntime-node](https://www.npmjs.com/package/onnxruntime-node) ${version} for one platform. ` +
      'nokosu loads them where they are installed, and uses WebAssembly elsewhere.\n',
  )
  return folder
}

if (import.meta.main) {
  const asked = process.argv.slice(2)
  for (const platform of asked.length > 0 ? asked : Object.keys(FILES)) console.log(writeNativePackage(platform))
}
