import { resolve } from 'node:path'
import { MemoryError } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { typedWith } from '../command-line.ts'
import { missingScope } from '../missing-scope.ts'
import { readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { shell } from '../shell.ts'

export const { configure } = defineCommand({
  options: {
    '--agent <name>': 'the agent that will work there',
    '--project <id>': 'the project whose memories it is shown (default: as in nokosu add)',
    '--role <role>': 'architect, coder, reviewer or tester (default: the agent’s usual one)',
    '--workspace <folder>': 'the folder it will work in (default: this one)',
    '--file <name>': 'the file with the instructions (default: CLAUDE.md)',
    '--shown-to <session>': 'record that this session was shown the memories',
    '--restore': 'remove what was injected',
    '--force': 'with --restore: even while a run uses it',
  },
  help: `
Writes the agent’s personality, its role instructions and an import of its memories into CLAUDE.md, as a block at the top
of the file, and the memories into .claude/memory/MEMORY.md; with --file AGENTS.md all of it goes there. Neither ends up in a commit;
until --restore a new file is untracked. Running it again replaces the block. --restore removes it and keeps what the agent
wrote. Both refuse while a run uses the files. 'nokosu run' gives an agent the same without touching the
workspace.

Examples:
  nokosu inject --agent nori --project shop
  nokosu inject --agent wasabi --role reviewer --project shop --workspace ../shop-review --shown-to run-7
  nokosu inject --restore`,
  async run(options) {
    const { agent, role, file, shownTo: session } = options
    const workspace = resolve(shell().cwd, options.workspace ?? '.')
    const { injectWorkspace, restoreWorkspace } = await import('../../agents/workspace/workspace.ts')
    if (options.restore) {
      const { describeCopy } = await import('../../agents/workspace/copies.ts')
      const onCopy = (path: string, isOut: boolean) => note(describeCopy(path, isOut))
      const restored = await restoreWorkspace(workspace, { force: options.force === true, file, onCopy })
      if (options.json) return printJson({ workspace, restored })
      return restored ? printLine('Restored.') : note('There was nothing to restore.')
    }
    const { project } = await readConfig(options)
    if (project === undefined) throw missingScope({ all: false })
    if (agent === undefined) {
      const details = { identifier: 'agentId', hint: `Name it:\n  ${typedWith('--agent', 'nori')}` }
      throw new MemoryError('MISSING_IDENTIFIER', 'No agent is given.', { details })
    }
    const { buildWorkspaceContent } = await import('../../agents/workspace/content.ts')
    const intent = session === undefined ? 'read' : 'write'
    const content = await withEngine(options, intent, (engine) =>
      buildWorkspaceContent(engine, { agent, project, role, session }),
    )
    await injectWorkspace(workspace, content, { file })
    const { included, tokens, omitted } = content.context
    if (options.json) return printJson({ workspace, memories: included.length, tokens, omitted })
    await printLine(`Injected into ${workspace}: ${countOf(included.length, 'memory', 'memories')}.`)
    note("Undo it with 'nokosu inject --restore'.")
  },
})
