import { redactSecrets } from '../../guard/redact-secrets.ts'
import { momentFormat } from '../../model/moment.ts'
import type { Scene } from './scene.ts'

const MOST_CHARACTERS = 40
/** Commands that only prepare the main one. */
const PREPARING = new Set(['cd', 'echo', 'export', 'pushd', 'set', 'source', 'true', '.'])

/**
 * The name a moment's showing is recorded under: only the program and its first argument, so that it contains no
 * secrets.
 */
export function formatOf(scene: Scene): string {
  const action = actionOf(scene)
  return momentFormat(scene.kind, action === null ? null : shorten(action))
}

function actionOf({ tool, commands, paths }: Scene): string | null {
  const command = commands.find(({ words }) => !PREPARING.has(words[0]!)) ?? commands[0]
  if (command !== undefined) {
    const [program, next = ''] = command.words
    const name = program!.replace(/^.*\//, '')
    return /^[a-z][a-z0-9:-]{0,19}$/i.test(next) ? `${name} ${next}` : name
  }
  const path = paths[0]?.split('/').filter(Boolean).at(-1)
  return path === undefined ? tool : `${tool ?? ''} ${path}`
}

function shorten(action: string): string | null {
  const plain = redactSecrets(action.replaceAll(/\s+/g, ' ').trim()).text.slice(0, MOST_CHARACTERS)
  return plain.toWellFormed().trim() || null
}
