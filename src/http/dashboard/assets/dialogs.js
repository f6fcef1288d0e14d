// Questions before what cannot be taken back lightly, messages after what was done, and failures.
;(() => {
  const TOAST_MS = 8000
  const csrf = () => JSON.parse(document.body.getAttribute('hx-headers') ?? '{}')

  /** A message; `undo` are ids of memories that can be brought back. */
  function toast({ text, undo = [], bad = false }) {
    const box = document.createElement('div')
    box.className = bad ? 'toast bad' : 'toast'
    const message = document.createElement('span')
    message.textContent = text
    box.append(message)
    if (undo.length > 0) {
      const button = document.createElement('button')
      button.type = 'button'
      button.textContent = 'Undo'
      button.dataset.undo = ''
      button.addEventListener('click', () => {
        box.remove()
        window.htmx.ajax('POST', '/memories/restore', { values: { id: undo }, swap: 'none', headers: csrf() })
      })
      box.append(button)
    }
    document.querySelector('.toasts')?.append(box)
    setTimeout(() => box.remove(), TOAST_MS * (undo.length > 0 ? 2 : 1))
  }

  document.addEventListener('toast', (event) => toast(event.detail))

  document.addEventListener('htmx:responseError', ({ detail: { xhr } }) => {
    let message = `The server answered ${xhr.status}.`
    try {
      message = JSON.parse(xhr.responseText).error.message
    } catch {
      // Something else answered than our server; its status says enough.
    }
    toast({ text: message, bad: true })
  })
  document.addEventListener('htmx:sendError', () => toast({ text: 'The server does not answer.', bad: true }))

  document.addEventListener('htmx:confirm', (event) => {
    if (!event.detail.question) return
    event.preventDefault()
    const dialog = document.getElementById('confirm')
    dialog.querySelector('p').textContent = event.detail.question
    dialog.returnValue = ''
    dialog.addEventListener('close', () => dialog.returnValue === 'yes' && event.detail.issueRequest(true), {
      once: true,
    })
    dialog.showModal()
  })

  document.addEventListener('click', (event) => {
    if (event.target.closest('[data-help]')) document.getElementById('help').showModal()
  })

  document.addEventListener('input', ({ target }) => {
    const output = target.type === 'range' && target.parentElement.querySelector('output')
    if (output) output.textContent = Number(target.value).toFixed(2)
  })
})()
