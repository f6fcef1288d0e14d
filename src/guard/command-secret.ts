import type { SecretRule } from './secret-rule.ts'
import { isPlaceholder, isReference, isScrambled, isWordLike, looksGenerated } from './secret-value.ts'

/** A command's password argument: anything except a variable, a placeholder, an option, or the word `password`. */
function isArgument(secret: string): boolean {
  return !isPlaceholder(secret) && !isReference(secret) && !/^(?:pass(?:word)?|secret|-\w+|\d{1,5})$/i.test(secret)
}

/** Contains more than letters, or letters in an order that no word has: `public` is a common SNMP community. */
function isChosen(secret: string): boolean {
  return isArgument(secret) && secret.length >= 6 && (/\d/.test(secret) || isScrambled(secret))
}

const ARGUMENT = String.raw`["']?([^\s"'\x60,;)$<{\\|][^\s"'\x60,;)|]{4,512})`
/** The rest of one command, up to the option. */
const REST = String.raw`\b[^\n|;]{0,120}?\s`

/** Programs that take a password as an argument, and what precedes it. */
const COMMANDS = [
  String.raw`\b(?:ipmitool|sqlcmd|mosquitto_\w{1,8})${REST}-P\s{0,3}`,
  String.raw`\b(?:un)?zip${REST}-P\s{1,3}`,
  String.raw`\b7za?${REST}-p`,
  String.raw`\bmysql(?:dump|admin)${REST}-p`,
  String.raw`\b(?:mongo\w{0,8}|cqlsh|beeline|helm registry|podman login|oc login|rabbitmqadmin)${REST}-p\s{1,3}`,
  String.raw`\bsmbclient${REST}-U\s?[^\s%]{1,40}%`,
  String.raw`\bhtpasswd${REST}-\w{0,8}b\w{0,8}\s{1,4}\S{1,80}\s{1,4}\S{1,80}\s{1,4}`,
  String.raw`\bnet use${REST}\/user:\S{1,80}\s{1,4}`,
  String.raw`\bnet user\s{1,4}["']?[\w.$-]{1,40}["']?\s{1,4}(?!\/)`,
  String.raw`\brabbitmqctl\s[^\n|;]{0,60}?(?:add_user|change_password)\s{1,4}\S{1,80}\s{1,4}`,
  String.raw`(?<=\s)\/p:`,
  String.raw`\blftp${REST}-u\s{1,4}[^\s,]{1,40},`,
  String.raw`\b(?:sqlplus|expdp|impdp|rman)${REST}["']?\w{1,40}\/(?=\S{1,128}@)`,
  String.raw`\bopenssl${REST}-(?:k\s{1,4}|(?:pass(?:in|out)?|password)\s{1,4}pass:)`,
  String.raw`\bcifs\b[^\n]{0,120}?pass(?:word)?=`,
  String.raw`\.auth\(\s{0,4}["'][^"']{1,40}["']\s{0,4},\s{0,4}["']`,
  String.raw`\bconvertto-securestring${REST}?(?:-string\s{1,4})?`,
  String.raw`\bssh-keygen${REST}-N\s{1,4}`,
  String.raw`\b(?:keytool|jarsigner)${REST}-(?:src|dest)?(?:store|key)pass\s{1,4}`,
  String.raw`\betcdctl${REST}--user[= ][^\s:]{1,40}:`,
  String.raw`\bmc alias set\s{1,4}\S{1,60}\s{1,4}\S{1,120}\s{1,4}\S{1,60}\s{1,4}`,
  String.raw`\bb2 authorize-account\s{1,4}\S{1,60}\s{1,4}`,
  String.raw`\bcloudflared${REST}(?:install|--token)\s{1,4}(?=eyJ)`,
  String.raw`\bcomposer config\s{1,4}(?:--\w{1,12}\s{1,4})?http-basic\.\S{1,80}\s{1,4}\S{1,60}\s{1,4}`,
  String.raw`\bsnyk auth\s{1,4}`,
  String.raw`\bcodecov${REST}-t\s{1,4}`,
  String.raw`\bidentified (?:with \S{1,40} )?by\s{1,4}["']`,
  String.raw`["'][\w.-]{1,32}:(?=[^"'\s]{6,64}["']\s{0,4}\|\s{0,4}chpasswd)`,
]
/** The argument may also be an everyday word. */
const DIRECTIVES = [
  String.raw`\bsnmp(?:\w{1,12}${REST}-c\s{1,4}|-server\s{1,4}community\s{1,4})`,
  String.raw`(?<=\bcreateUser\s[^\n]{1,160})\b(?:md5|sha|aes|des)[\w-]{0,6}\s{1,4}`,
  String.raw`\b(?:bindpw|(?:olc)?rootpw|requirepass|masterauth|tlspskvalue)\s{1,4}`,
  String.raw`(?<![\w.])send\s{1,4}["'](?=[^"'\s]{6,64}\\[rn]["'])`,
  String.raw`\b(?:erlang[._ ]cookie|release_cookie)["']?\s{0,3}(?:is|was|[:=])\s{0,3}`,
  String.raw`\bwandb:?\s{1,4}(?=[0-9a-f]{40}\b)`,
]

