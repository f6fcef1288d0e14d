// Words that somebody has typed are not lost without a question.
;(() => {
  const SELECTOR = 'form[data-edit]'

  const isChanged = (field) =>
    field.matches('select')
      ? [...field.options].some((option) => option.selected !== option.defaultSelected)
      : field.value !== field.defaultValue

  /** A form that the server sent back holds what was typed, and nothing of it is stored. */
  const isUnsaved = (form) =>
    form.hasAttribute('data-unsaved') ||
    [...form.elements].some(
      (field) => field.matches('textarea, select, input:not([type="hidden"])') && isChanged(field),
    )

  addEventListener('beforeunload', (event) => {
    if ([...document.querySelectorAll(SELECTOR)].some(isUnsaved)) event.preventDefault()
  })

  // A form that stays open after saving counts as unchanged from there.
  document.addEventListener('htmx:afterRequest', ({ detail: { elt, successful } }) => {
    const form = elt.matches('[data-save]') ? elt.closest(SELECTOR) : null
    if (!successful || !form) return
    for (const field of form.elements) {
      if (field.matches('textarea, input')) field.defaultValue = field.value
      for (const option of field.options ?? []) option.defaultSelected = option.selected
    }
  })
})()
