import type { SecretRule } from './secret-rule.ts'
import { isPlaceholder, isRandomBody } from './secret-value.ts'

const raw = String.raw

interface TokenOptions {
  entropy?: number
  flags?: string
  accept?: SecretRule['accept']
}

/**
 * A published token format. The token may not continue a word or be continued by one, so that prefixes such as `hf_`
 * do not match inside identifiers. Repeated filler (`ghp_xxxxxxxx...`) is documentation, not a token.
 */
function token(id: string, keywords: string, source: string, options: TokenOptions = {}): SecretRule {
  const pattern = new RegExp(`(?<![A-Za-z0-9_])(?:${source})(?![A-Za-z0-9_])`, `g${options.flags ?? ''}`)
  const accept = options.accept ?? ((secret: string) => !isPlaceholder(secret))
  return { id, keywords, pattern, entropy: options.entropy ?? 2.5, accept }
}

/** `header.payload` or `header.payload.signature`, where the header really is a JSON object, or both begin like one. */
function isJsonWebToken(value: string): boolean {
  if (/^eyJ[\w-]{17,}\.eyJ[\w-]{17,}\.[\w-]{20,}/.test(value)) return true
  try {
    const header: unknown = JSON.parse(Buffer.from(value.slice(0, value.indexOf('.')), 'base64url').toString('utf8'))
    return typeof header === 'object' && header !== null
  } catch {
    return false
  }
}

/** Artifactory's own examples repeat one letter a few times, so only a long run is filler here. */
function isNotFiller(secret: string): boolean {
  return !/([xX])\1{11,}/.test(secret)
}

const ARTIFACTORY_PASSWORD_STARTS = [...'0123456789abcdef'].map((digit) => `ap${digit}`).join('|')

const UUID = '[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}'

