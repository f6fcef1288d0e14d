import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { MemoryError } from '../model/errors.ts'
import type { PersonalityInput } from '../model/personality.ts'
import { readText } from './read-text.ts'
import { shell } from './shell.ts'

/** JSON is YAML, so one reader serves both. `-` is standard input. */
export async function readPersonalityFile(file: string, agentName: string): Promise<Record<string, unknown>> {
  const text = file === '-' ? await readText('-') : await readFile(resolve(shell().cwd, file), 'utf8')
  const { agentName: named = agentName, updatedAt, ...fields } = await parse(text, file)
  if (named !== agentName) {
    throw new MemoryError('INVALID_INPUT', `Invalid agentName: the file is for '${String(named)}'.`, {
      details: { field: 'agentName' },
    })
  }
  return fields
}

async function parse(text: string, where: string): Promise<Record<string, unknown>> {
  const yaml = await import('yaml')
  let value: unknown
  try {
    value = yaml.parse(text.replace(/^\uFEFF/, ''), { maxAliasCount: 0 })
  } catch (cause) {
    const message = (cause as Error).message.split('\n', 1)[0]
    throw new MemoryError('INVALID_INPUT', `${where} is neither JSON nor YAML: ${message}`, {
      details: { field: 'file' },
      cause,
    })
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Record<string, unknown>
  throw new MemoryError('INVALID_INPUT', `${where} must hold an object with persona, traits and so on.`, {
    details: { field: 'file' },
  })
}

/** Opens a personality as YAML in the user's editor, and reads what was saved. */
export async function editPersonality(draft: Partial<PersonalityInput>): Promise<Record<string, unknown>> {
  const { env, cwd } = shell()
  const editor = env.VISUAL || env.EDITOR
  if (!editor) throw new MemoryError('INVALID_INPUT', 'Set VISUAL or EDITOR to edit with --editor, or use --file.')
  const { stringify } = await import('yaml')
  const { agentName, displayName = '', persona = '', traits = [], communicationStyle = '' } = draft
  const folder = await mkdtemp(join(tmpdir(), 'nokosu-edit-'))
  const file = join(folder, 'personality.yaml')
  try {
    const text = stringify({ displayName, persona, traits, communicationStyle }, { lineWidth: 100 })
    await writeFile(file, `# The personality of ${agentName}.\n${text}`, { mode: 0o600 })
    // With the shell, as git does: EDITOR may be "code --wait".
    const code = await new Promise<number | null>((done, fail) => {
      const child = spawn('sh', ['-c', `${editor} "$1"`, 'sh', file], { cwd, env: { ...env }, stdio: 'inherit' })
      child.once('error', fail).once('close', done)
    })
    if (code !== 0) throw new MemoryError('INVALID_INPUT', `The editor exited with ${code}. Nothing was changed.`)
    return { ...(await parse(await readFile(file, 'utf8'), 'The edited text')), agentName }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
