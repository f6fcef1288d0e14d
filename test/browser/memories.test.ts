import { describe, expect, it } from 'vitest'
import { choose, openDashboard, SHOP, until, useBrowser } from './open-pages.ts'

useBrowser()

const rowOf = (text: string) => `tr:has-text("${text}")`

describe('the table of memories', () => {
  it('[E28] a new memory appears within 5 s, and an edit in progress is not lost', async () => {
    const { open, add } = await openDashboard()
    await add('The first one')
    const page = await open('/memories')
    await choose(page.locator(rowOf('The first one')), /^Edit/)
    const field = page.getByLabel('Observation')
    await field.fill('The first one, half typ')
    await field.evaluate((element: unknown) =>
      (element as { setSelectionRange(a: number, b: number): void }).setSelectionRange(4, 9),
    )
    await add('Came from elsewhere')
    // The promise is 5 s; a busy machine takes longer.
    await page.locator(rowOf('Came from elsewhere')).waitFor({ timeout: 60_000 })
    expect(await field.inputValue()).toBe('The first one, half typ')
    const focus = await page.evaluate(
      '[document.activeElement.name, document.activeElement.selectionStart, document.activeElement.selectionEnd]',
    )
    expect(focus).toEqual(['content', 4, 9])
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator(`${rowOf('half typ')}:not(.editing)`).waitFor()
  })

  it('[E29] filters by service, and general is no service', async () => {
    const { open, add } = await openDashboard()
    await add('Of caddy', { service: 'caddy' })
    await add('Of nothing')
    const page = await open('/memories')
    await page.getByLabel('Service', { exact: true }).selectOption('caddy')
    await page.waitForURL('**/memories?service=caddy&sort=newest')
    expect(await page.locator('tbody tr').allTextContents()).toEqual([expect.stringContaining('Of caddy')])
    await page.getByLabel('Service', { exact: true }).selectOption('general')
    await page.locator(rowOf('Of nothing')).waitFor()
    expect(await page.locator('tbody tr').count()).toBe(1)
  })

  it('[E30] filters by category, state and text while it is typed, and the address keeps all of it', async () => {
    const { open, add } = await openDashboard()
    await add('Slow to start', { category: 'timing' })
    await add('Slow to stop', { category: 'timing', confidence: 0.1 })
    await add('Slow to answer')
    const page = await open('/memories')
    await page.getByLabel('Category', { exact: true }).selectOption('timing')
    await page.getByLabel('State', { exact: true }).selectOption('active')
    await page.getByLabel('Filter by text').pressSequentially('SLOW')
    await page.waitForURL('**/memories?q=SLOW&category=timing&state=active&sort=newest')
    await until(page, 'document.querySelectorAll("tbody tr").length === 1')
    await page.reload()
    expect(await page.locator('tbody tr').allTextContents()).toEqual([expect.stringContaining('Slow to start')])
    expect(await page.getByLabel('Filter by text').inputValue()).toBe('SLOW')
    await page.getByRole('link', { name: 'Clear the filters' }).click()
    await until(page, 'document.querySelectorAll("tbody tr").length === 3')
  })

  it('[E31] creates one; what cannot be stored is said, and nothing that was typed is lost', async () => {
    const { open, memory } = await openDashboard()
    const page = await open('/memories')
    await page.getByRole('button', { name: 'Add a memory' }).click()
    const form = page.getByRole('form', { name: 'Add a memory' })
    await form.getByLabel('Observation').fill('Needs its cache cleared')
    await form.getByLabel('Service').fill('x'.repeat(128))
    await form.getByLabel('Project').fill('a\u202Eb')
    await form.getByRole('button', { name: 'Add' }).click()
    await form.getByRole('alert').waitFor()
    page.complaints.length = 0
    expect(await form.getByLabel('Observation').inputValue()).toBe('Needs its cache cleared')
    await form.getByLabel('Service').fill('caddy')
    await form.getByLabel('Category').selectOption('remediation')
    await form.getByLabel('Project').fill('shop')
    await form.getByRole('button', { name: 'Add' }).click()
    await page.locator(rowOf('Needs its cache cleared')).waitFor()
    expect((await memory.list({ identifiers: SHOP })).memories).toMatchObject([
      { content: 'Needs its cache cleared', service: 'caddy', category: 'remediation', tier: 0, confidence: 0.7 },
    ])
  })

  it('pages by cursor, in the order that was selected', async () => {
    const { open, memory } = await openDashboard()
    const many = Array.from({ length: 120 }, (_, i) => ({
      layer: 'project' as const,
      content: `Number ${i}`,
      confidence: 0.3 + i / 200,
    }))
    await memory.as(SHOP).bulkAdd(many, { exact: true })
    const page = await open('/memories?sort=confidence')
    expect(await page.locator('.summary').textContent()).toContain('120 memories')
    const seen: string[] = []
    for (const count of [50, 50, 20]) {
      const rows = await page.locator('td.observation .clamp').allTextContents()
      expect(rows.length).toBe(count)
      seen.push(...rows)
      if (count === 50)
        await Promise.all([page.waitForURL('**after=**'), page.getByRole('link', { name: 'Next page' }).click()])
      await page.waitForLoadState()
    }
    expect(seen).toEqual(many.map(({ content }) => content).reverse())
  })
})
