// Puts a menu beside the button that opens it (the browser opens and closes it), and has the project picker act at once.
;(() => {
  const opened = () => document.querySelector('.menu:popover-open')

  document.addEventListener(
    'beforetoggle',
    ({ target: menu, newState }) => {
      if (newState !== 'open' || !menu.matches('.menu')) return
      const { top, bottom, right } = document.querySelector(`[popovertarget="${menu.id}"]`).getBoundingClientRect()
      const isLow = bottom > innerHeight * 0.7
      menu.style.top = isLow ? 'auto' : `${bottom + 4}px`
      menu.style.bottom = isLow ? `${innerHeight - top + 4}px` : 'auto'
      menu.style.right = `${Math.max(8, document.documentElement.clientWidth - right)}px`
    },
    true,
  )
  // Its place is that of the button before the page moved.
  addEventListener('scroll', () => opened()?.hidePopover(), { passive: true })
  document.addEventListener('click', ({ target }) => target.closest('.menu')?.hidePopover())
  document.addEventListener('keydown', (event) => {
    const menu = opened()
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key]
    if (!menu || !step) return
    event.preventDefault()
    const items = [...menu.querySelectorAll('button, a')]
    items.at((items.indexOf(document.activeElement) + step) % items.length)?.focus()
  })
  // On a phone the pages are a row that scrolls.
  const nav = document.querySelector('.sidebar nav')
  const page = nav?.querySelector('[aria-current]')
  if (page && nav.scrollWidth > nav.clientWidth) nav.scrollLeft = page.offsetLeft - nav.clientWidth / 3

  document.addEventListener('change', ({ target }) => target.matches('select[data-submit]') && target.form.submit())
})()
