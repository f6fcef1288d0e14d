import { createHash } from 'node:crypto'
import { type Scope, scopeOf } from './layer.ts'
import type { Memory } from './memory.ts'
import type { Change } from './records.ts'
import { serviceKey } from './service-name.ts'

/** Keys that can be taken once in the life of a store, and keys that make a call repeatable. */

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** What a call asks for, in short: two that ask for the same have the same. */
export function fingerprint(input: unknown): string {
  return digest(input)
}

/** A session leaves the same words once in a scope, category and service. */
export function saidKey(
  session: string,
  { layer, owner, project }: Scope,
  { category, service, content }: Pick<Memory, 'category' | 'service' | 'content'>,
): string {
  return `said:${digest(session, layer, owner, project, category, service && serviceKey(service), content)}`
}

/** Words that are new to a scope, category and service are stored by the first who says them: another who decided the same at that instant decides again. */
export function newKey(
  { layer, owner, project }: Scope,
  { category, service, content }: Pick<Memory, 'category' | 'service' | 'content'>,
): string {
  return `new:${digest(layer, owner, project, category, service && serviceKey(service), content)}`
}

/** The same words are held for review once in a scope, whoever says them. */
export function heldKey({ layer, owner, project }: Scope, { content }: Pick<Memory, 'content'>): string {
  return `held:${digest(layer, owner, project, content)}`
}

/** An operator has rejected these words in a scope. */
export function rejectedKey({ layer, owner, project }: Scope, { content }: Pick<Memory, 'content'>): string {
  return `rejected:${digest(layer, owner, project, content)}`
}

/** An operator has retracted a memory with these words (their digest). */
export function retractedKey({ layer, owner, project }: Scope, words: string): string {
  return `retracted:${digest(layer, owner, project, words)}`
}

/** A session counts for a memory once. */
export function countedKey(session: string, memory: string): string {
  return `counted:${memory}:${digest(session)}`
}

/** And weakens it once; so does an agent, whatever its sessions. */
export function opposedKey(who: string, memory: string): string {
  return `opposed:${memory}:${digest(who)}`
}

const SESSION = /^session:(.+)$|^.+? \(session (.+)\)$/su

/** How the history names a session that wrote, and the one who spoke for it where that is known. */
export function sessionActor(session: string, speaker: string | null): string {
  return speaker === null ? `session:${session}` : `${speaker} (session ${session})`
}

function sessionOf(by: string): string | null {
  const found = SESSION.exec(by)
  return found?.[1] ?? found?.[2] ?? null
}

/**
 * The once-keys that a change by a session took: the words that it left, or the memory that it counted for. Where history comes from
 * elsewhere, they come with it: a session that is captured again changes nothing there either, and brings back nothing deleted.
 */
export function keysTakenBy({ by, memory, operation, after }: Change): string[] {
  const session = sessionOf(by)
  if (session === null || after === null) return []
  const said = operation === 'create' ? [saidKey(session, scopeOf(after.layer, after.identifiers), after)] : []
  return [...said, countedKey(session, memory)]
}

/**
 * A caller's key, as the store knows it. It belongs to one operation on one thing by one caller: the same key for anything
 * else is another key.
 */
export function repeatKey(key: string | undefined, operation: string, ...about: unknown[]): string | undefined {
  return key === undefined ? undefined : `${operation}:${digest(key, ...about)}`
}
