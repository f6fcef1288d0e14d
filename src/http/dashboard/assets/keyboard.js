// Everything by keyboard: j and k move through rows, and single letters act on the one that has the focus.
;(() => {
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

  const isTyping = (element) => element.matches('input:not([type="checkbox"], [type="range"]), textarea, select')
  const press = (selector) => document.querySelector(selector)?.click()

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

  document.addEventListener('keydown', (event) => {
    const { key, target } = event
    if (event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return
    const typing = isTyping(target)
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
    const page = going && document.querySelector(`.sidebar a[data-go="${CSS.escape(key)}"]`)
    if (page) {
      event.preventDefault()
      return void page.click()
    }
    // A row names its own keys.
    const own = target.matches('[data-rows] > [tabindex]') && target.querySelector(`[data-key="${CSS.escape(key)}"]`)
    if (!own && !ACTIONS[key]) return
    event.preventDefault()
    if (own) own.click()
    else ACTIONS[key]()
  })

  // When a row is removed, the focus moves to the next one as soon as the swap is done.
  document.addEventListener('htmx:beforeSwap', ({ detail: { target, xhr } }) => {
    const at = rows().indexOf(target)
    if (at < 0 || xhr.status >= 400 || !target.contains(document.activeElement)) return
    queueMicrotask(() => {
      if (document.activeElement === document.body && !target.isConnected)
        rows()[Math.min(at, rows().length - 1)]?.focus()
    })
  })

  // Opening a form focuses its field, unless somebody is typing already; leaving one focuses the row.
  document.addEventListener('htmx:afterSwap', ({ detail: { elt: place } }) => {
    const active = document.activeElement
    const field = place.querySelector?.('[data-focus]')
    if (field && !place.contains(active) && !isTyping(active)) field.focus()
    else if (place.matches?.('[data-rows] > tr') && active === document.body) place.focus()
  })
})()
