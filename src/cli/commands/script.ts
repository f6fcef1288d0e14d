import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { findPackageRoot } from '../../package/package-root.ts'
import type { CommandModule } from '../command.ts'
import type { GlobalOptions } from '../open-engine.ts'
import { write, writeError } from '../output.ts'
import { shell } from '../shell.ts'

/** A command that runs a script of the checkout, which the package does not contain. */
function scriptCommand(path: string, examples: readonly string[]): CommandModule {
  return {
    configure(command) {
      command
        .argument('[arguments...]', `passed on to ${path}`)
        .allowUnknownOption()
        .addHelpText('after', `\nExamples:\n${examples.map((line) => `  ${line}`).join('\n')}`)
        .action((args: string[], _: unknown, self: Command) => {
          const { json } = self.optsWithGlobals<GlobalOptions>()
          return runScript(path, json ? [...args, '--json'] : args)
        })
    },
  }
}

export const BENCH = scriptCommand('bench/run.ts', ['nokosu bench'])

export const EVAL = scriptCommand('eval/run.ts', [
  'nokosu eval own',
  'nokosu eval locomo --data locomo10.json --form threads --ablate --svg locomo.svg',
  'nokosu eval questions --data questions.jsonl --json',
  'nokosu eval relations --data pairs.jsonl',
  'nokosu eval moments --data eval/moments/shop',
  'nokosu eval month --seeds 1,2,3',
  'nokosu eval overlap --data questions.jsonl',
])

export const TORTURE = scriptCommand('test/torture/run.ts', [
  'nokosu torture',
  'nokosu torture --stores all --seed 7 --json',
  'nokosu torture --only leaks --scale 17',
])

async function runScript(path: string, args: readonly string[]): Promise<void> {
  const script = join(findPackageRoot()!, path)
  if (!existsSync(script)) {
    throw new MemoryError('UNSUPPORTED', `${path} is not in the package. Run this in a checkout of Nokosu.`)
  }
  // Through the one writer: arguments that the script repeats must not control the terminal.
  const child = spawn(process.execPath, [script, ...args], { stdio: ['inherit', 'pipe', 'pipe'] })
  child.stdout.setEncoding('utf8').on('data', (text: string) => void write(text))
  child.stderr.setEncoding('utf8').on('data', writeError)
  const [code] = (await once(child, 'close')) as [number | null]
  shell().exitCode = code ?? 1
}
