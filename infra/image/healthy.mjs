// For health checks of containers: exits with 0 when the server on this machine answers well. The image has no curl.
const path = process.argv[2] ?? '/readyz'
const answer = await fetch(`http://127.0.0.1:4816${path}`, { signal: AbortSignal.timeout(4000) }).catch(
  (error) => error,
)
if (!answer.ok) console.error(answer.status ?? answer.cause ?? answer)
process.exit(answer.ok ? 0 : 1)
