import { afterEach, describe, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.doUnmock('./native.ts')
  vi.doUnmock('./load-wasm.ts')
  vi.resetModules()
})

async function fresh() {
  vi.resetModules()
  return import('./runtime.ts')
}

/** Returns a function that restores it. */
function withoutNative(): () => void {
  let isThere = false
  vi.doMock(import('./native.ts'), async (load) => {
    const actual = await load()
    const loadBinding = () => {
      if (isThere) return actual.loadBinding()
      throw new Error('Cannot find package')
    }
    return { ...actual, loadBinding }
  })
  return () => {
    isThere = true
  }
}

describe('loadRuntime', () => {
  test('takes the native one where it is', async () => {
    const { describeRuntime, loadRuntime } = await fresh()
    expect(await loadRuntime()).toMatchObject({ name: 'onnxruntime-node' })
    expect(await describeRuntime()).toMatch(/^onnxruntime-node \d+\.\d+\.\d+$/)
  })

  test('takes the one in WebAssembly where the native package is absent', async () => {
    withoutNative()
    const { describeRuntime, loadRuntime } = await fresh()
    expect(await loadRuntime()).toMatchObject({ name: 'onnxruntime-web' })
    expect(await describeRuntime()).toMatch(/^onnxruntime-web \d+\.\d+\.\d+ \(WebAssembly/)
  })

  test('without either says so, and looks again the next time', async () => {
    const install = withoutNative()
    vi.doMock('./load-wasm.ts', () => ({ importWasm: () => Promise.reject(new Error('no files')) }))
    const { loadRuntime } = await fresh()
    await expect(loadRuntime()).rejects.toMatchObject({
      code: 'MISSING_DEPENDENCY',
      details: { failures: { 'onnxruntime-node': expect.any(String), 'onnxruntime-web': expect.any(String) } },
    })
    install()
    expect(await loadRuntime()).toMatchObject({ name: 'onnxruntime-node' })
  })

  test('the models answer alike on both', async () => {
    const { localRelationModel } = await import('../lifecycle/relate/relation-model.ts')
    const pairs = [
      ['The cache is on', 'The cache is off'],
      ['Grafana needs the VPN', 'You have to be on the VPN to open Grafana'],
    ] as const
    const [native, wasm] = await Promise.all(
      (['onnxruntime-node', 'onnxruntime-web'] as const).map(async (runtime) => {
        const model = localRelationModel({ runtime })
        const answers = await model.ask(pairs)
        await model.close()
        return answers
      }),
    )
    pairs.forEach((_, i) => {
      expect(Math.abs(native![i]!.same - wasm![i]!.same)).toBeLessThan(0.15)
      expect(Math.abs(native![i]!.contradicts - wasm![i]!.contradicts)).toBeLessThan(0.15)
    })
  })
})
