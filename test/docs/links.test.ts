import { existsSync, globSync, readFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, it } from 'vitest'
import { ROOT } from './samples.ts'

const DOCUMENTS = ['*.md', 'docs/**/*.md', 'examples/*.md', 'plugin/*.md', 'train/*/*.md']

/** Builds an anchor from a heading like repository hosts do. */
function anchorsOf(file: string): string[] {
  const headings = readFileSync(file, 'utf8').matchAll(/^#+ (.+)$/gm)
  return [...headings].map(([, text]) =>
    text!
      .toLowerCase()
      .replace(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(' ', '-'),
  )
}

it.each(globSync(DOCUMENTS, { cwd: ROOT }))('%s: what it links to is there', (document) => {
  const text = readFileSync(join(ROOT, document), 'utf8').replace(/^```[\s\S]*?^```$/gm, '')
  const links = [...text.matchAll(/\]\(([^)\s]+)\)/g)].map(([, target]) => target!)
  const broken = links.filter((target) => {
    if (/^[a-z]+:/.test(target)) return false
    const [path, anchor] = target.split('#') as [string, string | undefined]
    const file = path === '' ? join(ROOT, document) : join(ROOT, dirname(document), path)
    return !existsSync(file) || (anchor !== undefined && !anchorsOf(file).includes(anchor))
  })
  expect(broken).toEqual([])
})
