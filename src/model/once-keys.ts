import { createHash } from 'node:crypto'
import { type Scope, scopeOf } from './layer.ts'
import type { Memory } from './memory.ts'
import type { Change } from './records.ts'
import { serviceKey } from './service-name.ts'

/** Keys that can be taken once per store, and keys that make a call repeatable. */

function digest(...parts: unknown[]): string {
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex').slice(0, 32)
}

/** Fingerprint of a request; equal requests have equal fingerprints. */
export function fingerprint(input: unknown): string {
  return digest(input)
}

/** A session can record the same text once per scope, category and service. */
export function saidKey(
  session: string,
  { layer, owner, project }: Scope,
  { category, service, content }: Pick<Memory, 'category' | 'service' | 'content'>,
): string {
  return `said:${digest(session, layer, owner, project, category, service && serviceKey(service), content)}`
}

/**
 * New text is inserted once per scope, category and service: if two writers insert it at the same time, the second must
 * decide again.
 */
export function newKey(
  { layer, owner, project }: Scope,
  { category, service, content }: Pick<Memory, 'category' | 'service' | 'content'>,
): string {
  return `new:${digest(layer, owner, project, category, service && serviceKey(service), content)}`
}

/** The same text is held for review once per scope, whoever wrote it. */
export function heldKey({ layer, owner, project }: Scope, { content }: Pick<Memory, 'content'>): string {
  return `held:${digest(layer, owner, project, content)}`
}

/** An operator rejected this text in this scope. */
export function rejectedKey({ layer, owner, project }: Scope, { content }: Pick<Memory, 'content'>): string {
  return `rejected:${digest(layer, owner, project, content)}`
}

/**
 * An operator retracted a memory with this text (its digest). With no scope it is a hint for the whole store: whether
 * the retraction concerns a scope is read from the memory. Older stores have only the key of its own scope.
 */
export function retractedKey(scope: Scope | null, words: string): string {
  return `retracted:${scope === null ? digest(words) : digest(scope.layer, scope.owner, scope.project, words)}`
}

/** A session reinforces a memory once. */
export function countedKey(session: string, memory: string): string {
  return `counted:${memory}:${digest(session)}`
}

/** A session weakens a memory once, and so does an agent across its sessions. */
export function opposedKey(who: string, memory: string): string {
  return `opposed:${memory}:${digest(who)}`
}

const SESSION = /^session:(.+)$|^.+? \(session (.+)\)$/su

/** The author of a session's change in the history, with the agent it speaks for if known. */
export function sessionActor(session: string, speaker: string | null): string {
  return speaker === null ? `session:${session}` : `${speaker} (session ${session})`
}

function sessionOf(by: string): string | null {
  const found = SESSION.exec(by)
  return found?.[1] ?? found?.[2] ?? null
}

/**
 * The once-keys a session's change took: the text it recorded, or the memory it reinforced. They are imported with the
 * history, so that capturing the session again changes nothing and restores nothing that was deleted.
 */
export function keysTakenBy({ by, memory, operation, after }: Change): string[] {
  const session = sessionOf(by)
  if (session === null || after === null) return []
  const said = operation === 'create' ? [saidKey(session, scopeOf(after.layer, after.identifiers), after)] : []
  return [...said, countedKey(session, memory)]
}

/**
 * A caller's key in the form the store keeps. It is bound to one operation on one target by one caller: used for
 * anything else, it is a different key.
 */
export function repeatKey(key: string | undefined, operation: string, ...about: unknown[]): string | undefined {
  return key === undefined ? undefined : `${operation}:${digest(key, ...about)}`
}
