import { BlockList, isIP } from 'node:net'
import { userNameSchema } from '../engine/user-name.ts'
import { wrongSetting } from '../model/errors.ts'
import { HttpError } from './errors.ts'
import type { RequestContext } from './route.ts'

export interface SsoOptions {
  /** The header in which the proxy names the person who signed in. */
  header: string
  /** Addresses of the proxy, or ranges such as `10.0.0.0/8`. From any other address the header is ignored. */
  from: readonly string[]
  /** People with scope admin. */
  operators: readonly string[]
  /** People with scope read; `*` for everyone the proxy lets in. */
  readers: readonly string[]
}

export interface Sso {
  /** The person whom the proxy names; null if the request is not from the proxy, or this person is on no list. */
  userOf(context: RequestContext): { name: string; scope: 'admin' | 'read' } | null
  /** The client's address: for a request from the proxy, the one that the proxy saw. */
  addressOf(context: RequestContext): string
}

/** Headers that already have a use. */
const TAKEN: ReadonlySet<string> = new Set(['authorization', 'cookie', 'host', 'origin', 'content-type', 'connection'])
const EVERYONE = '*'
const utf8 = new TextDecoder('utf-8', { fatal: true })

export function createSso({ header, from, operators, readers }: SsoOptions): Sso {
  const name = header.toLowerCase()
  if (!/^[!#$%&'*+.^_`|~0-9a-z-]+$/.test(name) || TAKEN.has(name)) {
    throw wrongSetting('ssoHeader', `Invalid --sso-header: '${header}' cannot name a person.`)
  }
  if (from.length === 0) {
    throw wrongSetting('ssoFrom', 'Give the address of the proxy with --sso-from: anybody could send the header.')
  }
  if (operators.includes(EVERYONE)) throw wrongSetting('ssoOperator', 'Name each operator: --sso-operator takes no *.')
  const isProxy = rangesOf(from)
  const scopeOf = (user: string) => {
    if (operators.includes(user)) return 'admin'
    return readers.includes(user) || readers.includes(EVERYONE) ? 'read' : null
  }
  return {
    addressOf(context) {
      const peer = addressOf(context)
      // The last address is the one that the proxy itself has seen.
      const last = context.req.header('x-forwarded-for')?.split(',').at(-1)?.trim() ?? ''
      return isProxy(peer) && isIP(last) !== 0 ? last : peer
    },
    userOf(context) {
      const given = context.env?.incoming?.headersDistinct[name]
      if (given === undefined || !isProxy(addressOf(context))) return null
      const user = readName(header, given)
      const scope = user === null ? null : scopeOf(user)
      return scope === null ? null : { name: user!, scope }
    },
  }
}

/** Two values mean that the proxy passed on a client's own header. Node and proxies may join them with a comma. */
function readName(header: string, given: readonly string[]): string | null {
  const [value = '', ...others] = given
  if (others.length > 0 || value.includes(',')) {
    throw new HttpError(400, `The header ${header} came with two names: the proxy must replace what clients send.`)
  }
  if (value === '') return null
  try {
    return userNameSchema.parse(utf8.decode(Buffer.from(value, 'latin1')))
  } catch {
    throw new HttpError(400, `The header ${header} holds no name that the history can show.`)
  }
}

/** The peer's address. An IPv4 address written as IPv6 becomes IPv4 again. */
export function addressOf({ env }: RequestContext): string {
  return (env?.incoming?.socket?.remoteAddress ?? '').replace(/^::ffff:(?=\d+\.)/i, '').replace(/%.*$/, '')
}

/** Whether an address is in one of the ranges. */
function rangesOf(from: readonly string[]): (address: string) => boolean {
  const ranges = new BlockList()
  for (const range of from) {
    const [address = '', bits, ...rest] = range.split('/')
    const [family, most] = isIP(address) === 4 ? (['ipv4', 32] as const) : (['ipv6', 128] as const)
    const prefix = bits === undefined ? most : /^\d{1,3}$/.test(bits) ? Number(bits) : 0
    if (isIP(address) === 0 || /[%]|^::ffff:/i.test(address) || rest.length > 0 || prefix < 1 || prefix > most) {
      const problem = `'${range}' is neither an address nor a range such as 10.0.0.0/8`
      throw wrongSetting('ssoFrom', `Invalid --sso-from: ${problem}.`)
    }
    ranges.addSubnet(address, prefix, family)
  }
  return (address) => isIP(address) !== 0 && ranges.check(address, isIP(address) === 4 ? 'ipv4' : 'ipv6')
}
