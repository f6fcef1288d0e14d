import { DatabaseSync } from 'node:sqlite'
import { load } from './load.ts'
import { DIMENSIONS, LIMIT, type PeerModule } from './peer.ts'

export const sqliteVec: PeerModule = {
  settings:
    'A table of texts and a vec0 table, written by hand with node:sqlite: WAL, synchronous=FULL, a transaction for each addition, one for a bulk. Vectors alone, no words.',
  packages: ['node:sqlite', 'sqlite-vec'],
  persistent: true,
  async open({ folder, embed }) {
    const { getLoadablePath } = await load<{ getLoadablePath(): string }>('sqlite-vec')
    const db = new DatabaseSync(`${folder}/memory.db`, { allowExtension: true })
    db.loadExtension(getLoadablePath())
    db.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = FULL;
      CREATE TABLE IF NOT EXISTS memories (id INTEGER PRIMARY KEY, text TEXT NOT NULL);
      CREATE VIRTUAL TABLE IF NOT EXISTS vectors USING vec0(embedding float[${DIMENSIONS}] distance_metric=cosine)`)
    const insertText = db.prepare('INSERT INTO memories (text) VALUES (?)')
    const insertVector = db.prepare('INSERT INTO vectors (rowid, embedding) VALUES (?, ?)')
    const nearest = db.prepare(`SELECT m.text FROM vectors v JOIN memories m ON m.id = v.rowid
      WHERE v.embedding MATCH ? AND k = ${LIMIT} ORDER BY v.distance`)
    const bulk = async (texts: readonly string[]) => {
      const vectors = await embed(texts)
      db.exec('BEGIN')
      for (const [i, text] of texts.entries()) {
        const { lastInsertRowid } = insertText.run(text)
        insertVector.run(BigInt(lastInsertRowid), toBytes(vectors[i]!))
      }
      db.exec('COMMIT')
    }
    return {
      add: (text) => bulk([text]),
      bulk,
      async search(question) {
        const [vector] = await embed([question])
        return nearest.all(toBytes(vector!)).map(({ text }) => String(text))
      },
      close: async () => db.close(),
    }
  },
}

function toBytes(vector: Float32Array): Uint8Array {
  return new Uint8Array(vector.buffer, vector.byteOffset, vector.byteLength)
}
