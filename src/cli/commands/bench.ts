import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Command } from 'commander'
import { MemoryError } from '../../model/errors.ts'
import { packageRoot } from '../package-info.ts'
import { shell } from '../shell.ts'

/** `nokosu bench` */
export function configure(command: Command): void {
  command
    .argument('[arguments...]', 'passed on to bench/run.ts')
    .allowUnknownOption()
    .addHelpText('after', '\nExamples:\n  nokosu bench')
    .action(bench)
}

async function bench(args: string[]): Promise<void> {
  const root = packageRoot()
  const script = join(root, 'bench', 'run.ts')
  if (!existsSync(script)) {
    throw new MemoryError(
      'UNSUPPORTED',
      'The package does not contain the benchmarks. They are in the repository of Nokosu.',
    )
  }
  const child = spawn(process.execPath, [script, ...args], { cwd: root, stdio: 'inherit' })
  const [code] = (await once(child, 'exit')) as [number | null]
  shell().exitCode = code ?? 1
}
