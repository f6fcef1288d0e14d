// Which rows are chosen. What arrives meanwhile may push a row off the page: it stays chosen.
;(() => {
  const BOX = 'input[name="id"]'
  const chosen = new Set()
  const boxes = () => [...document.querySelectorAll(BOX)]

  function show() {
    const here = boxes()
    for (const box of here) box.checked = chosen.has(box.value)
    const seen = here.filter((box) => box.checked).length
    const label = document.querySelector('.bulk strong')
    const away = chosen.size - seen
    if (label) label.textContent = `${chosen.size} selected${away > 0 ? `, ${away} not on this page` : ''}`
    const all = document.querySelector('input[data-all]')
    if (!all) return
    all.checked = seen > 0 && seen === here.length
    all.indeterminate = seen > 0 && seen < here.length
  }

  document.addEventListener('change', ({ target }) => {
    if (!target.matches(`${BOX}, input[data-all]`)) return
    for (const box of target.matches(BOX) ? [target] : boxes()) {
      if (target.checked) chosen.add(box.value)
      else chosen.delete(box.value)
    }
    show()
  })
  document.addEventListener('htmx:configRequest', ({ detail }) => {
    if (!detail.elt.closest('.bulk')) return
    for (const id of chosen) detail.formData.append('id', id)
  })
  // What is gone is chosen no more.
  document.addEventListener('toast', ({ detail: { undo = [] } }) => {
    for (const id of undo) chosen.delete(id)
  })
  document.addEventListener('rows:changed', show)
  document.addEventListener('htmx:afterSettle', show)
  // A browser that goes back may remember what was checked.
  addEventListener('pageshow', show)
})()
