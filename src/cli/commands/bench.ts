import type { Command } from 'commander'
import { runScript } from '../run-script.ts'

/** `nokosu bench` */
export function configure(command: Command): void {
  command
    .argument('[arguments...]', 'passed on to bench/run.ts')
    .allowUnknownOption()
    .addHelpText('after', '\nExamples:\n  nokosu bench')
    .action((args: string[]) => runScript(['bench', 'run.ts'], args, 'benchmarks'))
}
