import { expect, it } from 'vitest'
import { includesPhrase, memoryTokens, tokenize } from './tokens.ts'

it.each([
  ['Takes about 60 seconds to start', ['take', 'about', '60', 'second', 'to', 'start']],
  ['ERR_CONN_5521 src/loader.ts --no-verify', ['err', 'conn', '5521', 'src', 'loader', 'ts', 'no', 'verifi']],
  ['Crème brûlée ÅNGSTRÖM', ['creme', 'brule', 'angstrom']],
  ['Сервер чёрный ящик', ['сервер', 'чёрный', 'ящик']],
  ['Πρόσθετα όνομα', ['πρόσθετα', 'όνομα']],
  ['서버를 다시 시작', ['서버', '다시', '시작']],
  ['서버 서버는 서버에서', ['서버', '서버', '서버']],
  ['고양이 고양이를 회의 회의는', ['고양', '고양', '회', '회']],
  ['DB를 DB에서는 API 서버', ['db', 'db', 'api', '서버']],
  ['👍 done 🚀🚀 👩‍💻 ❤️ ❤ 🇩🇪', ['👍', 'done', '🚀', '🚀', '👩‍💻', '❤', '❤', '🇩🇪']],
  ['ガス料金はバッチで計算', ['ガス', '料金', 'は', 'バッチ', 'で', '計算']],
  ['Stripeのwebhookは', ['stripe', 'の', 'webhook', 'は']],
  ['数据库每天凌晨备份', ['数据', '库', '每天', '凌晨', '备份']],
  ['', []],
  ['…!?', []],
])('%s', (text, tokens) => {
  expect(tokenize(text)).toEqual(tokens)
})

it.each(['чёрный ящик й', 'ガギグゲゴ', '한국어 글', 'όνομα', 'naïve façade', 'Ｆｕｌｌ ｗｉｄｔｈ'])(
  'gives %s the same tokens composed and decomposed, and in whatever case',
  (text) => {
    expect(tokenize(text.normalize('NFD'))).toEqual(tokenize(text.normalize('NFC')))
    expect(tokenize(text.toUpperCase())).toEqual(tokenize(text))
  },
)

it('keeps marks that make another word in their script', () => {
  expect(tokenize('й')).not.toEqual(tokenize('и'))
  expect(tokenize('ガ')).not.toEqual(tokenize('カ'))
})

it('finds a memory by its text, its service and its tags, each token once', () => {
  const memory = { content: 'Restart restarts the queue', service: 'mail-queue', tags: ['ops'] }
  expect(memoryTokens(memory)).toEqual(['restart', 'the', 'queue', 'mail', 'op'])
})

it('finds a phrase only in one piece', () => {
  const tokens = tokenize('the proxy answers ERR_CONN_5521 when it is down')
  expect(includesPhrase(tokens, tokenize('err_conn_5521'))).toBe(true)
  expect(includesPhrase(tokens, tokenize('conn proxy'))).toBe(false)
  expect(includesPhrase(tokens, [])).toBe(false)
})
