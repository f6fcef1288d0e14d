import { shell } from './shell.ts'

export function quote(text: string): string {
  return /^[\w.@%+=:,/][\w.@%+=:,/~-]*$/.test(text) || /^--?[\w-]+$/.test(text)
    ? text
    : `'${text.replaceAll("'", `'\\''`)}'`
}

/** A command to copy, such as `nokosu get 9XTQYDJ2`. */
export function commandLine(...words: string[]): string {
  return ['nokosu', ...words.map(quote)].join(' ')
}

/** The user's command with something added: before `--`, if there is one. */
export function typedWith(...more: string[]): string {
  const words = [...shell().words]
  const end = words.indexOf('--')
  words.splice(end < 0 ? words.length : end, 0, ...more)
  return commandLine(...words)
}
