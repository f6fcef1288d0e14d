import { Argument, type Command } from 'commander'
import { SCRIPTS } from '../completion/scripts.ts'
import type { GlobalOptions } from '../open-engine.ts'
import { printJson, write } from '../output.ts'

/** `nokosu completion` */
export function configure(command: Command): void {
  command
    .addArgument(new Argument('<shell>', 'the shell that you use').choices(Object.keys(SCRIPTS)))
    .addHelpText(
      'after',
      `
Prints what makes Tab complete commands, flags, layers, categories, projects, agents and ids. Load it in each new shell:
  bash  echo 'source <(nokosu completion bash)' >> ~/.bashrc
  zsh   echo 'source <(nokosu completion zsh)' >> ~/.zshrc
  fish  nokosu completion fish > ~/.config/fish/completions/nokosu.fish

Examples:
  nokosu completion bash
  source <(nokosu completion zsh)`,
    )
    .action(completion)
}

async function completion(shell: string, _: unknown, command: Command): Promise<void> {
  const script = SCRIPTS[shell]!
  if (command.optsWithGlobals<GlobalOptions>().json) return printJson({ shell, script })
  await write(script)
}
