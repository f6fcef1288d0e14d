/**
 * The distinctive parts of a text: flags, paths, hosts, codes, identifiers, numbers and rare words, each
 * with a weight. Commands, edits, outputs and memories are all split by this one rule, so that they can be compared.
 */
export type Keys = Map<string, number>

/** What an action must share with a memory: one code, two numbers, three words, or a number and two words. */
export const ENOUGH = 6
const CODE = 6
const NUMBER = 3
const WORD = 2

const SEPARATORS = /[\s"'`´‘’“”«»()[\]{}<>,;|&=:!?*\\$^]+/
const AT_ENDS = /^[.#@+/~%-]*(?=[^.#@+/~%-])|[.#@+/~%-]+$/g
const FLAG = /^--[a-z][\w-]*$/i
/** A number, with its unit: `90`, `90s`, `4.5GB`, `80%`. */
const QUANTITY = /^\d+(?:\.\d+)?(?:ns|µs|us|ms|s|sec|secs|m|min|mins|h|hr|d|k|kb|kib|m|mb|mib|g|gb|gib|tb|x|%)?$/i
/** Joined by punctuation that does not join words, or letters with digits; camelCase. */
const CODED = /[._@+#~/-]|[a-z][A-Z]|^(?=.*\d)(?=.*[a-zA-Z])/
const LETTERS = /^\p{L}{5,}$/u
/** A date or a clock time says when, not what. */
const DATE = /^(?:\d{4}-\d{2}-\d{2}(?:t[\d.]+z?)?|\d{1,2}\.\d{1,2}\.\d{2,4})$/i

/** A text's keys. A path counts whole and in parts; `db:5433` counts as host and port. */
export function keysOf(text: string): Keys {
  return split(new Set(text.split(SEPARATORS)), weightOf)
}

/** Outputs repeat their words, so each is looked at once. */
function split(tokens: Iterable<string>, weigh: (token: string) => number): Keys {
  const keys: Keys = new Map()
  for (const raw of tokens) {
    if (raw === '' || raw.length > 200) continue
    if (FLAG.test(raw)) {
      add(keys, raw.toLowerCase(), CODE)
      continue
    }
    const token = raw.replace(AT_ENDS, '')
    if (token === '') continue
    if (token.includes('/') && !QUANTITY.test(token)) {
      const parts = token.split('/').filter((part) => part !== '')
      if (parts.length > 1) add(keys, parts.join('/').toLowerCase(), CODE)
      for (const part of parts) add(keys, part.toLowerCase(), weigh(part))
    } else {
      add(keys, token.toLowerCase(), weigh(token))
    }
  }
  return keys
}

/** Every word of a text, whatever its weight: what it has mentioned. What was read before is left out, and `read` grows. */
export function wordsOf(text: string, read: Set<string>): Iterable<string> {
  const fresh = new Set<string>()
  for (const token of text.split(SEPARATORS)) if (!read.has(token)) fresh.add(token)
  for (const token of fresh) read.add(token)
  return split(fresh, () => 0).keys()
}

function add(keys: Keys, key: string, weight: number): void {
  const number = /^\d/.test(key) && QUANTITY.test(key) ? String(Number.parseFloat(key)) : key
  if (!keys.has(number)) keys.set(number, COMMON.has(number) ? 0 : weight)
}

function weightOf(token: string): number {
  if (DATE.test(token)) return 0
  if (QUANTITY.test(token)) return isRound(Number.parseFloat(token)) ? 0 : NUMBER
  if (/^v?\d+\.\d+$/i.test(token)) return NUMBER
  if (token.length >= 4 && CODED.test(token)) return isCompound(token) ? WORD : CODE
  return LETTERS.test(token) ? WORD : 0
}

/** Small and round numbers occur by chance, and so do years. */
function isRound(value: number): boolean {
  if (value < 20 || !Number.isInteger(value)) return value < 20
  const year = value >= 1990 && value <= 2100
  return year || value % 100 === 0 || (value < 1000 && value % 10 === 0)
}

/** Ordinary words joined by a hyphen or a slash, as in `read-only` and `follow-up`. */
function isCompound(token: string): boolean {
  return /^\p{L}{2,}-\p{L}{2,}$/u.test(token)
}

/** Common in commands that agents write anyway. */
const COMMON: ReadonlySet<string> = new Set(
  `--help --version --verbose --quiet --force --all --yes --no --name --file --output --out --input --format --json --dry-run --recursive --global --save
  --save-dev --watch --fix --check --config --no-cache --no-pager --no-verify --stat --oneline --graph --cached --staged --name-only --max-count --include
  --exclude --color --no-color --tail --follow --since --until --detach --build --rm --port --host --user --password --env --branch --message --amend --hard
  --soft --continue --abort --rebase --set-upstream --tags --depth --no-edit --run --silent --prefix --workspace --project --type --filter --list --limit
  --timeout --retry --location --request --header --data --fail --show-error --ignore-case --line-number --count --print --strict --debug --release --bin
  --test --tests --coverage --reporter --bail --namespace --selector --context --cluster --region --profile --query --target --tag --file-path --delete --prune
  package.json package-lock.json tsconfig.json readme.md changelog.md claude.md agents.md index.ts index.js main.py main.go main.ts app.py app.ts setup.py
  requirements.txt pyproject.toml cargo.toml cargo.lock go.mod go.sum .gitignore .env .env.local docker-compose.yml docker-compose.yaml compose.yml compose.yaml
  dockerfile makefile license node_modules src/index.ts dev/null tmp/ /dev/null usr/bin usr/local etc/hosts bin/bash bin/sh usr/bin/env
  127.0.0.1 0.0.0.0 localhost utf-8 utf8 base64 sha256 sha1 sha512 md5 ipv4 ipv6 http2 es2020 es2022 esnext python3 pip3 node20 node22 x86_64 amd64 arm64
  ubuntu-latest e.g i.e etc. 443 8080 3000 5432 3306 6379 8000 5000 9090 5173 8443 27017 404 403 401 422 429 502 503 504 256 512 1024 2048 4096 255 127 128
  about above access action after again against agent agents allow already always android another answer around assert async audit backend backup because
  before behind below between block branch breaks broken browser bucket build builds cache cached called cannot cause change changed changes check checks
  class clean clear client clone cloud cluster column command commands commit commits common compile compose config configuration confirm connect connection
  console container containers content context correct count crash create created current daemon dashboard database debug default delete deploy deployed
  deployment deploys describe design detail details disable docker document during elastic empty enable endpoint engine ensure environment error errors event
  events every example except exists expect expected export extra failed fails failing failure false fetch field fields files filter final first fixed fixes
  folder follow force format found framework frontend function general generate getting given global golang group handle having header health helper higher
  hours httpd image images import include index inside install instance instead issue issues items kafka keeps kubectl label large later latest layer level
  limit lines linux local locally locked login lower machine makes manage manual master match maximum memory merge message method metrics migrate migration
  migrations minute minutes missing model module monitor mount multiple mysql named needed needs network never nginx nodes normal nothing number object offset
  older online only open order other output outside package packages param parse passed password patch pending people permission pipeline please point policy
  postgres process production profile project prompt proxy public python query queue quick reach react ready record records redis refresh region release
  reload remote remove rename replace replica report repository request requests require required requires reset resource response restart restarts result
  results retry return returns review right rollback rollout route router running runner safe schema script scripts search second seconds secret secrets
  section security select separate server servers service services session sessions setting settings setup shell should since single slack small source
  stable staging stale start started starts state static status still storage store string structure system table tables target tasks team template terminal
  terraform tests their there these thing third those three through throw times timeout token tokens total track traffic trigger under unless until update
  updated updates upgrade upload usage using usually valid value values variable vault verify version versions visible volume waiting waits warning which
  while window within without worker workers working works workspace would write writes written wrong yarn`.split(
    /\s+/,
  ),
)