/** Commands that read a password from standard input. */
const READERS = String.raw`sudo\s{1,4}(?:-\w{1,8}\s{1,4}){0,3}-S|passwd\s{1,4}--stdin|kinit|cryptsetup|vault\s{1,4}login|[^|\n]{0,80}--(?:password|token)-stdin|[^|\n]{0,80}--with-token|[^|\n]{0,80}--passphrase-fd`

/** Secrets that are arguments of a program, named only by the program. */
export const COMMAND_RULES: readonly SecretRule[] = [
  {
    id: 'command-password',
    keywords:
      'ipmitool|sqlcmd|mosquitto_|zip |7z|mysql|mongo|cqlsh|beeline|helm registry|podman login|oc login|rabbitmq|smbclient|htpasswd|net use|/p:|lftp|sqlplus|expdp|impdp|rman|openssl|cifs|.auth(|identified|chpasswd|securestring|ssh-keygen|keytool|jarsigner|etcdctl|mc alias|b2 auth|snyk auth|codecov|cloudflared|http-basic',
    pattern: new RegExp(`(?:${COMMANDS.join('|')})${ARGUMENT}`, 'gi'),
    // `htpasswd -B` names an algorithm, and only `-b` takes a password.
    accept: (secret, _before, lead) => isArgument(secret) && (!lead.startsWith('htpasswd') || /\s-\w*b/.test(lead)),
  },
  {
    id: 'directive-password',
    keywords: 'snmp|createuser|bindpw|rootpw|requirepass|masterauth|tlspsk|send|cookie|wandb',
    pattern: new RegExp(`(?:${DIRECTIVES.join('|')})${ARGUMENT}`, 'gi'),
    accept: isChosen,
  },
  {
    id: 'redis-auth',
    keywords: 'auth ',
    pattern: new RegExp(String.raw`(?<![\w-])AUTH\s{1,4}(?:[\w-]{1,32}\s{1,4})?${ARGUMENT}`, 'g'),
    accept: (secret) => secret.length >= 16 && !isWordLike(secret) && looksGenerated(secret),
  },
  {
    id: 'piped-password',
    keywords: 'echo|printf',
    pattern: new RegExp(
      String.raw`\b(?:echo|printf)\s{1,4}(?:-\w{1,4}\s{1,4}){0,3}(?:["']%s(?:\\n)?["']\s{1,4})?["']?([^\s"'\x60$<|]{6,256})["']?\s{0,4}\|\s{0,4}(?:${READERS})`,
      'g',
    ),
    accept: isArgument,
  },
  {
    // A line of .pgpass: host, port, database, user, password.
    id: 'pgpass',
    keywords: ':5432:|:6432:|:*:',
    pattern: /(?<![\w:/])[\w.*-]{1,80}:(?:\d{2,5}|\*):[\w*.-]{1,64}:[\w*.-]{1,64}:([^\s:"'`$<]{6,128})/g,
    accept: isChosen,
  },
  {
    id: 'wireguard-key',
    keywords: 'genkey|genpsk',
    pattern: /\bgen(?:key|psk)\b[^\n]{0,40}?(?<![A-Za-z0-9+/=])([A-Za-z0-9+/]{43}=)/g,
  },
  {
    // Names that frameworks give to session cookies. The value ends where the cookie does.
    id: 'session-cookie',
    keywords: 'sess|sid=|auth|remember',
    pattern:
      /(?<![\w.-])(?:[\w.-]{0,40}(?:sess(?:ion)?(?:[-_.]?id)?|[-_.]sid|(?<![a-z])sid|auth|remember(?:[-_]?(?:me|token))?)[\w.-]{0,12})=["']?([\w%.+/=~-]{20,4096})/gi,
    accept: (secret, before, lead) =>
      (/cookie/i.test(before) || /sess|sid/i.test(lead)) && looksGenerated(secret.replaceAll(/%[0-9A-F]{2}/gi, '')),
  },
]
