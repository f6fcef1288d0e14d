import { expect, inject, it } from 'vitest'
import { openDashboard, useBrowser } from './open-pages.ts'

useBrowser()

it.skipIf(inject('browser') === '')('[E27] /memories has its place in the sidebar and shows every column', async () => {
  const { open, add } = await openDashboard()
  const { id } = await add('Takes 60s to start', { service: 'jellyfin', category: 'timing', session: 'run-7' })
  const page = await open('/')
  await page.getByRole('navigation', { name: 'Pages' }).getByRole('link', { name: 'Memories' }).click()
  await page.waitForURL('**/memories')
  expect(await page.locator('.sidebar [aria-current]').textContent()).toContain('Memories')
  const row = page.locator(`#m-${id}`)
  for (const text of ['jellyfin', 'timing', 'Takes 60s to start', '0.70', 'active', 'just now']) {
    expect(await row.textContent()).toContain(text)
  }
  expect(await row.locator('.bar .fill').getAttribute('width')).toBe('70%')
  expect(await row.getByTitle('run-7').getAttribute('href')).toBe('/sessions/run-7')
  const names = await page.locator('.sidebar nav a').allTextContents()
  expect(names.map((name) => name.trim())).toEqual(
    'Overview Sessions Events Memories Cooldowns Agents Fleet Search Review'.split(' '),
  )
})
