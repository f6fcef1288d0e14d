import { expect, it } from 'vitest'
import { isAboutWork } from './about-work.ts'

const CHAT = 'hahaha grandma loves tulips darling kisses sweetie honey '
/** 28 words that no note has. */
const UNKNOWN = Array.from({ length: 28 }, (_, i) => `hm${i}x`)

it.each([
  ['a note', 'Restart the server after the deploy', true],
  ['letters of another language', 'Grüße', true],
  ['one word of work alone', 'deploy', true],
  ['a chat', CHAT, false],
  ['nothing', '', false],
  ['a note behind much of a chat', CHAT.repeat(6) + 'restart server deploy database port config '.repeat(4), true],
  ['a word of work in a long chat', 'abba bebbe cocco duddu feffe gaggia hehhe deploy', false],
  ['few words of work, all at the end of a chat', `${UNKNOWN.join(' ')} restart server deploy database`, false],
])('%s', (_, text, expected) => expect(isAboutWork(text)).toBe(expected))
