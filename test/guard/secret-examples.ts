/**
 * One made-up secret per rule, assembled at run time so that scanners do not flag this file. `text` is the context, `secret` must be
 * redacted.
 */
export interface SecretExample {
  rule: string
  text: string
  secret: string
}

const LOWER = 'abcdefghijklmnopqrstuvwxyz'
const DIGITS = '0123456789'
const ALPHABETS = {
  alnum: LOWER + LOWER.toUpperCase() + DIGITS,
  letters: LOWER + LOWER.toUpperCase(),
  lower: LOWER + DIGITS,
  upper: LOWER.toUpperCase() + DIGITS,
  hex: `${DIGITS}abcdef`,
  digits: '123456789',
  base32: `${LOWER}234567`,
}

let seed = 42
/** Deterministic, so that a failing example fails again. */
export function random(length: number, alphabet: keyof typeof ALPHABETS = 'alnum'): string {
  let text = ''
  while (text.length < length) {
    seed = (Math.imul(seed, 1664525) + 1013904223) >>> 0
    text += ALPHABETS[alphabet][(seed >>> 8) % ALPHABETS[alphabet].length]
  }
  return text
}

const uuid = (): string => [8, 4, 4, 4, 12].map((length) => random(length, 'hex')).join('-')
const jwtPart = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url')

