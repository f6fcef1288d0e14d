import { describe, expect, it } from 'vitest'
import { choose, openDashboard, SHOP, until, useBrowser } from './open-pages.ts'

useBrowser()

async function openOne(more: object = {}) {
  const dashboard = await openDashboard()
  const memory = await dashboard.add('Takes 60s to start', { service: 'jellyfin', confidence: 0.83, ...more })
  const page = await dashboard.open('/memories')
  const row = page.locator(`#m-${memory.id}`)
  const edit = async () => {
    await choose(row, /^Edit/)
    await page.getByLabel('Observation').waitFor()
  }
  const save = async () => {
    await page.getByRole('button', { name: 'Save' }).click()
    await page.locator(`#m-${memory.id}:not(.editing)`).waitFor()
  }
  const stored = () => dashboard.memory.get(memory.id, { everything: true })
  return { ...dashboard, first: memory, page, row, edit, save, stored }
}

describe('editing in place', () => {
  it('[E32] a new text keeps the confidence, to the last digit', async () => {
    const { page, edit, save, stored } = await openOne()
    await edit()
    await page.getByLabel('Observation').fill('Takes 90s to start')
    await save()
    expect(await stored()).toMatchObject({
      content: 'Takes 90s to start',
      confidence: 0.83,
      service: 'jellyfin',
      version: 2,
    })
  })

  it('[E33] the slider sets the confidence and shows it', async () => {
    const { page, edit, save, row, stored } = await openOne()
    await edit()
    await page.getByLabel('Confidence').fill('0.45')
    expect(await page.locator('output').textContent()).toBe('0.45')
    await save()
    expect(await row.textContent()).toContain('0.45')
    expect(await stored()).toMatchObject({ confidence: 0.45, active: true })
  })

  it('[E34] deletes after a question, and undo brings it back', async () => {
    const { page, row, stored, first } = await openOne()
    const deletions: string[] = []
    page.on('request', (request) => {
      if (request.url().endsWith('/delete')) deletions.push(request.url())
    })
    /** Waits until the page has sent all earlier requests. */
    const settled = () => page.evaluate('fetch("/healthz").then((answer) => answer.text())')
    const dialog = page.getByRole('dialog', { name: 'Are you sure?' })
    const ask = async () => {
      await choose(row, /^Delete/)
      await dialog.waitFor()
      expect(await dialog.textContent()).toContain('Takes 60s to start')
      await settled()
    }
    await ask()
    await dialog.getByRole('button', { name: 'Keep' }).click()
    await settled()
    await ask()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await settled()
    expect(deletions).toEqual([])
    expect(await stored()).not.toBeNull()
    await ask()
    expect(deletions).toEqual([])
    await dialog.getByRole('button', { name: 'Delete' }).click()
    await row.waitFor({ state: 'detached' })
    expect(deletions).toHaveLength(1)
    expect(await stored()).toBeNull()
    await page.getByRole('button', { name: 'Undo' }).click()
    await page.locator(`#m-${first.id}`).waitFor()
    expect(await stored()).toMatchObject({ content: 'Takes 60s to start', confidence: 0.83 })
    // An earlier confirmation does not answer this question.
    await ask()
    await page.keyboard.press('Escape')
    await dialog.waitFor({ state: 'hidden' })
    await settled()
    expect(deletions).toHaveLength(1)
    expect(await stored()).not.toBeNull()
  })

  it('[E35] deletes all that are selected, and undo restores them', async () => {
    const { page, add, memory } = await openOne()
    await add('Second')
    await add('Third')
    await page.reload()
    for (const text of ['Second', 'Third']) await page.getByLabel(`Select: ${text}`).check()
    expect(await page.locator('.bulk strong').textContent()).toBe('2 selected')
    await page.locator('.bulk').getByRole('button', { name: 'Delete' }).click()
    await page.getByRole('dialog').getByRole('button', { name: 'Delete' }).click()
    await until(page, 'document.querySelectorAll("tbody tr").length === 1')
    expect((await memory.list({ identifiers: SHOP })).memories.map(({ content }) => content)).toEqual([
      'Takes 60s to start',
    ])
    await page.getByRole('button', { name: 'Undo' }).click()
    await until(page, 'document.querySelectorAll("tbody tr").length === 3')
    await page.getByLabel('Select all on this page').check()
    await page.getByRole('button', { name: 'Deactivate' }).click()
    await until(page, 'document.querySelectorAll("tr.inactive").length === 3')
    await page.getByRole('button', { name: 'Reactivate' }).click()
    await until(page, 'document.querySelectorAll("tr.inactive").length === 0')
    expect((await memory.list({ identifiers: SHOP })).memories.map(({ confidence }) => confidence)).toEqual([
      0.7, 0.7, 0.83,
    ])
  })

  it('[E39] an inactive memory looks different and can be edited', async () => {
    const { page, row, edit, save, stored } = await openOne({ confidence: 0.2 })
    expect(await row.getAttribute('class')).toBe('inactive')
    expect(await row.textContent()).toContain('inactive')
    const line = 'getComputedStyle(document.querySelector("tr.inactive .stored.clamp")).textDecorationLine'
    expect(await page.evaluate(line)).toBe('line-through')
    await edit()
    await page.getByLabel('Observation').fill('Still inactive')
    await save()
    expect(await stored()).toMatchObject({ content: 'Still inactive', active: false, confidence: 0.2 })
  })

  it('[E40] raising its confidence brings it back', async () => {
    const { page, row, edit, save, stored } = await openOne({ confidence: 0.2 })
    await edit()
    await page.getByLabel('Confidence').fill('0.6')
    await save()
    expect(await row.getAttribute('class')).toBeNull()
    expect(await stored()).toMatchObject({ active: true, confidence: 0.6 })
  })

  it('what somebody else changed meanwhile is shown, and nothing is overwritten unseen', async () => {
    const { page, edit, save, stored, memory, first } = await openOne()
    await edit()
    await page.getByLabel('Observation').fill('Mine')
    await memory.update(first.id, { content: 'Theirs' }, { everything: true })
    await page.getByRole('button', { name: 'Save' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('Theirs')
    expect(await page.getByLabel('Observation').inputValue()).toBe('Mine')
    expect(await stored()).toMatchObject({ content: 'Theirs' })
    page.complaints.length = 0
    await save()
    expect(await stored()).toMatchObject({ content: 'Mine' })
  })
})
