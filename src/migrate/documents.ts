import type { Write } from '../storage/commit.ts'
import { type Collection, type Documents, documentKey } from '../storage/documents.ts'
import { type Difference, leaving, newFinding } from './findings.ts'
import type { Journal } from './journal.ts'
import { COLLECTION_KINDS, documents, type Fact, type Kind } from './kinds.ts'
import type { Pass } from './reconcile.ts'
import { add } from './survey.ts'

interface Read<Name extends Collection> {
  document: Documents[Name]
  fact: Fact
}

/**
 * Documents have no history, so the journal records what was copied last. A side that differs from it has changed since: the source's
 * change is copied, the target's own is kept, and if both changed, the target's is kept and reported.
 */
export async function reconcileDocuments<Name extends Collection>(
  pass: Pass,
  collection: Name,
  journal: Journal,
): Promise<void> {
  const kind = COLLECTION_KINDS[collection]
  const finding = newFinding()
  pass.findings.set(kind, finding)
  const leave = leaving(pass.findings)
  const own = await readAll(pass, pass.source, collection)
  const theirs = await readAll(pass, pass.target.storage, collection)
  for (const { fact } of own.values()) add(finding.source, fact.digest)
  for (const { fact } of theirs.values()) add(finding.target, fact.digest)
  const writes: Write[] = []
  for (const [key, { document, fact }] of own) {
    const their = theirs.get(key)
    const base = journal.broughtLast(kind, key)
    const choice = their?.fact.digest === fact.digest ? 'same' : choose(collection, { document, fact }, their, base)
    if (choice === 'put') writes.push({ kind: 'put', collection, document } as Write)
    if (choice === 'newer' || choice === 'differs') leave(differenceOf(document, fact, their?.fact), choice)
    if (choice === 'same' || choice === 'put') journal.bring(kind, key, fact.digest)
  }
  for (const [key, { fact }] of theirs) {
    if (own.has(key)) continue
    if (journal.broughtLast(kind, key) === fact.digest) writes.push({ kind: 'remove', collection, key })
    else add(finding.extra, fact.digest)
  }
  await pass.target.write(writes)
  for (const write of writes) if (write.kind === 'remove') journal.forget(kind, write.key)
  await journal.save()
}

function choose<Name extends Collection>(
  collection: Name,
  own: Read<Name>,
  their: Read<Name> | undefined,
  base: bigint | undefined,
): 'put' | 'newer' | 'differs' {
  // Deleted in the target, or never there.
  if (their === undefined) return base === own.fact.digest ? 'newer' : 'put'
  if (base === their.fact.digest) return 'put'
  if (base === own.fact.digest) return 'newer'
  return isLater(collection, own.document, their.document) ?? 'differs'
}

/** If the journal does not know it, the documents decide. A token revoked in either store is revoked. */
function isLater<Name extends Collection>(
  collection: Name,
  own: Documents[Name],
  their: Documents[Name],
): 'put' | 'newer' | null {
  if (collection === 'personality') {
    const [a, b] = [own, their] as Documents['personality'][]
    return a!.updatedAt > b!.updatedAt ? 'put' : a!.updatedAt < b!.updatedAt ? 'newer' : null
  }
  if (collection !== 'token') return null
  const [a, b] = [own, their] as Documents['token'][]
  if (a!.hash !== b!.hash) return null
  if ((a!.revokedAt === null) !== (b!.revokedAt === null)) return a!.revokedAt === null ? 'newer' : 'put'
  return (a!.lastUsedAt ?? '') > (b!.lastUsedAt ?? '') ? 'put' : 'newer'
}

async function readAll<Name extends Collection>(
  { attempt }: Pass,
  storage: Pass['source'],
  collection: Name,
): Promise<Map<string, Read<Name>>> {
  const walk = documents(collection)
  const { items } = await attempt(() => walk.read(storage, { after: null, limit: 0 }))
  return new Map(
    items.map((document) => [documentKey(collection, document), { document, fact: walk.facts(document)[0]! }]),
  )
}

function differenceOf<Item>(item: Item, fact: Fact, their: Fact | undefined): Difference<Item> {
  return { item, facts: [fact], theirs: new Map<Kind, bigint>(their ? [[their.kind, their.digest]] : []) }
}
