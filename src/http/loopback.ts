import { isIP } from 'node:net'

/** Whether a host can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Whether a request's Host header names this machine. A foreign page can point its own host name at 127.0.0.1 (DNS rebinding)
 * and read the server through the browser. But the browser then sends that host name, which is refused.
 */
export function namesLoopback(header: string | undefined): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false
  const { hostname } = new URL(`http://${header}`)
  return isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')) || hostname.endsWith('.localhost')
}