/** Formats that need no context: the whole token is the secret. */
const TOKENS: Record<string, string> = {
  'github-token': `gh${'p_'}${random(36)}`,
  'github-fine-grained-token': `github${'_pat_'}${random(22)}_${random(59)}`,
  'gitlab-token': `gl${'pat-'}${random(20)}`,
  'gitlab-fixed-token': `gl${'ptt-'}${random(40)}`,
  'gitlab-runner-registration-token': `GR${'1348941'}${random(20)}`,
  'gitlab-session': `_gitlab_${'session='}${random(32, 'lower')}`,
  'bitbucket-app-password': `AT${'BB'}${random(32)}`,
  'atlassian-token': `AT${'ATT3'}${random(186)}`,
  'circleci-token': `CCI${'PAT_'}${random(22)}_${random(40, 'hex')}`,
  'buildkite-token': `bk${'ua_'}${random(40, 'hex')}`,
  'sourcegraph-token': `sg${'p_'}${random(40, 'hex')}`,
  'segment-token': `sg${'p_'}${random(64)}`,
  'sonar-token': `sq${'u_'}${random(40, 'hex')}`,
  'octopus-key': `API${'-'}${random(26, 'upper')}`,
  'harness-token': `pa${'t.'}${random(22)}.${random(24)}.${random(20)}`,
  'stackhawk-key': `haw${'k.'}${random(20)}.${random(20)}`,
  'npm-token': `np${'m_'}${random(36)}`,
  'pypi-token': `pypi-${'AgEIcHlwaS5vcmc'}${random(80)}`,
  'rubygems-key': `rubygems${'_'}${random(48, 'hex')}`,
  'nuget-key': `oy${'2'}${random(43, 'lower')}`,
  'crates-io-token': `ci${'o'}${random(32)}`,
  'clojars-token': `CLOJARS${'_'}${random(60, 'lower')}`,
  'docker-hub-token': `dckr${'_pat_'}${random(27)}`,
  'artifactory-key': `AK${'Cp'}${random(69)}`,
  'artifactory-password': `AP${'6'}${random(12, 'lower')}`,
  'artifactory-reference-token': `cm${'Vmd'}${random(59)}`,
  'aws-access-key': `AK${'IA'}${random(16, 'upper')}`,
  'aws-bedrock-key': `AB${'SK'}${random(110)}=`,
  'google-api-key': `AI${'za'}${random(35)}`,
  'google-oauth-secret': `GOC${'SPX-'}${random(28)}`,
  'google-oauth-token': `ya${'29.'}${random(60)}`,
  'google-refresh-token': `1/${'/0'}${random(40)}`,
  'azure-client-secret': `${random(3)}8${'Q~'}${random(34)}`,
  'azure-devops-token': `${random(76)}${'AZ'}DO${random(4)}`,
  'azure-devops-pat': random(52, 'base32'),
  'aws-appsync-key': `da${'2-'}${random(26, 'lower')}`,
  'alibaba-access-key': `LT${'AI'}${random(20)}`,
  'digitalocean-token': `do${'p_v1_'}${random(64, 'hex')}`,
  'heroku-key': `HR${'KU-'}AA${random(58)}`,
  'flyio-token': `fm${'2_'}${random(120)}`,
  'cloudflare-origin-key': `v1.${'0-'}${random(24, 'hex')}-${random(146, 'hex')}`,
  'scalingo-token': `tk-${'us-'}${random(48)}`,
  'netlify-token': `nf${'p_'}${random(40)}`,
  'render-key': `rn${'d_'}${random(32)}`,
  'yandex-key': `AQ${'VN'}${random(36)}`,
  'openshift-token': `sha${'256~'}${random(43)}`,
  'tailscale-key': `ts${'key-'}auth-${random(12)}-${random(32)}`,
  'vault-token': `hv${'s.'}${random(95)}`,
  'vault-legacy-token': `s${'.'}${random(23)}7`,
  'terraform-token': `${random(14)}.${'atlas'}v1.${random(67)}`,
  'doppler-token': `dp${'.pt.'}${random(43)}`,
  'pulumi-token': `pu${'l-'}${random(40, 'hex')}`,
  'infracost-token': `ic${'o-'}${random(32)}`,
  '1password-secret-key': `A3${'-'}${[6, 6, 5, 5, 5, 5].map((length) => random(length, 'upper')).join('-')}`,
  '1password-service-token': `ops_${'eyJ'}${random(260)}`,
  'age-secret-key': `AGE-SECRET${'-KEY-1'}${random(58, 'upper')}`,
  'defined-networking-key': `dn${'key-'}${random(26)}-${random(52)}`,
  'databricks-token': `da${'pi'}${random(32, 'hex')}`,
  'planetscale-secret': `pscale${'_pw_'}${random(43)}`,
  'mongodb-atlas-secret': `mdb_sa${'_sk_'}${random(40)}`,
  'supabase-token': `sb${'p_'}${random(40, 'hex')}`,
  'clickhouse-key': `4b${'1d'}${random(38)}`,
  'prefect-token': `pn${'u_'}${random(36)}`,
  'pinecone-key': `pc${'sk_'}${random(60)}`,
  'airtable-token': `pa${'t'}${random(14)}.${random(64, 'hex')}`,
  'aiven-token': `AV${'NS_'}${random(19)}`,
  'maxmind-key': `${random(6)}_${random(29)}_${'mm'}k`,
  'anthropic-key': `sk-${'ant-'}api03-${random(93)}AA`,
  'openai-key': `sk-${'proj-'}${random(120)}`,
  'generic-sk-key': `sk${'-'}${random(20)}9${random(20)}`,
  'xai-key': `xa${'i-'}${random(80)}`,
  'groq-key': `gs${'k_'}${random(52)}`,
  'perplexity-key': `pp${'lx-'}${random(48)}`,
  'replicate-token': `r${'8_'}${random(37)}`,
  'huggingface-token': `h${'f_'}${random(34, 'letters')}`,
  'langsmith-key': `ls${'v2_pt_'}${random(32, 'hex')}_${random(10, 'hex')}`,
  'tavily-key': `tv${'ly-'}${random(32)}`,
  'slack-token': `xo${'xb-'}${random(12, 'digits')}-${random(12, 'digits')}-${random(24)}`,
  'slack-webhook': `hooks.${'slack'}.com/services/T${random(8, 'upper')}/B${random(8, 'upper')}/${random(24)}`,
  'teams-webhook':
    `acme.${'webhook'}.office.com/webhookb2/${uuid()}@${uuid()}/IncomingWebhook/${random(32, 'hex')}/${uuid()}`.slice(
      5,
    ),
  'discord-webhook': `discord${'.com'}/api/webhooks/${random(18, 'digits')}/${random(68)}`,
  'discord-token': `M${random(23, 'lower')}.${random(6)}.${random(27)}`,
  'telegram-bot-token': `${random(10, 'digits')}:${'AA'}${random(33)}`,
  'twilio-key': `S${'K'}${random(32, 'hex')}`,
  'sendgrid-key': `S${'G.'}${random(22)}.${random(43)}`,
  'sendinblue-key': `xkey${'sib-'}${random(64, 'hex')}-${random(16)}`,
  'mailgun-key': `ke${'y-'}${random(32, 'hex')}`,
  'mailchimp-key': `${random(32, 'hex')}${'-us'}12`,
  'resend-key': `r${'e_'}${random(8)}_${random(24)}`,
  'stripe-key': `sk${'_live_'}${random(24)}`,
  'square-token': `sq0${'atp-'}${random(22)}`,
  'shopify-token': `sh${'pat_'}${random(32, 'hex')}`,
  'shippo-token': `shippo${'_live_'}${random(40, 'hex')}`,
  'duffel-token': `duffel${'_live_'}${random(43)}`,
  'easypost-token': `EZ${'AK'}${random(54)}`,
  'flutterwave-key': `FLW${'SECK_TEST-'}${random(32, 'hex')}-X`,
  'plaid-token': `acc${'ess-'}production-${uuid()}`,
  'razorpay-key': `rz${'p_live_'}${random(14)}`,
  'flexport-token': `shl${'tm_'}${random(40)}`,
  'newrelic-key': `NR${'AK-'}${random(27, 'upper')}`,
  'grafana-token': `gl${'sa_'}${random(32)}_${random(8, 'hex')}`,
  'grafana-legacy-key': `eyJr${'Ijoi'}${random(60)}`,
  'sentry-token': `sntr${'yu_'}${random(64, 'hex')}`,
  'dynatrace-token': `dt0${'c01.'}${random(24, 'upper')}.${random(64, 'upper')}`,
  'postman-key': `PM${'AK-'}${random(24, 'hex')}-${random(34, 'hex')}`,
  'readme-key': `rd${'me_'}${random(70, 'lower')}`,
  'notion-token': `nt${'n_'}${random(11, 'digits')}${random(35)}`,
  'linear-key': `lin${'_api_'}${random(40)}`,
  'figma-token': `fi${'gd_'}${random(40)}`,
  'frameio-token': `fi${'o-u-'}${random(64)}`,
  'contentful-token': `CF${'PAT-'}${random(43)}`,
  'typeform-token': `tf${'p_'}${random(59)}`,
  'adafruit-key': `ai${'o_'}${random(28)}`,
  'asana-token': `1${'/'}${random(16, 'digits')}:${random(32, 'hex')}`,
  'facebook-token': `EA${'AC'}${random(120)}`,
  'facebook-app-token': `${random(16, 'digits')}${'|'}${random(27)}`,
  'salesforce-session': `00${'D'}${random(12)}!AQ${random(90)}`,
  'truenas-key': `1${'-'}${random(64)}`,
  'dfuse-key': `we${'b_'}${random(32, 'hex')}`,
  'hubspot-token': `pat${'-na1-'}${uuid()}`,
  'intra42-secret': `s-s4${'t2ud-'}${random(64, 'hex')}`,
  'launchdarkly-key': `sd${'k-'}${uuid()}`,
  'swarm-token': `SWMTKN${'-1-'}${random(50, 'lower')}-${random(25, 'lower')}`,
  'k3s-token': `K10${random(64, 'hex')}${'::server:'}${random(32, 'hex')}`,
  'akamai-token': `akab${'-'}${random(16, 'lower')}-${random(16, 'lower')}`,
  'fireworks-key': `fw${'_'}${random(24)}`,
  'firecrawl-key': `fc${'-'}${random(32, 'hex')}`,
  'e2b-key': `e2b${'_'}${random(40, 'hex')}`,
  'clickup-token': `pk${'_'}${random(8, 'digits')}_${random(32, 'upper')}`,
  'trello-token': `ATTA${random(64, 'hex')}`,
  'braintree-token': `access_token${'$production$'}${random(16, 'lower')}$${random(32, 'hex')}`,
  'prefixed-token': `newvendor${'_v1_'}${random(43)}`,
  'mapbox-token': `sk${'.eyJ'}${random(60)}.${random(22)}`,
  'pubnub-key': `se${'c-c-'}${uuid()}`,
  'settlemint-token': `sm${'_pat_'}${random(16)}`,
  'teamwork-token': `tkn${'.v1_'}${random(80)}`,
  'ubidots-token': `BB${'FF-'}${random(32)}`,
  'voiceflow-key': `VF${'.DM.'}${random(24)}.${random(16)}`,
  'zoho-token': `10${'00.'}${random(32, 'hex')}.${random(32, 'hex')}`,
  'dependency-track-key': `od${'t_'}${random(32)}`,
  'json-web-token': `${jwtPart({ alg: 'HS256' })}.${jwtPart({ sub: '1', name: 'someone' })}.${random(43)}`,
  'three-part-token': `${random(36)}.${random(120)}.${random(43)}`,
  'base64-json-web-token': `ZX${'lK'}${random(60)}`,
  'base64-private-key': `LS0tLS1${'CRUdJT'}${random(80)}`,
}

