import { describe, expect, it } from 'vitest'
import { openDashboard, SHOP, useBrowser } from './open-pages.ts'

useBrowser()

const SECRET = 'The blog keeps its words here'

describe('signing in', () => {
  it('a page leads to the form, a wrong token is told, the right one leads back, and signing out ends it', async () => {
    const { open, token, add, url } = await openDashboard({ requireToken: true })
    await add('Of the shop')
    const admin = await token('admin')
    const page = await open('/memories?category=behavior')
    await page.waitForURL('**/login?next=**')
    await page.getByLabel('Token').fill('nks_nonsense')
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('alert').waitFor()
    expect(await page.getByRole('alert').textContent()).toContain('not valid')
    await page.getByLabel('Token').fill(admin)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.waitForURL(`${url}/memories?category=behavior`)
    expect(await page.locator('tbody').textContent()).toContain('Of the shop')
    await page.getByRole('button', { name: 'Sign out' }).click()
    await page.waitForURL('**/login')
    await page.goto(`${url}/memories`)
    await page.waitForURL('**/login?next=**')
  })

  it('a token of one project sees and changes only its own, on every page', async () => {
    const { open, token, add, memory, url } = await openDashboard({ requireToken: true })
    const own = await add('Of the shop', { session: 'shop-run' })
    const blog = memory.as({ projectId: 'blog' })
    const { memory: other } = await blog.add({
      layer: 'project',
      content: SECRET,
      service: 'blogservice',
      session: 'blog-run',
    })
    await memory.operator('t').record({ type: 'hint', projectId: 'blog', summary: 'Blog hint' })
    const page = await open('/', { token: await token('write', SHOP, 'shop') })
    for (const path of [
      ...'/ /memories /sessions /events /search?q=words+blog&threshold=0 /review /cooldowns'.split(' '),
      ...'/memories?service=blogservice'.split(' '),
    ]) {
      await page.goto(url + path)
      const text = (await page.locator('body').textContent())!
      expect(text, path).not.toMatch(/blog keeps|blogservice<|blog-run|Blog hint/)
    }
    for (const path of [`/memories/${other.id}`, '/sessions/blog-run', `/memories/${other.id}/edit`]) {
      expect((await page.goto(url + path))?.status(), path).toBe(404)
    }
    for (const path of ['/?project=blog', '/memories?project=blog'])
      expect((await page.goto(url + path))?.status(), path).toBe(403)
    page.complaints.length = 0
    await page.goto(`${url}/memories`)
    const send = (path: string) =>
      page.evaluate(
        `fetch(${JSON.stringify(path)}, { method: 'POST', headers: { ...JSON.parse(document.body.getAttribute('hx-headers')), 'content-type': 'application/x-www-form-urlencoded' }, body: 'id=${other.id}&action=delete&content=Hacked&category=timing&confidence=1' }).then((r) => r.status)`,
      )
    expect(await send(`/memories/${other.id}`)).toBe(404)
    await send(`/memories/${other.id}/delete`)
    await send('/memories/bulk')
    expect(await send('/demo/load')).toBe(403)
    expect(await send('/agents/nori')).toBe(403)
    page.complaints.length = 0
    expect((await memory.get(other.id, { everything: true }))?.content).toBe(SECRET)
    expect(await page.locator(`#m-${own.id}`).count()).toBe(1)
  })

  it('a token that may only read is offered nothing to change; one of no project is asked which', async () => {
    const { open, token, add, url } = await openDashboard({ requireToken: true })
    const { id } = await add('Of the shop')
    const page = await open('/', { token: await token('read', SHOP, 'reader') })
    for (const path of ['/memories', `/memories/${id}`, '/review', '/agents/nori']) {
      await page.goto(url + path)
      expect(await page.getByRole('button', { name: /^(Add|Actions|Edit|Delete|Save|Accept)/ }).count(), path).toBe(0)
    }
    const anybody = await token('read', {}, 'anybody')
    await page.goto(`${url}/login`)
    await page.getByLabel('Token').fill(anybody)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await page.getByRole('heading', { name: 'Which project?' }).waitFor()
    page.complaints.length = 0
    await page.getByLabel('Project').fill('shop')
    await page.getByRole('button', { name: 'Open it' }).click()
    await page.waitForURL('**/?project=shop')
    await page.getByRole('link', { name: 'Memories', exact: true }).click()
    await page.waitForURL('**/memories?project=shop')
    expect(await page.locator('tbody').textContent()).toContain('Of the shop')
  })

  it('a form without its CSRF token is refused', async () => {
    const { open, add, memory } = await openDashboard()
    const { id } = await add('Stays')
    const page = await open('/memories')
    const status = await page.evaluate(`fetch('/memories/${id}/delete', { method: 'POST' }).then((r) => r.status)`)
    expect(status).toBe(403)
    page.complaints.length = 0
    expect(await memory.get(id, { everything: true })).not.toBeNull()
  })
})
