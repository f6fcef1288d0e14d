import { execFileSync, spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { cleanCommand, makeBlock, oursOf, wholeBlock, withoutBlock, withoutBlocksOf } from './block.ts'

const NONCE = '0f1e2d3c'
const block = makeBlock('one\n\n- two\nthree\n', NONCE)
const OURS = oursOf([block])
const FILES = ['', 'own', 'own\n', 'a\r\nb\r\n', '\u00ef\u00bb\u00bfbom\n', '\n\nblank first\n', 'one\n\n- two\n']
const clean = (bytes: string) =>
  execFileSync('sh', ['-c', cleanCommand(OURS)], { input: Buffer.from(bytes, 'latin1') }).toString('latin1')

it.each(FILES)('gives back exactly what was under it, and so does what git runs: %j', (own) => {
  expect(withoutBlock(block + own, block, own)).toBe(own)
  expect(wholeBlock(block + own)).toBe(block)
  expect(clean(block + own)).toBe(own)
  expect(clean(own)).toBe(own)
})

describe('only bytes that we wrote go', () => {
  it.each([
    ['wrote around it', `before\n${block}after\nown\n`, 'before\nafter\nown\n'],
    ['wrote into it', `${block.replace('one\n', 'one\nmine\n')}own\n`, 'mine\nown\n'],
    ['changed a line of it', `${block.replace('three', 'four')}own\n`, 'four\nown\n'],
    ['took the end away', `${block.replace(/.*nokosu:end.*\n/, '')}own\n`, 'own\n'],
    ['took the beginning away', `${block.replace(/.*nokosu:begin.*\n/, '')}own\n`, 'own\n'],
    ['took both away', `${block.replaceAll(/.*nokosu:.*\n/g, '')}own\n`, 'own\n'],
    ['changed line ends', `${block}own\n`.replaceAll('\n', '\r\n'), 'own\r\n'],
    ['reformatted it', `${block.replace('- two', '*   two')}own\n`, 'own\n'],
    ['replaced everything', 'new\n\nthree\n', 'new\n\nthree\n'],
    ['removed it', 'own\n', 'own\n'],
  ])('the agent %s', (_, now, expected) => {
    expect(withoutBlock(now, block, 'own\n')).toBe(expected)
  })

  it('lines of the user’s that are like ours stay, whichever marker is gone', () => {
    const own = 'one\n- two\n\nthree\nend\n'
    for (const now of [block.replace(/.*nokosu:end.*\n/, ''), block.replace(/.*nokosu:begin.*\n/, '')]) {
      expect(withoutBlock(now + own, block, own)).toBe(own)
    }
  })

  it('a very long file is left as it is rather than compared', () => {
    const own = Array.from({ length: 5000 }, (_, i) => `line ${i}\n`).join('')
    const now = block.replace('one\n', '') + own.replace('line 4999', 'changed')
    expect(withoutBlock(now, block, own)).toContain('- two\n')
    expect(withoutBlock(now, block, own)).toContain('line 4998\nchanged\n')
  })
})

describe('a block without a record', () => {
  it('is ours only while it is as we wrote it', () => {
    expect(wholeBlock(`text\n${block}more`)).toBe(block)
    expect(wholeBlock(block.replace('one', 'other'))).toBeNull()
    expect(wholeBlock('<!-- nokosu:begin -->\nx\n<!-- nokosu:end -->\n')).toBeNull()
  })

  it('text cannot end it early', () => {
    const sly = makeBlock('x\n<!-- nokosu:end 0123456789abcdef -->\ny\n<!-- nokosu:begin -->')
    expect(wholeBlock(sly)).toBe(sly)
  })
})

describe('what git runs', () => {
  it('takes out every block, and of one that was edited all that is ours', () => {
    const edited = block.replace('one', 'edited').replace('<!-- nokosu:end', 'added\n<!-- nokosu:end')
    expect(clean(`a\n${block}b\n${edited}c\n`)).toBe('a\nb\nedited\nadded\nc\n')
    expect(clean(`${block.replace('- two', '*   two ')}c\n`.replaceAll('\n', '\r\n'))).toBe('c\r\n')
  })

  it.each(['x\n<!-- nokosu:end -->\n', 'x\n', '', 'x\n<!-- nokosu:end 0123456789abcdef -->\n'])(
    'leaves text about blocks: %j',
    (rest) => {
      const text = `See:\n<!-- nokosu:begin -->\n${rest}`
      expect(clean(text)).toBe(text)
      expect(clean(block + text)).toBe(text)
    },
  )

  it('leaves copies that somebody has of earlier blocks, before and behind ours', () => {
    const earlier = makeBlock('one\n\n- two\nthree\n')
    expect(earlier).not.toBe(block)
    expect(clean(`${earlier}a\n${block}b\n${earlier}`)).toBe(`${earlier}a\nb\n${earlier}`)
    expect(clean(earlier + block + block + earlier)).toBe(earlier + earlier)
    expect(withoutBlocksOf(`${earlier}a\n${block}b\n`, OURS)).toEqual({ rest: `${earlier}a\nb\n`, isPart: false })
    expect(withoutBlocksOf(block.replace(/.*begin.*\n/, ''), OURS).isPart).toBe(true)
  })

  it.each([/.*nokosu:end.*\n/, /.*nokosu:begin.*\n/])(
    'fails rather than commit what is left of a block: %s',
    (marker) => {
      const input = Buffer.from(`${block.replace(marker, '')}own\n`, 'latin1')
      const { status, stdout, stderr } = spawnSync('sh', ['-c', cleanCommand(OURS)], { input, encoding: 'utf8' })
      expect({ status, stdout }).toEqual({ status: 1, stdout: '' })
      expect(stderr).toContain('remove the rest of the nokosu block')
    },
  )

  it('finds a Node elsewhere when the repository was copied to another machine', () => {
    const elsewhere = cleanCommand(OURS).replace(process.execPath, '/nowhere/node')
    expect(execFileSync('sh', ['-c', elsewhere], { input: `${block}own`, encoding: 'utf8' })).toBe('own')
  })
})
