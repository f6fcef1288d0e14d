import { describe, expect, it } from 'vitest'
import { isEcho, isSaid, isSameText } from './evidence.ts'

const SAID = `I restarted **jellyfin** and waited.\nIt came up after 92 seconds;\nthe health check was fine then. 再起動に九十秒かかりました。`

describe('isSaid', () => {
  it.each([
    'It came up after 92 seconds',
    '"it came up  after 92 seconds."',
    'restarted jellyfin and waited',
    'I restarted jellyfin ... came up after 92 seconds … fine then',
    '92 seconds;\n  the health check',
    '再起動に九十秒かかりました',
  ])('%j is in the text', (words) => expect(isSaid(words, SAID)).toBe(true))

  it.each([
    ['invented', 'It came up after 60 seconds'],
    ['in another order', 'came up after 92 seconds ... I restarted jellyfin'],
    ['too little to tell', 'It came'],
    ['empty', ''],
    ['nothing but dots', '... … ...'],
  ])('what is %s is not', (_, words) => expect(isSaid(words, SAID)).toBe(false))
})

describe('isEcho', () => {
  const memory = { content: 'Takes 60s to start after a restart', service: 'jellyfin' }
  it.each([
    'Takes 60s to start',
    'jellyfin takes 60s to start after a restart.',
    'As I remember from the notes, jellyfin still takes 60s to start',
    'It is known that the start of jellyfin takes 60s, as stated before',
  ])('%j tells nothing of its own', (words) => expect(isEcho(words, memory)).toBe(true))

  it.each(['it was up 58s later', 'I waited for jellyfin, the port answered at 60s'])('%j does', (words) =>
    expect(isEcho(words, memory)).toBe(false),
  )
})

it('the same text is known with and without its service, and order makes a difference', () => {
  const of = (content: string, service: string | null = null) => ({ content, service })
  expect(isSameText(of('Jellyfin takes 60s to start.'), of('Takes 60s to start', 'jellyfin'))).toBe(true)
  expect(isSameText(of('Use rsync instead of scp'), of('Use scp instead of rsync'))).toBe(false)
  expect(isSameText(of('Takes 60s to start'), of('Takes 90s to start'))).toBe(false)
})
