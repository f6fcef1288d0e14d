// Everything by keyboard: j and k move through rows, and single letters act on the one that has the focus.
;(() => {
  const PAGES = {
    o: '/',
    s: '/sessions',
    v: '/events',
    m: '/memories',
    c: '/cooldowns',
    a: '/agents',
    f: '/search',
    r: '/review',
  }
  const rows = () => [...document.querySelectorAll('[data-rows] > [tabindex]')]
  let going = false

  function move(step) {
    const all = rows()
    if (all.length === 0) return
    const at = all.indexOf(document.activeElement?.closest?.('[data-rows] > [tabindex]'))
    const next = all[Math.min(all.length - 1, Math.max(0, at < 0 ? 0 : at + step))]
    next.focus()
    next.scrollIntoView({ block: 'nearest' })
  }

  const press = (selector, within = document) => within.querySelector(selector)?.click()

  const ACTIONS = {
    j: () => move(1),
    k: () => move(-1),
    '/': () => document.querySelector('input[type="search"]')?.focus(),
    n: () => press('[data-key="n"]'),
    e: () => press('[data-key="edit"]'),
    '?': () => document.getElementById('help')?.showModal(),
    t: () => press('[data-toggle-theme]'),
    u: () => press('.toast:last-child [data-undo]'),
    g: () => {
      going = true
      setTimeout(() => {
        going = false
      }, 1500)
    },
  }
  const ROW_ACTIONS = {
    e: '[data-key="e"]',
    x: 'input[name="id"]',
    d: '[data-key="d"]',
    Enter: 'a[data-key="open"]',
    y: '[data-key="y"]',
  }

  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    const typing = target.matches('input:not([type="checkbox"], [type="range"]), textarea, select')
    if (key === 'Escape') {
      const form = target.closest('form')
      const cancel = form?.querySelector('[data-cancel]')
      if (cancel) cancel.click()
      else if (typing) target.blur()
      return
    }
    if (typing && key === 'Enter' && event.shiftKey === false && target.matches('[data-observation]')) {
      event.preventDefault()
      target.form.requestSubmit()
      return
    }
    if (typing) return
    if (going && PAGES[key]) {
      const link = document.querySelector(`.sidebar nav a[data-page="${PAGES[key]}"]`)
      event.preventDefault()
      return void link?.click()
    }
    const row = target.closest('[data-rows] > [tabindex]')
    if (row && ROW_ACTIONS[key] && target === row) {
      event.preventDefault()
      return press(ROW_ACTIONS[key], row)
    }
    if (!ACTIONS[key]) return
    event.preventDefault()
    ACTIONS[key]()
  })

  // Whoever takes a row away goes on with the one that follows.
  document.addEventListener('htmx:beforeSwap', ({ detail: { target, xhr } }) => {
    const at = rows().indexOf(target)
    if (at < 0 || xhr.status >= 400 || !target.contains(document.activeElement)) return
    setTimeout(() => {
      if (document.activeElement === document.body && !target.isConnected)
        rows()[Math.min(at, rows().length - 1)]?.focus()
    }, 50)
  })

  // Whoever opens a form wants to write in it; whoever leaves one goes on with the row.
  document.addEventListener('htmx:afterSettle', ({ detail }) => {
    const place = detail.elt
    const field = place.querySelector?.('[data-focus]')
    if (field) field.focus()
    else if (place.matches?.('[data-rows] > tr') && document.activeElement === document.body) place.focus()
  })
})()
