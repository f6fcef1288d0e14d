import { isIP } from 'node:net'

/** Whether a host to bind to can be reached from this machine only. */
export function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
}

/**
 * Whether a request's Host header names this machine. A page elsewhere can point its own name at 127.0.0.1 (DNS rebinding)
 * and read us through the browser, but it cannot make the browser send another name.
 */
export function namesLoopback(header: string | undefined): boolean {
  if (header === undefined || !URL.canParse(`http://${header}`)) return false
  const { hostname } = new URL(`http://${header}`)
  return isLoopback(hostname.replace(/^\[(.*)\]$/, '$1')) || hostname.endsWith('.localhost')
}
