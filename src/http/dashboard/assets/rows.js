// What changed elsewhere appears automatically, and never destroys what is being typed.
;(() => {
  const RESULTS = 'results'
  let shown = location.pathname + location.search
  const busy = (row) => row.classList.contains('editing')

  /** Empty filters do not belong in the address. */
  document.addEventListener('htmx:configRequest', ({ detail }) => {
    if (detail.verb !== 'get') return
    for (const name of [...detail.formData.keys()]) if (detail.formData.get(name) === '') detail.formData.delete(name)
  })

  document.addEventListener('htmx:beforeSwap', (event) => {
    const { detail } = event
    if (detail.target?.id !== RESULTS || detail.xhr.status >= 400) return
    const fresh = new DOMParser().parseFromString(detail.xhr.responseText, 'text/html').getElementById(RESULTS)
    if (!fresh) return
    detail.shouldSwap = false
    merge(detail.target, fresh)
    renewBadge(fresh.ownerDocument)
    keepAddress(detail)
  })

  /** How many wait for review is told on every page. */
  function renewBadge(fresh) {
    const [before, after] = [document, fresh].map((page) => page.querySelector('.sidebar a[data-page="/review"]'))
    if (before && after) before.replaceChildren(...after.childNodes)
  }

  /** A filter is kept in the address. What is being typed makes one entry of the history, not one for each letter. */
  function keepAddress({ requestConfig: { elt, triggeringEvent }, pathInfo: { finalRequestPath: path } }) {
    if (!elt.hasAttribute('hx-push-url') || path === location.pathname + location.search) return
    shown = path
    if (triggeringEvent?.type === 'input') history.replaceState(null, '', path)
    else history.pushState(null, '', path)
  }
  // A step to a place in this page changes nothing that is listed.
  addEventListener('popstate', () => location.pathname + location.search !== shown && location.reload())

  /** Puts the new results in place of the old ones. Rows that did not change, or are being edited, stay as they are. */
  function merge(old, fresh) {
    const [rows, body] = [old, fresh].map((results) => results.querySelector('tbody[data-rows]'))
    const editing = [...old.querySelectorAll('tr.editing')]
    if (rows && body) mergeRows(rows, body)
    else if (editing.length === 0) return void replaceAll(old, fresh)
    for (const part of ['.summary', '.pager', 'thead']) {
      const [before, after] = [old.querySelector(part), fresh.querySelector(part)]
      if (before && after) before.replaceWith(after)
    }
    window.htmx.process(old)
    document.dispatchEvent(new Event('rows:changed'))
  }

  function replaceAll(old, fresh) {
    const focused = document.activeElement?.id
    old.replaceWith(fresh)
    window.htmx.process(fresh)
    if (focused) document.getElementById(focused)?.focus()
    document.dispatchEvent(new Event('rows:changed'))
  }

  function mergeRows(rows, body) {
    const before = new Map([...rows.children].map((row) => [row.id, row]))
    const isNew = before.size > 0
    const wanted = [...body.children].map((row) => {
      const same = before.get(row.id)
      before.delete(row.id)
      if (same && (busy(same) || same.dataset.version === row.dataset.version)) return same
      if (isNew) row.classList.add('fresh')
      return row
    })
    wanted.unshift(...[...before.values()].filter(busy))
    // The row that has the focus is not moved: moving would take it away, and what is being composed with it.
    const anchor = wanted.find((row) => row.parentElement === rows && row.contains(document.activeElement))
    for (const row of [...rows.children]) if (row !== anchor) row.remove()
    if (!anchor) return void rows.replaceChildren(...wanted)
    const at = wanted.indexOf(anchor)
    anchor.before(...wanted.slice(0, at))
    anchor.after(...wanted.slice(at + 1))
  }

  let isLate = false
  function refresh() {
    if (!document.getElementById(RESULTS)) return
    // A question and a menu are about what stands there now: what is new waits until they close.
    isLate = document.querySelector('dialog[open], .menu:popover-open') !== null
    if (isLate) return
    const path = location.pathname + location.search
    window.htmx.ajax('GET', path, { target: `#${RESULTS}`, select: `#${RESULTS}`, swap: 'outerHTML' })
  }
  document.addEventListener('refresh', refresh)
  for (const end of ['close', 'toggle']) document.addEventListener(end, () => isLate && refresh(), true)
})()
