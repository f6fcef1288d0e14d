import { DatabaseSync } from 'node:sqlite'
import { expect, it } from 'vitest'
import { includesPhrase, tokenize } from './tokens.ts'

/** What SQLite makes of a text with the tokenizer that the store uses. */
function sqliteTokens(texts: readonly string[]): string[][] {
  const db = new DatabaseSync(':memory:')
  db.exec(`CREATE VIRTUAL TABLE t USING fts5(x, tokenize = 'porter unicode61 remove_diacritics 2');
    CREATE VIRTUAL TABLE v USING fts5vocab(t, instance)`)
  const insert = db.prepare('INSERT INTO t (rowid, x) VALUES (?, ?)')
  texts.forEach((text, i) => {
    insert.run(i + 1, text)
  })
  const read = db.prepare('SELECT term FROM v WHERE doc = ? ORDER BY offset')
  return texts.map((_, i) => read.all(i + 1).map((row) => String(row.term)))
}

const TEXTS = [
  'Takes about 60 seconds to start after a restart',
  'running runner runs ran easily relational conditional happiness hopping hoped hoping sky skies dying',
  'Crème brûlée déjà-vu naïve façade ÅNGSTRÖM',
  'ERR_CONN_5521 src/config/loader.ts --no-verify v1.8.2 10.0.0.1:8080 a@b.com',
  'caresses ponies ties cats feed agreed plastered motoring sing conflated troubled sized tanned falling',
  'generalizations oscillators connection connected connecting connections',
  'メモリは一つのファイル Привет мир שלום',
  'x yz The A I is was',
  `${'long'.repeat(20)} 3rd 2GB 60s`,
]

it('splits and stems as the store’s own index does', () => {
  expect(TEXTS.map(tokenize)).toEqual(sqliteTokens(TEXTS))
})

it('finds a phrase only in one piece', () => {
  const tokens = tokenize('the proxy answers ERR_CONN_5521 when it is down')
  expect(includesPhrase(tokens, tokenize('err_conn_5521'))).toBe(true)
  expect(includesPhrase(tokens, tokenize('conn proxy'))).toBe(false)
  expect(includesPhrase(tokens, [])).toBe(false)
})
