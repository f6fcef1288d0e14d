import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { WorkspaceRequest } from '../../agents/workspace/content.ts'
import type { OnCopy } from '../../agents/workspace/copies.ts'
import { MemoryError } from '../../model/errors.ts'
import { typedWith } from '../command-line.ts'
import { missingScope } from '../missing-scope.ts'
import { type GlobalOptions, readConfig, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  agent?: string
  project?: string
  role?: string
  workspace?: string
  file?: string
  shownTo?: string
  restore?: boolean
  force?: boolean
}

/** `nokosu inject` */
export function configure(command: Command): void {
  command
    .option('--agent <name>', 'the agent that is going to work there')
    .option('--project <id>', 'the project whose memories it is shown (default: as in nokosu add)')
    .option('--role <role>', 'architect, coder, reviewer or tester (default: the agent’s usual one)')
    .option('--workspace <folder>', 'where it is going to work (default: this folder)')
    .option('--file <name>', 'the file with the instructions (default: CLAUDE.md)')
    .option('--shown-to <session>', 'record that this session was shown the memories')
    .option('--restore', 'take out what was injected')
    .option('--force', 'with --restore: even while a run uses it')
    .addHelpText(
      'after',
      `
Writes the agent’s personality, its role instructions and an import of its memories into CLAUDE.md, as a block before what is
there, and the memories into .claude/memory/MEMORY.md; with --file AGENTS.md all of it into that. Neither ends up in a commit;
until --restore a new file is untracked. Running it again replaces the block. --restore removes it and keeps what the agent
wrote. While a run uses the files, both refuse. 'nokosu run' gives an agent the same without touching the
workspace.

Examples:
  nokosu inject --agent nori --project shop
  nokosu inject --agent wasabi --role reviewer --project shop --workspace ../shop-review --shown-to run-7
  nokosu inject --restore`,
    )
    .action(inject)
}

async function inject(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const workspace = resolve(shell().cwd, options.workspace ?? '.')
  const [{ injectWorkspace, restoreWorkspace }, { describeCopy }] = await Promise.all([
    import('../../agents/workspace/workspace.ts'),
    import('../../agents/workspace/copies.ts'),
  ])
  if (options.restore) {
    const onCopy: OnCopy = (path, isOut) => note(describeCopy(path, isOut))
    const restored = await restoreWorkspace(workspace, { force: options.force === true, file: options.file, onCopy })
    if (options.json) return printJson({ workspace, restored })
    return restored ? printLine('Restored.') : note('There was nothing to restore.')
  }
  const { agent, role, shownTo: session } = options
  const { project } = await readConfig(options)
  if (project === undefined) throw missingScope({ all: false })
  if (agent === undefined) {
    const details = { identifier: 'agentId', hint: `Name it:\n  ${typedWith('--agent', 'nori')}` }
    throw new MemoryError('MISSING_IDENTIFIER', 'Nothing says which agent is going to work there.', { details })
  }
  const request: WorkspaceRequest = { agent, project, role, session }
  const { buildWorkspaceContent } = await import('../../agents/workspace/content.ts')
  const intent = session === undefined ? 'read' : 'write'
  const content = await withEngine(options, intent, (engine) => buildWorkspaceContent(engine, request))
  await injectWorkspace(workspace, content, { file: options.file })
  const memories = content.context.included.length
  if (options.json) {
    return printJson({ workspace, memories, tokens: content.context.tokens, omitted: content.context.omitted })
  }
  await printLine(`Injected into ${workspace}: ${countOf(memories, 'memory', 'memories')}.`)
  note("Undo it with 'nokosu inject --restore'.")
}
