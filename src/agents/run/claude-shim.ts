import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { quote } from '../workspace/block.ts'
import { findScript } from './find-claude.ts'
import { type Handed, MOST_ARGUMENT_BYTES, OTHER_COMMANDS, OTHER_OPTIONS } from './hand-over.ts'

/** A folder at the front of PATH that gives Claude Code a text and options, however it is started. */
export interface Shim {
  /** The command, changed if it would remove the folder from PATH. */
  command: string[]
  env: Record<string, string>
  /** Whether Claude Code received the text. */
  used(): boolean
}

interface Surroundings {
  cwd: string
  env: NodeJS.ProcessEnv
}

/**
 * Creates a folder for the front of PATH with a `claude` that starts the real one, adds the options, puts the text at the end of the system
 * prompt, and leaves a mark. No command line has to be parsed: variables, aliases, scripts and programs in any language all
 * look up the same name. Links to the same program are covered too. Null if there is no such program.
 */
export async function putShim(
  folder: string,
  handed: Handed & { env: Readonly<Record<string, string>> },
  command: readonly string[],
  { cwd, env }: Surroundings,
): Promise<Shim | null> {
  const real = findProgram('claude', { cwd, env })
  const program = real === null ? null : realpathSync(real)
  const linked = command.filter((word) => /^[\w.-]+$/.test(word) && isLinkTo(program, word, { cwd, env }))
  const names = [...new Set([...(real === null ? [] : ['claude']), ...linked])]
  const script = findScript(command)
  const paths = script === null ? [] : pathsIn(command[script.at]!, { cwd, env })
  if (process.platform === 'win32' || names.length + paths.length === 0) return null
  const bin = join(folder, 'bin')
  const mark = join(folder, 'delivered')
  await mkdir(bin, { mode: 0o700 })
  const put = (path: string, real: string) => writeFile(path, shimScript({ real, bin, mark, handed }), { mode: 0o700 })
  for (const name of names) await put(join(bin, name), findProgram(name, { cwd, env })!)
  for (const [i, path] of paths.entries()) await put(join(bin, `claude-${i}`), resolve(cwd, path))
  const search = [bin, env.PATH ?? ''].join(delimiter)
  const changed =
    script === null
      ? [...command]
      : command.with(script.at, changeScript(command[script.at]!, script.isLogin, paths, bin))
  return { command: changed, env: { PATH: search }, used: () => existsSync(mark) }
}

/** Replaces the program's path with ours. A login shell resets PATH, so its script sets it again. */
function changeScript(script: string, isLogin: boolean, paths: readonly string[], bin: string): string {
  const changed = script.replace(STARTED, (whole: string, lead: string, _quote: string, path: string) =>
    paths.includes(path) ? `${lead}${quote(join(bin, `claude-${paths.indexOf(path)}`))}` : whole,
  )
  return isLogin ? `PATH=${quote(bin)}:"$PATH"; ${changed}` : changed
}

/** Where a script can start a command: at its beginning, after an operator, or after a word that introduces one. */
const STARTED =
  /(^\s*|[;&|({]\s*|\b(?:exec|then|do|else|command|nohup|time)\s+)(["']?)((?:\.{0,2}\/)(?:[^\s"'$;|&()<>]*\/)?claude(?:\.exe)?)\2(?=[\s;|&)]|$)/g

/** Programs that a script starts by path. */
function pathsIn(script: string, { cwd }: Surroundings): string[] {
  const found = [...script.matchAll(STARTED)].map(([, , , path]) => path!)
  return [...new Set(found)].filter((path) => isProgram(resolve(cwd, path)))
}

function isLinkTo(program: string | null, name: string, surroundings: Surroundings): boolean {
  const found = findProgram(name, surroundings)
  if (found === null) return false
  const target = realpathSync(found)
  return target === program || /[\\/]claude(?:\.exe)?$|[\\/]claude-code[\\/]/.test(target)
}

/** The program that a shell would start for this name. */
function findProgram(name: string, { cwd, env }: Surroundings): string | null {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = resolve(cwd, folder, name)
    if (isProgram(path)) return path
  }
  return null
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Missing or not executable.
    return false
  }
}

interface ShimParts {
  real: string
  bin: string
  mark: string
  handed: Handed & { env: Readonly<Record<string, string>> }
}

/**
 * Claude Code only reads the last of two `-file` flags. If the caller passes one, ours becomes a plain text that continues
 * the caller's. Inside Claude Code, PATH is as it was: programs that the agent starts are not part of the run.
 */
function shimScript({ real, bin, mark, handed: { prompt, options, env } }: ShimParts): string {
  const exports = Object.entries(env).map(([name, value]) => `${name}=${quote(value)} && export ${name}`)
  const start = `#!/bin/sh
real=${quote(real)} bin=${quote(bin)}
PATH=$(printf %s "$PATH" | sed "s|^$bin:||; s|:$bin:|:|g")
export PATH
case "\${1-}" in ${OTHER_COMMANDS}) exec "$real" "$@" ;; esac
own= text=
for word do
  case "$word" in
  --) break ;;
  ${OTHER_OPTIONS}) exec "$real" "$@" ;;
  --append-system-prompt-file | --append-system-prompt-file=*) own=file ;;
  --append-system-prompt | --append-system-prompt=*) text=yes ;;
  esac
done
${exports.join('\n')}
set -- ${options.map(quote).join(' ')} "$@"
`
  return prompt === null ? `${start}exec "$real" "$@"\n` : start + handText(prompt.file, mark)
}

function handText(file: string, mark: string): string {
  return `file=${quote(file)}
[ -r "$file" ] || exec "$real" "$@"
if [ -z "$own" ]; then
  : >${quote(mark)}
  exec "$real" --append-system-prompt-file "$file" "$@"
fi
[ "$(wc -c <"$file")" -le ${MOST_ARGUMENT_BYTES} ] || exec "$real" "$@"
: >${quote(mark)}
ours=$(cat "$file")
[ -n "$text" ] || exec "$real" --append-system-prompt "$ours" "$@"
left=$# next= rest=
while [ "$left" -gt 0 ]; do
  word=$1 left=$((left - 1))
  shift
  case "$next$rest$word" in
  --append-system-prompt) next=yes ;;
  --append-system-prompt=* | yes*) next= word="$word

$ours" ;;
  --) rest=rest ;;
  esac
  set -- "$@" "$word"
done
exec "$real" "$@"
`
}
