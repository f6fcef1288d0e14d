import { join } from 'node:path'
import type { Identifiers } from '../../model/layer.ts'
import type { WorkspaceContent } from '../workspace/content.ts'
import type { OnCopy } from '../workspace/copies.ts'
import { type Delivery, deliver, markUnread, wasRead } from './deliver.ts'
import { namesClaude } from './find-claude.ts'
import { gitShield } from './git-shield.ts'
import { HOOKS_OF_RUN, type HookServer, writeHooks } from './live-hooks.ts'
import { createPrivateFolder, type PrivateFolder } from './private-folder.ts'
import { renewSystemPrompt } from './resume.ts'

export interface MemoryDelivery {
  command: readonly string[]
  workspace: string
  content: WorkspaceContent
  beforeMemory?: string | undefined
  afterMemory?: string | undefined
  /** The workspace file to write to; null for none. */
  file: string | null
  /** The server that answers Claude Code's hooks; null: nothing is shown during the run. */
  hooks: HookServer | null
  identifiers: Identifiers
  holder: string
  env: NodeJS.ProcessEnv
  /** Milliseconds before the agent must start. */
  boundMs: number
  warn(text: string): void
  /** Registers cleanup for when the agent has ended. */
  cleanUp(cleanup: () => Promise<unknown>): void
}

/** Part of the bound: better to start without files than late. */
const FILES = 0.9

/** Writes files into the workspace if asked to. Otherwise, or if they cannot be written, delivers outside it. */
export async function deliverMemory(memory: MemoryDelivery): Promise<Delivery> {
  const { content, beforeMemory = '', afterMemory = '', command, workspace, env, file } = memory
  const parts = [content.instructions.trim(), beforeMemory, content.memory.trim(), afterMemory]
  const text = parts.filter((part) => part !== '').join('\n\n')
  const surroundings = { cwd: workspace, env }
  try {
    const folder = await createPrivateFolder(workspace)
    memory.cleanUp(folder.remove)
    const options = memory.hooks === null ? [] : await writeHooks(folder.path, memory.hooks, memory.identifiers)
    const live = { options, env: options.length === 0 ? {} : HOOKS_OF_RUN }
    const injected = file === null || text === '' ? null : await writeFiles(memory, file, folder)
    if (injected !== null) {
      const { command: changed, env: own } = await deliver(command, { text: '', ...live }, folder.path, surroundings)
      return { ...injected, command: changed, env: { ...injected.env, ...own } }
    }
    const shield = await checkFiles(memory, folder)
    const delivery = await deliver(command, { text, ...live }, folder.path, surroundings)
    const renewed = text === '' ? delivery.command : await renewSystemPrompt(delivery.command, surroundings)
    return { ...delivery, command: renewed, env: { ...shield, ...delivery.env } }
  } catch (error) {
    const failure = (error as Error).message
    return { command: [...command], env: {}, detail: 'as given', confirmed: () => false, isExpected: false, failure }
  }
}

/** Null if the files could not be written, or not in time. */
async function writeFiles(memory: MemoryDelivery, file: string, folder: PrivateFolder): Promise<Delivery | null> {
  const { command, workspace, content, holder, env, warn, cleanUp } = memory
  try {
    const [{ injectWorkspace }, { newNonce, oursOf }, { blocksOf }, { MEMORY }, { describeCopy }] = await Promise.all([
      import('../workspace/workspace.ts'),
      import('../workspace/block.ts'),
      import('../workspace/apply.ts'),
      import('../workspace/undo.ts'),
      import('../workspace/copies.ts'),
    ])
    const nonce = newNonce()
    const ours = oursOf(blocksOf(content, file, nonce).map(([, block]) => block))
    const shield = await gitShield(folder.path, { file, ours }, { cwd: workspace, env })
    const onCopy: OnCopy = (path, isOut) => warn(describeCopy(path, isOut))
    cleanUp(await injectWorkspace(workspace, content, { file, holder, nonce, onCopy, boundMs: FILES * memory.boundMs }))
    const others = await folder.neighbours()
    if (others.length > 0) warn(`another run in this workspace (process ${others.join(', ')}) may read ${file} as well`)
    // Git covers the files that it tracks; only agents read the memory file.
    const read = join(workspace, file.endsWith('CLAUDE.md') && content.memory !== '' ? MEMORY : file)
    await markUnread(read)
    const detail = `as given, memories in ${file}`
    const isExpected = namesClaude(command)
    return { command: [...command], env: shield, detail, confirmed: () => wasRead(read), isExpected, failure: null }
  } catch (error) {
    warn(`nothing was written to the workspace: ${(error as Error).message}`)
    return null
  }
}

/**
 * Removes files of a killed run. This agent also reads the files of a running one, and they must stay out of both agents'
 * commits.
 */
async function checkFiles(
  { workspace, env, warn }: MemoryDelivery,
  folder: PrivateFolder,
): Promise<Record<string, string>> {
  const { holderOf, restoreLeft } = await import('../workspace/workspace.ts')
  await restoreLeft(workspace).catch((error: Error) =>
    warn(`cannot remove what an earlier run left in the workspace: ${error.message}`),
  )
  // If git cannot read the repository, the run still gets its memory.
  const holder = await holderOf(workspace).catch(() => null)
  if (holder === null) return {}
  warn(`the files in this workspace contain the role and memories of ${holder.name}, and this agent may read them too`)
  return gitShield(folder.path, holder, { cwd: workspace, env }).catch((error: Error) => {
    warn(`check what this agent commits: ${error.message}`)
    return {}
  })
}
