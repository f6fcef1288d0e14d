/** Programs that only read. A step that runs nothing else changes nothing. */
const LOOKING = new Set(
  `awk cat column cut date df diff dig du echo env fd file find free git-log grep head hexdump host id jq less ls lscpu lsof man nproc nslookup
   ping printenv ps pwd rg sed sleep sort ss stat tail test top tr tree true type uname uniq uptime wc which yq zcat`.split(
    /\s+/,
  ),
)
/** Read-only subcommands: `kubectl get`, `docker logs`, `git status`. */
const LOOKING_VERBS = new Set(
  'blame cat describe diff events get history images info inspect list log logs ls ps search show status top version view'.split(
    ' ',
  ),
)
const VERBED =
  /^(?:apt|aws|az|brew|docker|gcloud|gh|git|helm|journalctl|kubectl|nomad|oc|podman|systemctl|terraform|tofu|vault)$/
const ASSIGNMENT = /^[A-Za-z_]\w*=/
const TOKEN = /"(?:[^"\\]|\\.)*"|'[^']*'|\S+/g

/** One simple command within a command line. */
export interface Part {
  text: string
  /** `NAME=value` before it. */
  env: string[]
  words: string[]
  looks: boolean
  /** It queries a service: `curl`, `kubectl logs`. */
  asks: boolean
}

/** The simple commands of a command line, without `cd`, `sleep` and the like. */
export function commandParts(command: string): Part[] {
  const line = command.replace(/\\\n/g, ' ')
  return splitCommands(line)
    .map(readPart)
    .filter(({ words }) => words.length > 0 && !['cd', 'sleep', 'set', 'export', 'wait'].includes(words[0]!))
}

/** Seconds that a command line explicitly waits. */
export function waitsFor(command: string): number {
  return [...command.matchAll(/\bsleep\s+(\d+)(m?)/g)].reduce((sum, [, n, m]) => sum + Number(n) * (m ? 60 : 1), 0)
}

function splitCommands(line: string): string[] {
  const parts: string[] = []
  let rest = ''
  let quote = ''
  let depth = 0
  for (let i = 0; i < line.length; i++) {
    const char = line[i]!
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === '(') depth++
    else if (char === ')') depth = Math.max(0, depth - 1)
    else if (depth === 0 && (char === ';' || char === '\n' || char === '|' || (char === '&' && line[i + 1] === '&'))) {
      parts.push(rest)
      rest = ''
      // What follows a pipe only filters.
      if (char === '|' && line[i + 1] !== '|') i = endOfPipe(line, i) - 1
      else if (char === '&' || line[i + 1] === '|') i++
      continue
    }
    rest += char
  }
  parts.push(rest)
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

function endOfPipe(line: string, from: number): number {
  let quote = ''
  for (let i = from + 1; i < line.length; i++) {
    const char = line[i]!
    if (quote !== '') {
      if (char === quote) quote = ''
    } else if (char === '"' || char === "'") quote = char
    else if (char === ';' || char === '\n' || (char === '&' && line[i + 1] === '&')) return i
  }
  return line.length
}

function readPart(text: string): Part {
  const words = text.replace(/\s\d?>(?:&\d|\s*\S+)/g, '').match(TOKEN) ?? []
  const env: string[] = []
  while (words.length > 0 && (ASSIGNMENT.test(words[0]!) || /^(?:sudo|time|nohup|timeout|nice)$/.test(words[0]!))) {
    const word = words.shift()!
    if (ASSIGNMENT.test(word)) env.push(word)
    else if (word === 'timeout') words.shift()
  }
  const writes = /(?:^|[^\d&])>>?\s*(?!\/dev\/|\/tmp\/|&)\S/.test(text)
  const asks = /^(?:curl$|mcp__)/.test(words[0] ?? '') || VERBED.test(words[0] ?? '')
  // Redirections are not part of what it does.
  const shown = text.replace(/\s+\d?>(?:&\d|\s*\/dev\/null)/g, '').trim()
  return { text: shown, env, words, looks: !writes && onlyLooks(words), asks }
}

function onlyLooks(words: readonly string[]): boolean {
  const [program, ...rest] = words
  if (program === undefined) return true
  // `ssh host command` is judged by the command.
  if (program === 'ssh') {
    const at = rest.findIndex((word) => !word.startsWith('-'))
    const inner = rest
      .slice(at + 1)
      .join(' ')
      .replace(/^['"]|['"]$/g, '')
    return at < 0 || inner === '' || commandParts(inner).every((part) => part.looks)
  }
  if (program.startsWith('mcp__'))
    return /(?:^|_)(?:get|list|read|search|query|find|describe|fetch|show|view)/i.test(program)
  if (program === 'sed') return !rest.some((word) => word.startsWith('-i'))
  if (program === 'curl') return !rest.some((word) => /^(?:-X|-d|--data\S*|--request|-T|-F)/.test(word))
  if (LOOKING.has(program) || LOOKING_VERBS.has(rest.find((word) => !word.startsWith('-')) ?? '')) return true
  return VERBED.test(program) && rest.slice(0, 8).some((word) => LOOKING_VERBS.has(word))
}
