import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { configSchema } from '../../src/config/config-schema.ts'
import { CONTEXT_FORMATS } from '../../src/engine/context.ts'
import { streamOf } from './agent-output.ts'
import { workspace } from './run-cli.ts'

const DOCUMENT = readFileSync(join(import.meta.dirname, '../../docs/memory-usage.md'), 'utf8')

/** Every `nokosu ...` in the document: typed in an example or in backticks. */
function commandsOf(document: string): string[][] {
  const typed = [...document.matchAll(/^\$ nokosu (.+)$/gm), ...document.matchAll(/`nokosu ([^`]+)`/g)]
  return typed.map(([, line]) => line!.split(/\s+/))
}

describe('the living document on memory use', () => {
  it('[C21] names only commands and flags that the command line has', async () => {
    const { run } = workspace()
    const help = (await run(['--help'])).stdout
    const known = [...help.matchAll(/^ {2}([a-z-]+)(?: \[| {2,})/gm)].map(([, name]) => name)
    const used = Map.groupBy(commandsOf(DOCUMENT), ([name]) => name!)
    expect(commandsOf(DOCUMENT).length).toBeGreaterThan(20)
    for (const [name, lines] of used) {
      expect(known).toContain(name)
      const own = (await run([name, '--help'])).stdout
      for (const flag of lines.flat().filter((word) => word.startsWith('--'))) {
        expect(own, `nokosu ${name} ${flag}`).toMatch(new RegExp(`(^|[\\s,])${flag}\\b`, 'm'))
      }
    }
  })

  it('[C21] shows every format, and the defaults as they are', () => {
    for (const format of CONTEXT_FORMATS) expect(DOCUMENT).toContain(`### \`${format}\``)
    const settings = JSON.parse(/```json\n([\s\S]*?)```/.exec(DOCUMENT)![1]!)
    const { budget, memory } = configSchema.parse({})
    expect(settings).toEqual({ budget, memory })
  })

  it('[C21] shows what a capture really prints', async () => {
    const { run } = workspace()
    const example = /^\$ nokosu capture monday\.jsonl.*\n([\s\S]*?)```/m.exec(DOCUMENT)![1]!
    const markers = [...example.matchAll(/^new +\[([^\]]+)\] (.*) \(confidence/gm)].map(
      ([, label, text]) => `[MEMORY:${label}] ${text}`,
    )
    const input = streamOf('monday', [...markers, '[MEMORY:misc] The weather is fine'].join('\n'))
    const { stdout } = await run(['capture', '--project', 'home', '--tier', '1'], { input })
    expect(stdout).toBe(`${example.split('\n').slice(0, -2).join('\n')}\n`)
  })
})
