import { spawn } from 'node:child_process'
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { invalidInput, MemoryError } from '../model/errors.ts'
import type { PersonalityInput } from '../model/personality.ts'
import { isRecord } from '../text/json.ts'
import { parseYaml, readInput } from './input.ts'
import { shell } from './shell.ts'

/** The fields of a JSON or YAML file. `-` is standard input. */
export async function readPersonalityFile(file: string, agentName: string): Promise<Record<string, unknown>> {
  const { agentName: named = agentName, updatedAt, ...fields } = await parseFields(await readInput(file), file)
  if (named === agentName) return fields
  throw invalidInput('agentName', `Invalid agentName: the file is for '${String(named)}'.`)
}

async function parseFields(text: string, name: string): Promise<Record<string, unknown>> {
  const value = await parseYaml(text, name)
  if (isRecord(value)) return value
  throw invalidInput('file', `${name} must contain an object with persona, traits and so on.`)
}

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
    return { ...(await parseFields(await readFile(file, 'utf8'), 'The edited text')), agentName }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}
