import { accessSync, constants, existsSync, realpathSync, statSync } from 'node:fs'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join, resolve } from 'node:path'
import { findLoginScript } from './find-claude.ts'
import { MOST_ARGUMENT_BYTES, OTHER_COMMANDS, OTHER_OPTIONS } from './hand-over.ts'

/** A folder of programs in front of the real ones, by which Claude Code gets a text however it is started. */
export interface Shim {
  /** The command, where it would take the folder out of PATH again. */
  command: string[]
  env: Record<string, string>
  /** Whether one of them has handed the text over. */
  used(): boolean
}

interface Surroundings {
  cwd: string
  env: NodeJS.ProcessEnv
}

/**
 * A folder for the front of PATH that holds a `claude`: it starts the real one, with the text at the end of the system prompt, and leaves
 * a mark that it did. No command line has to be understood for it: a variable, an alias, a script or a program in any language ends
 * at the same name. Names of links to the same program are treated alike. Null where there is no such program.
 */
export async function putShim(
  folder: string,
  file: string,
  command: readonly string[],
  { cwd, env }: Surroundings,
): Promise<Shim | null> {
  const real = findProgram('claude', { cwd, env })
  const program = real === null ? null : realpathSync(real)
  const linked = command.filter((word) => /^[\w.-]+$/.test(word) && isLinkTo(program, word, { cwd, env }))
  const names = [...new Set([...(real === null ? [] : ['claude']), ...linked])]
  if (process.platform === 'win32' || names.length === 0) return null
  const bin = join(folder, 'bin')
  const mark = join(folder, 'delivered')
  await mkdir(bin, { mode: 0o700 })
  for (const name of names) {
    const script = shimScript({ real: findProgram(name, { cwd, env })!, bin, file, mark })
    await writeFile(join(bin, name), script, { mode: 0o700 })
  }
  const search = [bin, env.PATH ?? ''].join(delimiter)
  return { command: inLoginShell(command, bin), env: { PATH: search }, used: () => existsSync(mark) }
}

/** A login shell sets PATH anew, so its script does it once more. */
function inLoginShell(command: readonly string[], bin: string): string[] {
  const at = findLoginScript(command)
  return at === null ? [...command] : command.with(at, `PATH=${quote(bin)}:"$PATH"; ${command[at]}`)
}

function isLinkTo(program: string | null, name: string, surroundings: Surroundings): boolean {
  const found = findProgram(name, surroundings)
  if (found === null) return false
  const target = realpathSync(found)
  return target === program || /[\\/]claude(?:\.exe)?$|[\\/]claude-code[\\/]/.test(target)
}

/** The program that a shell would start by this name. */
function findProgram(name: string, { cwd, env }: Surroundings): string | null {
  for (const folder of (env.PATH ?? '').split(delimiter)) {
    const path = resolve(cwd, folder, name)
    try {
      accessSync(path, constants.X_OK)
      if (statSync(path).isFile()) return path
    } catch {
      // Not in this one.
    }
  }
  return null
}

/**
 * Claude Code reads the last of two `-file` flags, so beside the caller's own ours becomes a text, and with both of them ours continues
 * the caller's text. Inside, PATH is what it was: what the agent itself starts is not part of the run.
 */
function shimScript({ real, bin, file, mark }: Record<'real' | 'bin' | 'file' | 'mark', string>): string {
  return `#!/bin/sh
real=${quote(real)} bin=${quote(bin)} file=${quote(file)}
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

function quote(word: string): string {
  return `'${word.replaceAll("'", `'\\''`)}'`
}
