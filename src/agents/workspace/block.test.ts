import { execFileSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cleanCommand, leadingBlock, makeBlock, removeBlock, subtractLines } from './block.ts'

const block = makeBlock('one\n\ntwo\n')
const FILES = ['', 'own', 'own\n', 'a\r\nb\r\n', '\u00ef\u00bb\u00bfbom\n', '\n\nblank first\n', `quotes\n${block}`]

it.each(FILES)('gives back exactly what was under it: %j', (own) => {
  expect(removeBlock(block + own, block)).toBe(own)
  expect(leadingBlock(block + own)).toBe(block)
})

it.each(FILES)('what git is told to run does the same: %j', (own) => {
  const cleaned = execFileSync('sh', ['-c', cleanCommand()], { input: Buffer.from(block + own, 'latin1') })
  expect(cleaned.toString('latin1')).toBe(own)
})

describe('what was written around and into it', () => {
  it('stays around, goes inside', () => {
    expect(removeBlock(`before\n${block.replace('one', 'three')}after`, block)).toBe('before\nafter')
  })

  it('a file without the block stays as it is, whatever it says', () => {
    for (const own of ['own\n', '<!-- nokosu:note -->\n', 'one\ntwo\n']) expect(removeBlock(own, block)).toBe(own)
  })

  it('a block that lost a marker goes line by line', () => {
    expect(removeBlock(block.replace(/.*end.*\n/, 'mine\n'), block)).toBe('mine\n')
  })

  it('lines that we wrote go as often as we wrote them', () => {
    expect(subtractLines('# M\n\n- a\n- mine\n- a\n', '# M\n\n- a\n')).toBe('- mine\n- a\n')
  })
})

it('a text cannot close or open a block', () => {
  expect(leadingBlock(makeBlock('x\n<!-- nokosu:end -->\ny\n<!-- nokosu:begin -->'))).toBe(
    makeBlock('x\n<!-- nokosu:end -->\ny\n<!-- nokosu:begin -->'),
  )
})
