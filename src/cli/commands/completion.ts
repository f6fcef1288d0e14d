import { defineCommand } from '../command.ts'
import { SCRIPTS } from '../completion/scripts.ts'
import { printJson, write } from '../output.ts'
import { oneOf } from '../parse-flags.ts'

export const { configure } = defineCommand({
  arguments: [['<shell>', 'your shell', oneOf(Object.keys(SCRIPTS))]],
  help: `
Prints a script that lets Tab complete commands, flags, layers, categories, projects, agents and ids. Load it in each new shell:
  bash  echo 'source <(nokosu completion bash)' >> ~/.bashrc
  zsh   echo 'source <(nokosu completion zsh)' >> ~/.zshrc
  fish  nokosu completion fish > ~/.config/fish/completions/nokosu.fish

Examples:
  nokosu completion bash
  source <(nokosu completion zsh)`,
  run({ json }, shell) {
    const script = SCRIPTS[shell]!
    return json ? printJson({ shell, script }) : write(script)
  },
})
