import { createHash } from 'node:crypto'
import { DatabaseSync } from 'node:sqlite'
import { embeddedText } from '../../src/text/embedded-text.ts'
import { memoryTokens } from '../../src/text/tokens.ts'

/**
 * Invariants of a store file while no transaction is open. Returns the violations as text; empty is good. Reads the tables directly, and
 * shares only the tokenizer and the embedded text with the product.
 */
export function findBrokenInvariants(path: string): string[] {
  const db = new DatabaseSync(path)
  try {
    return [
      ...checkFile(db),
      ...checkRows(db),
      ...checkVectors(db),
      ...checkTokens(db),
      ...checkHistory(db),
      ...checkCounters(db),
    ]
  } finally {
    db.close()
  }
}

function rows<Row>(db: DatabaseSync, sql: string): Row[] {
  return db.prepare(sql).all() as Row[]
}

function* checkFile(db: DatabaseSync): Generator<string> {
  for (const { integrity_check: line } of rows<{ integrity_check: string }>(db, 'PRAGMA integrity_check')) {
    if (line !== 'ok') yield `integrity: ${line}`
  }
  for (const row of rows(db, 'PRAGMA foreign_key_check')) yield `dangling reference: ${JSON.stringify(row)}`
}

function* checkRows(db: DatabaseSync): Generator<string> {
  const strays = rows<{ id: number }>(
    db,
    `SELECT m.id FROM memories m LEFT JOIN scopes s ON s.id = m.scope_key
     WHERE m.ulid IS NULL OR s.layer IS NOT m.scope OR s.owner IS NOT m.scope_id
       OR m.changed_by LIKE '@%' OR m.visible_until IS NULL OR m.created_at NOT GLOB '????-??-??T??:??:??.???Z' OR m.updated_at NOT GLOB '????-??-??T??:??:??.???Z'`,
  )
  for (const { id } of strays) yield `memory ${id} is incomplete or not in its scope`
}

interface EmbeddedRow {
  id: number
  scope_key: number
  vector_page: number | null
  embedding_id: number | null
  model: number | null
  observation: string
  service: string | null
  hash: Uint8Array | null
}

function* checkVectors(db: DatabaseSync): Generator<string> {
  const memories = new Map(
    rows<EmbeddedRow>(
      db,
      `SELECT m.id, m.scope_key, m.vector_page, m.embedding_id, e.model, m.observation, m.service, e.hash
       FROM memories m LEFT JOIN embeddings e ON e.id = m.embedding_id`,
    ).map((row) => [row.id, row]),
  )
  const pending = new Set(
    rows<{ page: number; key: number }>(db, 'SELECT page, key FROM vector_removals').map(slotName),
  )
  const slots = new Map<number, number>()
  for (const page of rows<{ id: number; scope_key: number; model: number; keys: Uint8Array }>(
    db,
    'SELECT id, scope_key, model, keys FROM vector_pages',
  )) {
    for (const key of new Float64Array(page.keys.slice().buffer)) {
      if (key === 0 || pending.has(slotName({ page: page.id, key }))) continue
      const memory = memories.get(key)
      if (!memory) yield `page ${page.id} holds ${key}, which is no memory`
      else if (memory.vector_page !== page.id) yield `page ${page.id} holds ${key}, which is on ${memory.vector_page}`
      else if (memory.scope_key !== page.scope_key) yield `page ${page.id} holds ${key} of another scope`
      else if (memory.model !== page.model) yield `page ${page.id} holds ${key} of another model`
      slots.set(key, (slots.get(key) ?? 0) + 1)
    }
  }
  for (const memory of memories.values()) {
    const expected = memory.vector_page === null ? 0 : 1
    if ((slots.get(memory.id) ?? 0) !== expected) yield `memory ${memory.id} has ${slots.get(memory.id) ?? 0} slots`
    if (memory.embedding_id === null && memory.vector_page !== null)
      yield `memory ${memory.id} is on a page without vector`
    // Version 0.1.0 embedded the text without its service.
    const texts = [memory.observation, embeddedText({ content: memory.observation, service: memory.service })]
    if (memory.hash && !texts.map(hashOf).includes(Buffer.from(memory.hash).toString('hex'))) {
      yield `memory ${memory.id} has the vector of another text`
    }
  }
  const loose = rows<{ n: number }>(
    db,
    `SELECT (SELECT count(*) FROM vector_page_codes WHERE page NOT IN (SELECT id FROM vector_pages))
       + (SELECT count(*) FROM vector_pages WHERE id NOT IN (SELECT page FROM vector_page_codes)) AS n`,
  )[0]!.n
  if (loose > 0) yield `${loose} pages and codes without each other`
}

