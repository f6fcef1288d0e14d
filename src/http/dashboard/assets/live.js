// Hears that something changed elsewhere. All tabs share one connection: a browser keeps six to a server, and a tab that waited
// on one of its own would leave none for the seventh. A tab that nobody sees waits on none.
;(() => {
  const place = document.querySelector('[data-live]')
  if (!place) return
  const { live: path, worker } = place.dataset
  const tell = () => document.dispatchEvent(new Event('refresh'))
  const follow = typeof SharedWorker === 'function' ? throughWorker() : alone()
  let isSeen = false

  function look() {
    const wasSeen = isSeen
    isSeen = !document.hidden
    if (isSeen === wasSeen) return
    follow(isSeen)
    // What happened while nobody looked.
    if (isSeen && place.dataset.seen) tell()
    place.dataset.seen = 'yes'
  }

  function throughWorker() {
    // After another sign-in the stream tells of other things.
    const who = document.body.getAttribute('hx-headers')
    const { port } = new SharedWorker(worker, { name: 'nokosu' })
    port.onmessage = tell
    return (on) => port.postMessage({ path: on ? path : null, who })
  }

  function alone() {
    let source = null
    return (on) => {
      source?.close()
      source = on ? new EventSource(path) : null
      source?.addEventListener('changed', tell)
    }
  }

  document.addEventListener('visibilitychange', look)
  addEventListener('pagehide', () => {
    isSeen = false
    follow(false)
  })
  addEventListener('pageshow', look)
  look()
})()
