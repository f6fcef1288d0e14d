import { expect, it, onTestFinished } from 'vitest'
import { Connection } from './connection.ts'
import { CurrentModel } from './current-model.ts'
import { SearchCache } from './search-cache.ts'

it('what one search read serves the next, until something is written', async () => {
  const connection = await Connection.open(':memory:', 'normal')
  onTestFinished(() => connection.close())
  const add = () => connection.write(() => connection.run(`INSERT INTO memory_tokens VALUES ('mail')`))
  connection.exec('CREATE VIRTUAL TABLE memory_tokens USING fts5(tokens)')
  await add()
  const cache = new SearchCache(connection, new CurrentModel(connection, { name: 'm', dimensions: 2 }))
  const search = () => {
    cache.refresh()
    return cache.postings('mail')
  }
  const first = search()
  expect(search()).toBe(first)
  await add()
  expect([first, search()]).toEqual([[1], [1, 2]])
})
