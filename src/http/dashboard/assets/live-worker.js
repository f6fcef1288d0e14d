// The connection that all tabs of a browser share. Tabs that look at different projects need one each: beyond a few, they are
// had look from time to time.
;(() => {
  const MOST_STREAMS = 2
  const LOOK_MS = 4000
  /** What each tab that is seen waits for. */
  const waiting = new Map()
  const streams = new Map()

  function tell(key) {
    for (const [port, wanted] of waiting) if (wanted.key === key) port.postMessage('changed')
  }

  function open(key, path) {
    const source = new EventSource(path)
    let isAgain = false
    source.addEventListener('changed', () => tell(key))
    // Between two connections something may have changed.
    source.addEventListener('ready', () => {
      if (isAgain) tell(key)
      isAgain = true
    })
    streams.set(key, source)
  }

  function settle() {
    const wanted = new Map([...waiting.values()].map(({ key, path }) => [key, path]))
    for (const [key, source] of streams) {
      if (wanted.has(key) && source.readyState !== EventSource.CLOSED) continue
      source.close()
      streams.delete(key)
    }
    for (const [key, path] of wanted) if (!streams.has(key) && streams.size < MOST_STREAMS) open(key, path)
  }

  setInterval(() => {
    settle()
    for (const { key } of waiting.values()) if (!streams.has(key)) tell(key)
  }, LOOK_MS)

  addEventListener('connect', ({ ports: [port] }) => {
    port.onmessage = ({ data: { path, who } }) => {
      if (path === null) waiting.delete(port)
      else waiting.set(port, { path, key: JSON.stringify([path, who]) })
      settle()
    }
  })
})()
