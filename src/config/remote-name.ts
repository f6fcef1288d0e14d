import { resolve } from 'node:path'
import { readGitConfig } from './git-config.ts'
import { safePart } from './safe-name.ts'

export interface RemoteName {
  /** `host/owner/name`. */
  name: string
  /** `owner/name`, as older versions named it; null if that is the same. */
  former: string | null
}

/** Null without a usable remote. */
export function readRemoteName(common: string, main: string): RemoteName | null {
  const urls = [...readGitConfig(common)].flatMap(([key, value]) => {
    const remote = /^remote\.(.+)\.url$/s.exec(key)?.[1]
    return remote === undefined ? [] : [{ remote, value }]
  })
  const chosen = urls.find(({ remote }) => remote === 'origin') ?? urls[0]
  return chosen === undefined ? null : nameOfRemote(chosen.value, main)
}

/**
 * Host, owner and name from a remote's address, the same for all addresses of one repository: `git@host:Acme/api.git` and
 * `https://token@host/acme/api` are `host/acme/api`. Nothing else of the address is used, since it may hold passwords. A folder is
 * named by its whole path. Null if it is not an address.
 */
export function nameOfRemote(address: string, base: string): RemoteName | null {
  const url = /^[a-z][a-z0-9+.-]*:\/\//i.test(address) ? parse(address) : null
  if (url?.protocol === 'file:') return folderAt(decode(url.pathname), base)
  if (url !== null) return join(url.hostname, decode(url.pathname))
  // `C:\shop` is a folder; `host:shop` is short for ssh.
  const [, host, path] = /^(?:[^@/\\]*@)?([^:/\\]{2,}):(?!\/\/)(.+)$/s.exec(address) ?? []
  if (host !== undefined) return join(host, path!)
  return address.includes('://') || address.trim() === '' ? null : folderAt(address, base)
}

function parse(address: string): URL | null {
  return URL.canParse(address) ? new URL(address) : null
}

function decode(path: string): string {
  try {
    return decodeURIComponent(path)
  } catch {
    return path
  }
}

/** Hosts ignore the case of owner and name. */
function join(host: string, path: string): RemoteName | null {
  const parts = partsOf(path).map((part) => safePart(part).toLowerCase())
  // Path parts that some hosts add to one kind of address: /scm/owner/name, /owner/project/_git/name, v3/owner/project/name.
  const named = parts.filter(
    (part, i) => part !== '_git' && !(i === 0 && parts.length > 2 && /^(?:scm|v3)$/.test(part)),
  )
  if (named.length === 0) return null
  // Hosts that use another host name for one kind of address.
  const own = safePart(host.toLowerCase()).replace(/^(?:www|ssh|altssh)\.(?=.+\.)/, '')
  return { name: [own, ...named].join('/'), former: named.length === 1 ? null : named.join('/') }
}

function folderAt(path: string, base: string): RemoteName | null {
  const parts = partsOf(resolve(base, path))
  return parts.length === 0 ? null : { name: `/${parts.map(safePart).join('/')}`, former: null }
}

function partsOf(path: string): string[] {
  const parts = path.split(/[/\\]+/).filter((part) => part !== '' && part !== '.')
  const last = parts.pop()?.replace(/\.git$/i, '')
  return last === undefined ? [] : last === '' ? parts : [...parts, last]
}
