import { existsSync, globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'

const root = join(import.meta.dirname, '../..')
const page = readFileSync(join(root, 'ARCHITECTURE.md'), 'utf8')

/** Each `file` that a name follows: "`src/a.ts` `start`". */
const NAMED = /`(src\/[\w./-]+\.tsx?)` `(\w+)`/g

it('every step of a walk names a file and something that is defined there', () => {
  const steps = [...page.matchAll(NAMED)].map(([, file, name]) => ({ file: file!, name: name! }))
  expect(steps.length).toBeGreaterThan(20)
  const lost = steps.filter(({ file, name }) => {
    if (!existsSync(join(root, file))) return true
    const definition = new RegExp(`^export (?:async )?(?:function\\*?|class|const) ${name}\\b`, 'm')
    return !definition.test(readFileSync(join(root, file), 'utf8'))
  })
  expect(lost).toEqual([])
})

it('every path that the page mentions exists', () => {
  const paths = [
    ...page.matchAll(/`((?:src|test|scripts|docs|eval|bench|train|agents|plugin|models|infra)\/[\w./-]*)`/g),
  ]
  expect(paths.map(([, path]) => path!).filter((path) => !existsSync(join(root, path)))).toEqual([])
})

it('every room of src has a line', () => {
  const table = page.slice(page.indexOf('## The rooms'), page.indexOf('## Three walks'))
  const rooms = globSync('*/', { cwd: join(root, 'src') }).map((room) => room.replace(/\/$/, ''))
  expect(rooms.filter((room) => !table.includes(`\`${room}\``))).toEqual([])
})

it('the library itself has forty names at most: the rest is in subpaths', () => {
  const index = readFileSync(join(root, 'src/index.ts'), 'utf8')
  const names = [...index.matchAll(/^export (?:type )?\{([^}]*)\}/gm)].flatMap(([, list]) =>
    list!.split(',').filter((each) => each.trim() !== ''),
  )
  expect(index).not.toMatch(/^export \*/m)
  expect(names.length).toBeGreaterThan(20)
  expect(names.length).toBeLessThanOrEqual(40)
})