/** Token formats published by vendors: a fixed prefix, a fixed alphabet, a length. Grouped by service. */
export const TOKEN_RULES: readonly SecretRule[] = [
  // Code hosting and continuous integration
  token('github-token', 'ghp_|gho_|ghu_|ghs_|ghr_', 'gh[pousr]_[A-Za-z0-9]{36,255}'),
  token('github-fine-grained-token', 'github_pat_', 'github_pat_[A-Za-z0-9_]{22,255}'),
  {
    // Without a guard at the end: the body takes every character that could continue it.
    id: 'gitlab-token',
    keywords: 'glpat-|gldt-|glrt-|glcbt-|glft-|glsoat-|glffct-|glagent-',
    pattern: /(?<![A-Za-z0-9_])gl(?:pat|dt|rt|cbt|ft|soat|ffct|agent)-[\w-]{20,300}(?:\.[0-9a-z.]{9,12})?/g,
    entropy: 2.5,
    accept: (secret) => !isPlaceholder(secret),
  },
  token('gitlab-fixed-token', 'gloas-|glptt-|glimt-', raw`gl(?:ptt-[\w-]{40}|imt-[\w-]{25}|oas-[\w-]{64})(?!-)`),
  token('gitlab-runner-registration-token', 'gr1348941', 'GR1348941[A-Za-z0-9_-]{20,50}'),
  token('gitlab-session', '_gitlab_session=', '_gitlab_session=[0-9a-z]{32}'),
  token('bitbucket-app-password', 'atbb', 'ATBB[A-Za-z0-9_=-]{24,}'),
  token('atlassian-token', 'atatt3|atctt3', 'AT[AC]TT3[A-Za-z0-9_=-]{60,}'),
  token('circleci-token', 'ccipat_|cciprj_', 'CCI(?:PAT|PRJ)_[A-Za-z0-9]{22}_[A-Fa-f0-9a-z]{40}'),
  token('buildkite-token', 'bkua_', 'bkua_[a-z0-9]{40}'),
  token('sourcegraph-token', 'sgp_|slk_', '(?:sgp|slk)_(?:(?:[a-fA-F0-9]{16}|local)_){0,2}[a-fA-F0-9]{40,64}'),
  token('segment-token', 'sgp_', 'sgp_[A-Za-z0-9]{64}', { entropy: 3.5 }),
  token('sonar-token', 'squ_|sqp_|sqa_', 'sq[upa]_[a-f0-9]{40}'),
  token('octopus-key', 'api-', 'API-[A-Z0-9]{25,27}', { entropy: 3 }),
  token('harness-token', 'pat.|sat.', raw`[ps]at\.[A-Za-z0-9_-]{22}\.[A-Za-z0-9]{24}\.[A-Za-z0-9]{20}`),
  token('stackhawk-key', 'hawk.', raw`hawk\.[A-Za-z0-9_-]{20}\.[A-Za-z0-9_-]{20}`),

  // Package registries
  token('npm-token', 'npm_', 'npm_[A-Za-z0-9]{36}'),
  token('pypi-token', 'pypi-ageichlwas5vcmc|pypi-ageng', raw`pypi-Ag(?:EIcHlwaS5vcmc|ENdGVzdC5weXBpLm9yZw)[\w-]{70,}`),
  token('rubygems-key', 'rubygems_', 'rubygems_[a-f0-9]{48}'),
  token('nuget-key', 'oy2', 'oy2[a-z0-9]{43}', { entropy: 3 }),
  token('crates-io-token', 'cio', 'cio[A-Za-z0-9]{32}', { entropy: 3.5 }),
  token('clojars-token', 'clojars_', 'CLOJARS_[a-z0-9]{60}', { flags: 'i' }),
  token('docker-hub-token', 'dckr_pat_|dckr_oat_', 'dckr_[po]at_[A-Za-z0-9_-]{27,36}'),
  token('artifactory-key', 'akc', 'AKC[A-Za-z0-9]{10,200}(?![.:/-])', { entropy: 0, accept: isNotFiller }),
  token(
    'artifactory-password',
    ARTIFACTORY_PASSWORD_STARTS,
    raw`AP[\dA-F](?:[a-z0-9]{10,200}|[A-Za-z0-9]*\d[A-Za-z0-9]{10,200})(?![.:/-])`,
    { entropy: 0, accept: isNotFiller },
  ),
  token('artifactory-reference-token', 'cmvmd', 'cmVmd[A-Za-z0-9]{59}', { entropy: 3.5 }),

  // Cloud platforms
  token('aws-access-key', 'a3t|akia|asia|abia|acca', '(?:A3T[A-Z0-9]|AKIA|ASIA|ABIA|ACCA)[A-Z0-9]{16}', {
    entropy: 0,
    accept: (secret) => !secret.endsWith('EXAMPLE') && !isPlaceholder(secret),
  }),
  token(
    'aws-bedrock-key',
    'absk|bedrock-api-key-',
    'ABSK[A-Za-z0-9+/]{100,}={0,2}|bedrock-api-key-[A-Za-z0-9+/=]{30,}',
  ),
  token('google-api-key', 'aiza', 'AIza[A-Za-z0-9_-]{35}', { entropy: 3 }),
  token('google-oauth-secret', 'gocspx-', 'GOCSPX-[A-Za-z0-9_-]{28}'),
  token('google-oauth-token', 'ya29.', raw`ya29\.[A-Za-z0-9_-]{20,}`),
  token('google-refresh-token', '1//0', '1//0[A-Za-z0-9_-]{30,}'),
  token('azure-client-secret', 'q~', raw`[A-Za-z0-9_~.]{3}\dQ~[A-Za-z0-9_~.-]{31,34}`, { entropy: 3 }),
  token('azure-devops-token', 'azdo', '[A-Za-z0-9]{76}AZDO[A-Za-z0-9]{4}|[A-Za-z0-9]{60,80}AZDO[A-Za-z0-9]{0,4}'),
  token('azure-devops-pat', '', '[a-z2-7]{52}', { entropy: 3.5, accept: (secret) => /[2-7]/.test(secret) }),
  token('aws-appsync-key', 'da2-', 'da2-[a-z0-9]{26}', { entropy: 3 }),
  token('alibaba-access-key', 'ltai', 'LTAI[A-Za-z0-9]{20}'),
  token('digitalocean-token', 'doo_v1_|dop_v1_|dor_v1_', 'do[opr]_v1_[a-f0-9]{64}'),
  token('heroku-key', 'hrku-', 'HRKU-[A-Za-z0-9_-]{36,70}'),
  token(
    'flyio-token',
    'fo1_|fm1|fm2_',
    raw`fo1_[\w-]{43}|fm1[ar]_[A-Za-z0-9+/]{100,}={0,3}|fm2_[A-Za-z0-9+/]{100,}={0,3}`,
  ),
  token('cloudflare-origin-key', 'v1.0-', raw`v1\.0-[a-f0-9]{24}-[a-f0-9]{146}`),
  token('scalingo-token', 'tk-us-', raw`tk-us-[\w-]{48}`),
  token('netlify-token', 'nfp_', 'nfp_[A-Za-z0-9]{36,40}'),
  token('render-key', 'rnd_', 'rnd_[A-Za-z0-9]{28,40}', { entropy: 3.5 }),
  token('yandex-key', 'aqvn|t1.', raw`AQVN[A-Za-z0-9_-]{35,38}|t1\.[A-Za-z0-9_-]{20,}={0,2}\.[A-Za-z0-9_-]{86}={0,2}`),
  token('openshift-token', 'sha256~', raw`sha256~[\w-]{43}`, { entropy: 3.5 }),
  token('tailscale-key', 'tskey-', 'tskey-[a-z]{3,12}-[A-Za-z0-9]{5,}(?:-[A-Za-z0-9]{3,})?'),
  token('ngrok-token', 'ngrok', '2[A-Za-z0-9]{26}_[A-Za-z0-9]{21}', { entropy: 3.5 }),

  // Infrastructure and secrets management
  token('vault-token', 'hvs.|hvb.|hvr.', raw`hv[sbr]\.[\w-]{24,300}`, { entropy: 3 }),
  token('vault-legacy-token', '', raw`s\.(?=[A-Za-z]*\d)[A-Za-z0-9]{24}`, { entropy: 3.5 }),
  token('terraform-token', 'atlasv1', raw`[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{60,70}`),
  token('doppler-token', 'dp.', raw`dp\.(?:pt|ct|st|sa|scim|audit|said)\.(?:[a-z0-9_-]{2,35}\.)?[A-Za-z0-9]{40,44}`),
  token('pulumi-token', 'pul-', 'pul-[a-f0-9]{40}'),
  token('infracost-token', 'ico-', 'ico-[A-Za-z0-9]{32}', { entropy: 3 }),
  token('1password-secret-key', 'a3-', 'A3-[A-Z0-9]{6}-(?:[A-Z0-9]{11}|[A-Z0-9]{6}-[A-Z0-9]{5})(?:-[A-Z0-9]{5}){3}', {
    entropy: 3.5,
  }),
  token('1password-service-token', 'ops_eyj', 'ops_eyJ[A-Za-z0-9+/_-]{60,}={0,3}'),
  token('age-secret-key', 'age-secret-key-1', 'AGE-SECRET-KEY-1[0-9A-Z]{58}'),
  token('defined-networking-key', 'dnkey-', 'dnkey-[A-Za-z0-9=_-]{26}-[A-Za-z0-9=_-]{52}'),

  // Databases and data platforms
  token('databricks-token', 'dapi', raw`dapi[a-f0-9]{32}(?:-\d)?`, { entropy: 3 }),
  token('planetscale-secret', 'pscale_', raw`pscale_(?:tkn|pw|oauth)_[\w=.-]{32,64}`),
  token('mongodb-atlas-secret', 'mdb_sa_sk_', raw`mdb_sa_sk_[\w-]{30,60}`),
  token('supabase-token', 'sbp_|sb_secret_', 'sbp_[a-z0-9]{40}|sb_secret_[A-Za-z0-9_-]{22,}'),
  token('clickhouse-key', '4b1d', '4b1d[A-Za-z0-9]{38}', { entropy: 3.5 }),
  token('prefect-token', 'pnu_|pnb_', 'pn[ub]_[A-Za-z0-9]{36}'),
  token('pinecone-key', 'pcsk_', 'pcsk_[A-Za-z0-9_]{50,80}'),
  token('airtable-token', '', raw`pat[A-Za-z0-9]{14}\.[a-f0-9]{64}`),
  token('aiven-token', 'avns_', 'AVNS_[A-Za-z0-9_-]{19}'),
  token('maxmind-key', '_mmk', '[A-Za-z0-9]{6}_[A-Za-z0-9]{29}_mmk'),

  // Language models
  token('anthropic-key', 'sk-ant-', raw`sk-ant-[a-z]{3,6}\d{2}-[A-Za-z0-9_-]{80,}AA`, { entropy: 4.3 }),
  token(
    'openai-key',
    't3blbkfj|sk-proj-|sk-svcacct-|sk-admin-',
    'sk-(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,200}|sk-[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20}',
  ),
  token('generic-sk-key', 'sk-', raw`sk-(?:or-v1-|lf-)?(?=[a-z0-9]*\d)[A-Za-z0-9]{32,64}`, { entropy: 3.2 }),
  token('xai-key', 'xai-', 'xai-[A-Za-z0-9_]{70,90}'),
  token('groq-key', 'gsk_', 'gsk_[A-Za-z0-9]{48,56}'),
  token('perplexity-key', 'pplx-', 'pplx-[A-Za-z0-9]{48,56}'),
  token('replicate-token', 'r8_', 'r8_[A-Za-z0-9]{37,48}'),
  token('huggingface-token', 'hf_|api_org_', '(?:hf|api_org)_[A-Za-z]{34}|hf_[A-Za-z0-9]{34,40}', {
    entropy: 3.5,
  }),
  token('langsmith-key', 'lsv2_', 'lsv2_(?:pt|sk)_[a-f0-9]{32}_[a-f0-9]{10}'),
  token('tavily-key', 'tvly-', 'tvly-(?:dev-|prod-)?[A-Za-z0-9]{28,40}'),

  // Messages and mail
  token(
    'slack-token',
    'xoxb|xoxp|xoxe|xoxa|xoxr|xoxs|xoxo|xapp',
    raw`xoxe\.xox[bp]-\d-[A-Za-z0-9]{40,}|xoxe-\d-[A-Za-z0-9]{40,}|xox[a-z]-(?:\d{5,}-){1,3}(?=[A-Za-z-]{0,64}\d)[A-Za-z0-9-]{6,64}|xox[ar]-(?:\d-)?(?=[a-z]{0,48}\d)[A-Za-z0-9]{8,48}|xapp-\d-[A-Z0-9]{6,20}-\d{8,16}-[a-z0-9]{32,80}`,
    { flags: 'i' },
  ),
  token(
    'slack-webhook',
    'hooks.slack.com',
    raw`hooks\.slack\.com/(?:services|workflows|triggers)/[A-Za-z0-9+/]{25,80}`,
    // A webhook URL is a secret as a whole, so filler inside it changes nothing.
    { entropy: 0, accept: () => true },
  ),
  token(
    'teams-webhook',
    'webhook',
    raw`(?:webhook\.office\.com/webhookb2|outlook\.office\.com/webhook)/[\w-]{36}@[\w-]{36}/\w+/\w{32}/[\w-]{36}`,
    { flags: 'i' },
  ),
  token('discord-webhook', '/webhooks/', raw`discord(?:app)?\.com/api/webhooks/\d{17,20}/[\w-]{60,72}`),
  token('telegram-bot-token', 'tgram://|:aa', raw`(?:bot)?\d{8,10}:AA[A-Za-z0-9_-]{32,34}`, { entropy: 3 }),
  token('telegram-url', 'tgram://', raw`\d{8,10}:[A-Za-z0-9_-]{35}`, { entropy: 3 }),
  token('twilio-key', '', '(?:SK|AC)[0-9a-z]{32}', { entropy: 0, accept: () => true }),
  token('sendgrid-key', 'sg.', raw`SG\.[A-Za-z0-9_-]{20,24}\.[A-Za-z0-9_-]{39,50}`),
  token('sendinblue-key', 'xkeysib-', 'xkeysib-[a-f0-9]{64}-[A-Za-z0-9]{16}'),
  token('mailgun-key', 'key-|pubkey-', '(?:pub)?key-[a-f0-9]{32}'),
  token('mailchimp-key', '-us', raw`[0-9a-f]{32}-us\d{1,2}`),
  token('resend-key', 're_', 're_[A-Za-z0-9]{8}_[A-Za-z0-9]{24}', { entropy: 3.5 }),

  // Payment and commerce
  token(
    'stripe-key',
    'sk_live|sk_test|sk_prod|rk_live|rk_test|rk_prod|whsec_',
    '[sr]k_(?:live|test|prod)_[A-Za-z0-9]{10,120}|whsec_[A-Za-z0-9+/]{32,}',
  ),
  token('square-token', 'sq0|eaaa', raw`sq0(?:atp|csp|idp|idb)-[\w-]{22,43}|EAAA[A-Za-z0-9+=_-]{50,64}`),
  token('shopify-token', 'shpat_|shpca_|shppa_|shpss_', 'shp(?:at|ca|pa|ss)_[a-fA-F0-9]{32}'),
  token('shippo-token', 'shippo_', 'shippo_(?:live|test)_[a-fA-F0-9]{40}'),
  token('duffel-token', 'duffel_', raw`duffel_(?:test|live)_[\w=-]{43}`),
  token('easypost-token', 'ezak|eztk', 'EZ[AT]K[A-Za-z0-9]{54}'),
  token('flutterwave-key', 'flwseck|flwpubk', 'FLW(?:SECK|PUBK)(?:_TEST)?-[a-h0-9]{12,32}(?:-X)?', { flags: 'i' }),
  token('plaid-token', 'access-', `access-(?:sandbox|development|production)-${UUID}`),
  token('razorpay-key', 'rzp_', 'rzp_(?:live|test)_[A-Za-z0-9]{14,20}'),
  token('flexport-token', 'shltm_', 'shltm_[A-Za-z0-9_-]{36,44}'),

  // Observability
  token('newrelic-key', 'nrak-|nrjs-|nrii-', 'NR(?:AK|JS|II)-[A-Za-z0-9-]{19,32}'),
  token('grafana-token', 'glsa_|glc_', 'glsa_[A-Za-z0-9]{32}_[A-Fa-f0-9]{8}|glc_[A-Za-z0-9+/]{32,400}={0,3}', {
    entropy: 3,
  }),
  token('grafana-legacy-key', 'eyjrijoi', 'eyJrIjoi[A-Za-z0-9+/]{40,400}={0,2}', { entropy: 3.5 }),
  token('sentry-token', 'sntrys_|sntryu_', 'sntrys_eyJ[A-Za-z0-9+/=_]{60,}|sntryu_[a-f0-9]{64}'),
  token('dynatrace-token', 'dt0', raw`dt0[a-z]\d{2}\.[A-Z0-9]{24}\.[A-Z0-9]{64}`),
  token('postman-key', 'pmak-', 'PMAK-[a-f0-9]{24}-[a-f0-9]{34}'),
  token('readme-key', 'rdme_', 'rdme_[a-z0-9]{70}'),

  // All other formats with a prefix
  token('swarm-token', 'swmtkn-', 'SWMTKN-1-[a-z0-9]{49,50}-[a-z0-9]{25}'),
  token('k3s-token', '::server:|::node:', 'K10[a-f0-9]{64}::(?:server|node):[a-f0-9]{32}'),
  token('akamai-token', 'akab-', 'akab-[a-z0-9]{16}-[a-z0-9]{16}'),
  token('fireworks-key', 'fw_', 'fw_[A-Za-z0-9]{22,24}', { entropy: 3.5 }),
  token('firecrawl-key', 'fc-', 'fc-[a-f0-9]{32}', { entropy: 3 }),
  token('e2b-key', 'e2b_', 'e2b_[a-f0-9]{40}', { entropy: 3 }),
  token('clickup-token', 'pk_', raw`pk_\d{6,9}_[A-Z0-9]{32}`),
  token('trello-token', 'atta', 'ATTA[a-f0-9]{64}'),
  token('braintree-token', 'access_token$', raw`access_token\$(?:production|sandbox)\$[a-z0-9]{16}\$[a-f0-9]{32}`),
  token('notion-token', 'ntn_', 'ntn_[0-9]{11}[A-Za-z0-9]{35}'),
  token('linear-key', 'lin_api_|lin_oauth_', 'lin_(?:api|oauth)_[A-Za-z0-9]{40}'),
  token('figma-token', 'figd_|figu_', 'fig[du]_[A-Za-z0-9_-]{36,48}'),
  token('frameio-token', 'fio-u-', 'fio-u-[A-Za-z0-9=_-]{60,70}'),
  token('contentful-token', 'cfpat-', 'CFPAT-[A-Za-z0-9_-]{40,66}'),
  token('typeform-token', 'tfp_', 'tfp_[A-Za-z0-9_.=-]{40,60}'),
  token('adafruit-key', 'aio_', 'aio_[A-Za-z0-9]{28}'),
  token('asana-token', '', raw`[0-2]/\d{13,17}(?:/\d{13,17})?:[a-f0-9]{32}`),
  token('facebook-token', 'eaa', 'EAA[A-Z][A-Za-z0-9]{60,}', { entropy: 4 }),
  token('facebook-app-token', '', raw`\d{15,16}\|[A-Za-z0-9_-]{27,40}`, { entropy: 3 }),
  token('salesforce-session', '00d', '00D[A-Za-z0-9]{12,15}![A-Za-z0-9._-]{60,160}', { entropy: 3.5 }),
  token('truenas-key', '-', raw`\d{1,3}-[A-Za-z0-9]{64}`, { entropy: 4 }),
  token('dfuse-key', 'web_|server_|mobile_', '(?:web|server|mobile)_[0-9a-f]{32}', { entropy: 3 }),
  token('hubspot-token', 'pat-na|pat-eu', raw`pat-(?:na|eu)\d-${UUID}`, { flags: 'i' }),
  token('intra42-secret', 's-s4t2', 's-s4t2(?:ud|af)-[a-f0-9]{64}'),
  token('launchdarkly-key', 'sdk-|api-|mob-', `(?:sdk|api|mob)-${UUID}`),
  token('mapbox-token', 'sk.eyj|tk.eyj', raw`[st]k\.eyJ[A-Za-z0-9_-]{20,}\.[A-Za-z0-9_-]{20,}`),
  token('pubnub-key', 'pub-c-|sub-c-|sec-c-', '(?:pub|sub|sec)-c-[A-Za-z0-9-]{36,48}'),
  token('settlemint-token', 'sm_aat_|sm_pat_|sm_sat_', 'sm_[aps]at_[A-Za-z0-9]{16}'),
  token('teamwork-token', 'tkn.v1_', raw`tkn\.v1_[A-Za-z0-9+/_-]{60,}={0,2}`),
  token('ubidots-token', 'bbff-|bbus-', 'BB(?:FF|US)-[A-Za-z0-9]{30,36}'),
  token('voiceflow-key', 'vf.', raw`VF\.(?:DM|WS|LEGACY)\.[A-Za-z0-9]{20,26}\.[A-Za-z0-9]{16}`),
  token('zoho-token', '1000.', raw`1000\.[a-f0-9]{32}\.[a-f0-9]{32}`),
  token('dependency-track-key', 'odt_', 'odt_[A-Za-z0-9_]{32,44}'),
  {
    // Not bound to the start of a word: the first part is the base64 of a number, joined to the text before it.
    id: 'discord-token',
    keywords: '',
    pattern: /[MNO][A-Za-z\d_-]{23,25}\.[\w-]{6}\.[\w-]{27,38}(?![\w-])/g,
    entropy: 3.5,
  },
  token('json-web-token', 'eyj|eyi', raw`ey[IJ][A-Za-z0-9_-]{10,}\.[A-Za-z0-9_-]{10,}(?:\.[A-Za-z0-9_-]*)?`, {
    accept: isJsonWebToken,
  }),
  // Signed or encrypted, whatever its header says.
  token('three-part-token', '', raw`[\w-]{30,200}\.[\w-]{60,4000}\.[\w-]{40,800}`, {
    entropy: 4.2,
    accept: (secret) => /\d/.test(secret) && /[a-z]/.test(secret) && /[A-Z]/.test(secret) && !isPlaceholder(secret),
  }),
  token('base64-json-web-token', 'zxlk', 'ZXlK[A-Za-z0-9+/_-]{40,}={0,2}', { entropy: 3.5 }),
  // A short name and a long random body, as in most vendors' keys. Ids are shorter, and hashes are hexadecimal.
  token(
    'prefixed-token',
    '_|-',
    raw`(?<![./:@=-])[a-z]{2,10}\d{0,2}(?:[_-](?:v?\d|[a-z]{2,5})){0,2}[_-][A-Za-z0-9_-]{32,200}`,
    { entropy: 3.8, accept: isRandomBody },
  ),
  token('base64-private-key', 'ls0tls1crudjt', 'LS0tLS1CRUdJT[A-Za-z0-9+/]{40,}={0,2}'),
]
