import { describe, expect, test } from 'vitest'
import { normalize } from './normalize.ts'

function concepts(text: string): string[] {
  return normalize(text)
    .filter((token) => token.role !== 'stop')
    .map((token) => (token.sign === -1 ? `-${token.concept}` : token.concept))
}

describe('normalize', () => {
  test('contractions, inflection and synonyms come out alike', () => {
    expect(concepts("It can't be rebooted")).toEqual(concepts('It cannot be restarted'))
    expect(concepts('Name resolution works')).toEqual(concepts('DNS is working'))
  })

  test('a phrase of several words is one token', () => {
    expect(concepts('Swap is turned off')).toEqual(['swap', '-enable'])
  })

  test('a negative prefix on a known word is a negation', () => {
    expect(concepts('irreversible')).toEqual(['-not', 'rollback'])
    expect(concepts('instance')).not.toContain('-not')
  })

  test('paths, versions, times, channels and regions stay whole', () => {
    const shapes = normalize('See /etc/app.conf and #ops at 04:30 on 1.2.3 in eu-west-1').map((token) => token.text)
    expect(shapes).toEqual(expect.arrayContaining(['/etc/app.conf', '#ops', '04:30', '1.2.3', 'eu-west-1']))
  })

  test('a capital inside the sentence makes a name, at its beginning it does not', () => {
    const named = normalize('Restart Foobar with care').filter((token) => token.named)
    expect(named.map((token) => token.text)).toEqual(['foobar'])
  })

  test('number words are numbers, but not where "one" stands for a thing', () => {
    expect(normalize('three nodes')[0]).toMatchObject({ shape: 'number', text: '3' })
    expect(normalize('a full one').some((token) => token.shape === 'number')).toBe(false)
  })
})
