import type { SecretRule } from './secret-rule.ts'
import { isPlaceholder, isReference, looksGenerated, looksLikePassword } from './secret-value.ts'

/** Secrets recognized by their context: a header, a URL, a command, a key block. */
export const CONTEXT_RULES: readonly SecretRule[] = [
  {
    id: 'private-key',
    keywords: 'private key',
    pattern:
      /-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----(?:[^-]|-(?!-)){16,}(?:-----END[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----)?/g,
  },
  {
    id: 'putty-private-key',
    keywords: 'putty-user-key-file',
    pattern: /PuTTY-User-Key-File-[23]:(?:(?!PuTTY-User)[\s\S]){40,8000}?Private-MAC:\s{0,3}[0-9a-f]{20,}/g,
  },
  {
    id: 'url-credentials',
    keywords: '://',
    pattern: /:\/\/[^\s:/@"'`<>]{0,100}:([^\s/"'`<>]{1,200})@(?=[\w[$-])/g,
    accept: (secret, _before, lead) =>
      !isReference(secret) &&
      !/^(?:x+|\*+|\.+|\[.*\])$/i.test(secret) &&
      !(
        /\/\/(?:user(?:name)?|name|login|me):$/i.test(lead) &&
        /^(?:pass(?:word|wd)?|pwd|pw|secret|token)$/i.test(secret)
      ),
  },
  {
    // A JDBC address of Oracle has its user before the host, without slashes.
    id: 'oracle-credentials',
    keywords: 'oracle:',
    pattern: /\boracle:(?:thin|oci8?):[^\s/@"'`<>:]{1,64}\/([^\s"'`<>@]{1,128})@/gi,
    accept: (secret) => !isReference(secret) && !isPlaceholder(secret),
  },
  {
    // Docker's `config.json`: base64 of user and password.
    id: 'docker-auth',
    keywords: '"auth',
    pattern: /\\?"auth\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9+/]{8,2048}={0,2})\\?"/g,
    accept: (secret) => /^[\x21-\x7e]{1,256}:[\x20-\x7e]+$/.test(Buffer.from(secret, 'base64').toString('latin1')),
  },
  {
    id: 'sentry-dsn',
    keywords: 'sentry',
    pattern: /:\/\/([0-9a-f]{32})(?::[0-9a-f]{32})?@[\w.-]{0,60}sentry/g,
  },
  {
    id: 'authorization-header',
    keywords: 'authorization|bearer ',
    pattern:
      /(?:authorization["']?\s{0,3}[:=]\s{0,3}["']?(?:[A-Za-z][\w-]{1,20}\s{1,3})?(?:token=)?|\bbearer\s{1,3})["']?([\w=~@.+/-]{8,2048})/gi,
    accept: (secret) =>
      !isPlaceholder(secret) &&
      !isReference(secret) &&
      (looksGenerated(secret) || /^[A-Za-z0-9+/]{8,}={1,2}$/.test(secret)),
  },
  {
    id: 'curl-user',
    keywords: 'curl|wget|http ',
    pattern:
      /(?<=\s)(?:-u|--user|(?<=https? (?:\S{1,40} ){0,3})(?:-a|--auth))(?:=|\s{1,4})(["']?)([^\s:"'$<[{]{0,64}:(?:["'][^"'\s]{3,128}|[^\s"']{0,128}))/g,
    accept: (secret) => {
      const [user = '', password = ''] = secret.split(/:["']?(.*)/s)
      if (password === '') return looksGenerated(user)
      if (isReference(password) || /^(?:pass(?:word)?|pwd|change(?:me|it)|test|token|secret|[xyz*]+)$/i.test(password))
        return false
      return true
    },
  },
  {
    id: 'command-line-password',
    keywords: 'psexec|sshpass|docker login|mysql|redis-cli|ldap',
    pattern: /(?<=\s)(?:-p\s{0,3}|-[aw]\s{1,3}|--password[= ])["']?(?!%)([^\s"'$<{\\%-][^\s"'$<{]{5,128})/g,
    accept: (secret) => looksLikePassword(secret) && !/^\d+(?::\d+)*$/.test(secret),
  },
  {
    id: 'attribute-secret',
    keywords: 'value',
    pattern:
      /(?:password|passwd|pwd|secret|(?<!(?:authenticity|csrf|xsrf)[-_]?)token|api[-_]?key)["']\s{1,4}value\s{0,2}=\s{0,2}["']([^"'\s]{6,256})["']/gi,
    accept: looksLikePassword,
  },
  {
    id: 'bundler-credentials',
    keywords: 'bundle_',
    pattern: /\bBUNDLE_[A-Z0-9_]{2,80}__[A-Z]{2,20}["']?\s{0,3}[=:]\s{0,3}["']?([^\s"':$]{2,100}:[^\s"'$]{2,100})/g,
  },
  {
    id: 'okta-token',
    keywords: 'okta',
    pattern: /(?:[Oo]kta|OKTA)[\w .-]{0,20}["']?\s{0,3}[=:,]\s{0,3}["']?(00[\w-]{40})(?![\w-])/g,
    accept: (secret) => !/0{12}/.test(secret),
  },
  {
    id: 'sumologic-access-id',
    keywords: 'sumo',
    pattern: /(?:[Ss]umo|SUMO)[\w .-]{0,20}["']?\s{0,3}[=:,]\s{0,3}["']?(su[A-Za-z0-9]{12})(?!\w)/g,
    entropy: 3,
  },
  {
    id: 'npm-auth',
    keywords: '_authtoken|_password|_auth',
    pattern: /(?:(?<=:)(?:_authToken|_password)|(?<![A-Za-z0-9])_auth)\s{0,2}=\s{0,2}["']?([^\s"'${<]{8,512})/g,
  },
  {
    id: 'signed-url',
    keywords: 'sig=|signature=|x-amz-security-token',
    pattern:
      /(?:(?<![A-Za-z0-9])sig|(?<=[?&])signature|x-(?:amz|goog)-(?:signature|security-token))=([A-Za-z0-9%+/=_-]{32,2048})/gi,
  },
  {
    // Services that take their key in the path or in a parameter with another name.
    id: 'url-token',
    keywords:
      'infura.io|alchemy.com|/key/|/private-|appid=|/hooks/|loggly.com|sumologic.com|datadoghq.|pagerduty.com|hc-ping.com',
    pattern:
      /(?:infura\.io\/v3\/|loggly\.com\/inputs\/|sumologic\.com\/receiver\/v1\/http\/|datadoghq\.\w{2,4}\/v1\/input\/|pagerduty\.com\/integration\/|hc-ping\.com\/|:\/\/[\w.:-]{1,80}\/hooks\/|alchemy\.com\/v2\/|\/with\/key\/|[?&]appid=|openweather\w{0,12}[\s_:-]{1,3}appid\s{0,2}[=:]\s{0,2}|\/private-(?=[0-9a-f]{32}\/))([\w+/=-]{20,100})/gi,
    accept: (secret) => /\d/.test(secret) && !isPlaceholder(secret),
  },
  {
    id: 'sonar-login',
    keywords: 'sonar',
    pattern: /sonar[-_.]?(?:login|token)["']?\s{0,3}\??[=:,]\s{0,3}["']?([a-z0-9_]{40,44})(?!\w)/gi,
  },
  {
    id: 'password-hash',
    keywords: '$|*|md5|}',
    pattern:
      /\{S?SHA(?:256|512)?\}[A-Za-z0-9+/]{20,}={0,2}|SCRAM-SHA-(?:1|256)\$\d{1,7}:[^\s$"']{8,64}\$[^\s:"']{20,90}:[^\s"']{20,90}|(?<![\w*])\*[0-9A-F]{40}(?![0-9A-F])|(?<!\w)md5[0-9a-f]{32}(?!\w)|\$(?:1|5|6|7|8|9|y|gy|2[abxy]?|apr1|sha1|argon2(?:id|i|d)|krb5(?:asrep|tgs|pa)|scrypt|pbkdf2-\w{1,10})\$[^\s$"']{1,128}\$?[A-Za-z0-9./+=$,:@*-]{16,}/g,
  },
]