function slotName({ page, key }: { page: number; key: number }): string {
  return `${page}/${key}`
}

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex').slice(0, 32)
}

/** Rebuilds the token index beside the stored one and compares them token by token. */
function* checkTokens(db: DatabaseSync): Generator<string> {
  const pending = new Set(rows<{ id: number }>(db, 'SELECT id FROM unindexed_memories').map((row) => row.id))
  const expected = new Set(
    rows<{ id: number; scope_key: number; observation: string; service: string | null; tags: string }>(
      db,
      'SELECT id, scope_key, observation, service, tags FROM memories',
    ).flatMap(({ id, scope_key, observation, service, tags }) =>
      pending.has(id)
        ? []
        : memoryTokens({ content: observation, service, tags: JSON.parse(tags) }).map(
            (token) => `${token}_${scope_key} ${id}`,
          ),
    ),
  )
  db.exec(`CREATE VIRTUAL TABLE temp.stored_terms USING fts5vocab(main, memory_tokens, instance)`)
  const found = rows<{ term: string; doc: number }>(db, 'SELECT term, doc FROM temp.stored_terms')
    .filter(({ doc }) => !pending.has(doc))
    .map(({ term, doc }) => `${term} ${doc}`)
  const stored = new Set(found)
  for (const entry of [...expected.difference(stored)].slice(0, 5)) yield `token index, missing: ${entry}`
  for (const entry of [...stored.difference(expected)].slice(0, 5)) yield `token index, too many: ${entry}`
}

function* checkCounters(db: DatabaseSync): Generator<string> {
  const scopes = rows<{ id: number }>(
    db,
    `SELECT s.id FROM scopes s WHERE s.memories <> (SELECT count(*) FROM memories m WHERE m.scope_key = s.id)
       OR s.active <> (SELECT count(*) FROM memories m WHERE m.scope_key = s.id AND m.active = 1)`,
  )
  for (const { id } of scopes) yield `scope ${id} is counted wrong`
  const models = rows<{ name: string }>(
    db,
    `SELECT d.name FROM models d WHERE d.memories <>
       (SELECT count(*) FROM memories m JOIN embeddings e ON e.id = m.embedding_id WHERE e.model = d.id)`,
  )
  for (const { name } of models) yield `the vectors of ${name} are counted wrong`
  const { counted, there } = rows<{ counted: string; there: number }>(
    db,
    `SELECT (SELECT value FROM settings WHERE name = 'sessions') AS counted,
       (SELECT count(*) FROM sessions WHERE begun_at IS NOT NULL) AS there`,
  )[0]!
  if (Number(counted) !== there) yield `${counted} sessions are counted, ${there} are there`
}

function* checkHistory(db: DatabaseSync): Generator<string> {
  const histories = rows<{ memory: string; n: number; first: number; last: number; version: number | null }>(
    db,
    `SELECT c.memory, count(*) AS n, min(c.version) AS first, max(c.version) AS last, m.version
     FROM changes c LEFT JOIN memories m ON m.ulid = c.memory GROUP BY c.memory`,
  )
  for (const { memory, n, first, last, version } of histories) {
    if (first !== 1 || n !== last) yield `history of ${memory} has gaps: ${n} entries from ${first} to ${last}`
    if (version !== null && version !== last) yield `memory ${memory} is at version ${version}, its history at ${last}`
  }
  const strange = rows<{ memory: string }>(
    db,
    `SELECT c.memory FROM changes c LEFT JOIN memories m ON m.ulid = c.memory
     WHERE c.version = (SELECT max(version) FROM changes WHERE memory = c.memory)
       AND ((m.id IS NULL) IS NOT (c.operation = 'delete') OR (c.after IS NOT NULL AND c.after ->> 'observation' IS NOT m.observation))`,
  )
  const lost = rows<{ memory: string; version: number }>(
    db,
    `SELECT c.memory, c.version FROM changes c LEFT JOIN memories m ON m.ulid = c.memory AND m.version = c.version
     WHERE c.operation <> 'delete' AND c.after IS NULL AND m.id IS NULL`,
  )
  for (const { memory, version } of lost) yield `the state of ${memory} at version ${version} is lost`
  for (const { memory } of strange) yield `the last change of ${memory} is not what the table says`
  for (const { ulid } of rows<{ ulid: string }>(
    db,
    'SELECT ulid FROM memories WHERE ulid NOT IN (SELECT memory FROM changes)',
  )) {
    yield `memory ${ulid} has no history`
  }
}
