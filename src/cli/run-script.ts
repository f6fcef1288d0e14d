import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import { write, writeError } from './output.ts'
import { packageRoot } from './package-info.ts'
import { shell } from './shell.ts'

/** Runs a script of the checkout as this command; `what` is what the package lacks without it. */
export async function runScript(path: readonly string[], args: readonly string[], what: string): Promise<void> {
  const script = join(packageRoot(), ...path)
  if (!existsSync(script)) {
    throw new MemoryError(
      'UNSUPPORTED',
      `The package does not contain the ${what}. They are in the repository of Nokosu.`,
    )
  }
  // Through the one writer: what it repeats of its arguments is not to move a terminal.
  const child = spawn(process.execPath, [script, ...args], { stdio: ['inherit', 'pipe', 'pipe'] })
  child.stdout.setEncoding('utf8').on('data', (text: string) => void write(text))
  child.stderr.setEncoding('utf8').on('data', writeError)
  const [code] = (await once(child, 'close')) as [number | null]
  shell().exitCode = code ?? 1
}