const value = random(32)
const hex = random(40, 'hex')
const password = `${random(8)}4!`
const pem = [
  '-----BEGIN RSA ',
  'PRIVATE KEY-----\n',
  random(64),
  '\n',
  random(64),
  '\n-----END RSA ',
  'PRIVATE KEY-----',
].join('')
const shadow = `$6$saltsalt$${random(86)}`
const okta = `00${random(40)}`
const sumo = `su${random(12)}`
const setting = random(44)
const unseal = `${random(43)}=`
const aws = `${random(20)}/${random(19)}`
const twitch = `${random(14, 'lower')}7q9z${random(12, 'lower')}`
const django = `b3!k${random(10, 'lower')}^&(${random(10, 'lower')}=+)#${random(15, 'lower')}@9`
const captcha = `6L${random(38)}`
const ngrok = `2${random(26)}_${random(21)}`
const telegram = `${random(9, 'digits')}:b${random(34)}`

const wireguard = `${random(43)}=`

/** Secrets that are only recognisable by their context. */
const IN_CONTEXT: readonly SecretExample[] = [
  { rule: 'ngrok-token', text: `ngrok config add-authtoken ${ngrok}`, secret: ngrok },
  { rule: 'telegram-url', text: `notify tgram://${telegram}/chat`, secret: telegram },
  { rule: 'private-key', text: `the file holds ${pem}`, secret: pem },
  {
    rule: 'putty-private-key',
    text: `PuTTY-User-Key-File-2: ssh-rsa\nPrivate-Lines: 1\n${value}\nPrivate-MAC: ${hex}`,
    secret: hex,
  },
  { rule: 'url-credentials', text: `postgres://app:${password}@db.internal:5432/shop`, secret: password },
  { rule: 'oracle-credentials', text: `jdbc:oracle:thin:app/${password}@db:1521:orcl`, secret: password },
  {
    rule: 'docker-auth',
    text: `{"auths": {"ghcr.io": {"auth": "${Buffer.from(`bot:${password}`).toString('base64')}"}}}`,
    secret: Buffer.from(`bot:${password}`).toString('base64'),
  },
  {
    rule: 'vendor-secret',
    text: 'chartmogul k7q2m9x4v8z1p5w3t6r0b2n8c4j7h1d5',
    secret: 'k7q2m9x4v8z1p5w3t6r0b2n8c4j7h1d5',
  },
  { rule: 'sentry-dsn', text: `https://${hex.slice(0, 32)}@o1.ingest.sentry.io/2`, secret: hex.slice(0, 32) },
  { rule: 'authorization-header', text: `Authorization: Bearer ${value}`, secret: value },
  { rule: 'curl-user', text: `curl -u admin:${password} https://host/`, secret: password },
  { rule: 'command-line-password', text: `sshpass -p ${password} ssh host`, secret: password },
  { rule: 'attribute-secret', text: `<add key="ClearTextPassword" value="${password}" />`, secret: password },
  { rule: 'bundler-credentials', text: `BUNDLE_GEMS__EXAMPLE__COM=bot:${password}`, secret: password },
  { rule: 'okta-token', text: `okta = ${okta}`, secret: okta },
  { rule: 'sumologic-access-id', text: `sumologic.accessId = ${sumo}`, secret: sumo },
  { rule: 'npm-auth', text: `//registry.example.com/:_auth=${hex}`, secret: hex },
  { rule: 'signed-url', text: `https://x.blob.core.windows.net/c?sv=1&sig=${value}abcdefghijkl`, secret: value },
  { rule: 'sonar-login', text: `-Dsonar.login=${hex}`, secret: hex },
  { rule: 'password-hash', text: `shadow has ${shadow}`, secret: shadow },
  { rule: 'password', text: `DB_PASSWORD=${password}`, secret: password },
  { rule: 'password-in-text', text: `the admin password is ${password}`, secret: password },
  { rule: 'passphrase', text: 'RESTIC_PASSWORD=marble-quartz-velvet', secret: 'marble-quartz-velvet' },
  { rule: 'passphrase-option', text: 'backup --password marble-quartz-velvet', secret: 'marble-quartz-velvet' },
  { rule: 'secret', text: `client_secret: "${value}"`, secret: value },
  { rule: 'secret-in-text', text: `the deploy token is ${hex}`, secret: hex },
  { rule: 'private-access', text: `vendorAccess=${hex}`, secret: hex },
  { rule: 'high-entropy-value', text: `SOME_SETTING=${setting}`, secret: setting },
  { rule: 'spoken-password', text: `the root password of nas-1 is ${password}`, secret: password },
  { rule: 'login', text: `console of esx-3: root / ${password}`, secret: password },
  { rule: 'password-option', text: `backup --token ${value} nightly`, secret: value },
  { rule: 'secure-string', text: `put-parameter --type SecureString --value ${password}`, secret: password },
  { rule: 'vault-unseal-key', text: `vault operator unseal ${unseal}`, secret: unseal },
  { rule: 'django-secret-key', text: `SECRET_KEY = '${django}'`, secret: django },
  { rule: 'aws-secret-key', text: `AKIA${random(16, 'upper')} with ${aws}`, secret: aws },
  { rule: 'twitch-secret', text: `the twitch bot uses ${twitch}`, secret: twitch },
  {
    rule: 'thingsboard-token',
    text: `http://thingsboard.cloud/api/v1/${twitch.slice(10)}/rpc`,
    secret: twitch.slice(10),
  },
  { rule: 'recaptcha-key', text: `recaptcha: ${captcha}`, secret: captcha },
  { rule: 'command-password', text: `ipmitool -H node-9 -U ADMIN -P ${value} power status`, secret: value },
  { rule: 'directive-password', text: `snmpwalk -v2c -c ${password} sw-3 IF-MIB`, secret: password },
  { rule: 'redis-auth', text: `AUTH default ${value} returned OK`, secret: value },
  { rule: 'piped-password', text: `echo '${password}' | sudo -S reboot`, secret: password },
  { rule: 'pgpass', text: `~/.pgpass has db4:5432:shop:app:${password}`, secret: password },
  { rule: 'wireguard-key', text: `wg genkey printed ${wireguard}`, secret: wireguard },
  { rule: 'session-cookie', text: `Set-Cookie: connect.sid=s%3A${value}; Path=/`, secret: value },
  {
    rule: 'url-token',
    text: `calls https://mainnet.infura.io/v3/${hex.slice(0, 32)} hourly`,
    secret: hex.slice(0, 32),
  },
  { rule: 'recovery-code', text: 'GitHub recovery code still unused: 57308-f22bd', secret: '57308-f22bd' },
  { rule: 'door-code', text: 'PIN for the HSM is 48210377', secret: '48210377' },
  { rule: 'told-login', text: 'IPMI login on rack 4 is ADMIN / KX4P7T2QWD', secret: 'KX4P7T2QWD' },
  { rule: 'app-password', text: 'Gmail app password for alerts: qwzr tplk mnbv cxgh', secret: 'qwzr tplk mnbv cxgh' },
  { rule: 'command-password', text: 'keytool -storepass kitchenlamp -list', secret: 'kitchenlamp' },
  { rule: 'command-password', text: 'etcdctl --user app:kitchenlamp endpoint health', secret: 'kitchenlamp' },
  { rule: 'directive-password', text: `createUser mon SHA ${value} AES`, secret: value },
  { rule: 'secret', text: `REDIS_AUTH=${value}`, secret: value },
  { rule: 'header-secret', text: `curl -H "X-Auth: ${hex}" works`, secret: hex },
  { rule: 'told-secret', text: `the nas got ${password} as its new password`, secret: password },
  { rule: 'secret-nearby', text: `the token that the nightly job sends along is ${hex}`, secret: hex },
]

export const SECRET_EXAMPLES: readonly SecretExample[] = [
  ...Object.entries(TOKENS).map(([rule, secret]) => ({ rule, text: `Found ${secret} in the log`, secret })),
  ...IN_CONTEXT,
]
