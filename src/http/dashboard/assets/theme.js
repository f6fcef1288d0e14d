// Light, dark, or as the system says. In the head and not deferred, so that the page never shows in the wrong one.
;(() => {
  const KEY = 'nokosu-theme'
  const root = document.documentElement
  const read = () => {
    try {
      return localStorage.getItem(KEY)
    } catch {
      // A browser that keeps nothing follows the system.
      return null
    }
  }
  const apply = (theme) => {
    if (theme === 'light' || theme === 'dark') root.dataset.theme = theme
    else delete root.dataset.theme
  }
  apply(read())
  document.addEventListener('click', (event) => {
    if (!event.target.closest('[data-toggle-theme]')) return
    const dark = root.dataset.theme ? root.dataset.theme === 'dark' : matchMedia('(prefers-color-scheme: dark)').matches
    const theme = dark ? 'light' : 'dark'
    apply(theme)
    try {
      localStorage.setItem(KEY, theme)
    } catch {
      // It holds until the page is left.
    }
  })
})()
