import { Argument, type Command, Option } from 'commander'
import type { Layer } from '../model/layer.ts'
import { addIdentifierOptions, type ClaimOptions } from './identifiers.ts'
import type { GlobalOptions } from './open-engine.ts'

/** A command's own part: its arguments, options and action. Only loaded when the command runs. */
export interface CommandModule {
  configure(command: Command): void
}

/** Reads a flag's value. `before` is the value of an earlier occurrence, if the flag is repeatable. */
export type Reader<Value> = ((text: string, before: Value | undefined, flag: string) => Value) & {
  /** Shown in the help and completed. */
  choices?: readonly string[]
}
type AnyReader = ((text: string, before: never, flag: string) => unknown) & { choices?: readonly string[] }

/** A flag's help text; optionally also how to read its value, and its default. */
type FlagSpec = string | readonly [about: string, read: AnyReader, fallback?: unknown]
/** Flags as the help shows them, such as `-y, --yes` or `--limit <number>`. */
export type FlagTable = Readonly<Record<string, FlagSpec>>

type Camel<Name> = Name extends `${infer Head}-${infer Tail}` ? `${Head}${Capitalize<Camel<Tail>>}` : Name
type WithoutValue<Flag> = Flag extends `${infer Name} ${string}` ? Name : Flag
type LongName<Flags> = Flags extends `${string}, --${infer Long}`
  ? WithoutValue<Long>
  : Flags extends `--${infer Long}`
    ? WithoutValue<Long>
    : never
type NameOf<Flags> = LongName<Flags> extends `no-${infer Name}` ? Camel<Name> : Camel<LongName<Flags>> & string
type ValueOf<Flags, Spec> = Spec extends readonly [string, (...args: never) => infer Value, ...unknown[]]
  ? Value
  : Flags extends `${string}<${string}`
    ? string
    : boolean
/** Flags with a default value. */
type Always<Table> = {
  [Flags in keyof Table]: LongName<Flags> extends `no-${string}`
    ? Flags
    : Table[Flags] extends readonly [string, AnyReader, unknown]
      ? Flags
      : never
}[keyof Table]
type ValuesOf<Table> = { [Flags in keyof Table as NameOf<Flags>]: ValueOf<Flags, Table[Flags]> }

export type OptionsOf<Table> = ValuesOf<Pick<Table, Always<Table>>> & Partial<ValuesOf<Omit<Table, Always<Table>>>>

type ArgumentSpec = readonly [name: string, about: string, read?: AnyReader]
type ArgumentOf<Spec> = Spec extends readonly [string, string, (...args: never) => infer Value]
  ? Value
  : Spec extends readonly [`${string}...${string}`, string]
    ? string[]
    : Spec extends readonly [`<${string}`, string]
      ? string
      : string | undefined
type ArgumentsOf<Specs> = { -readonly [Index in keyof Specs]: ArgumentOf<Specs[Index]> }

interface CommandSpec<Flags, Required, Arguments> {
  arguments?: Arguments
  /** The layers whose identifiers the command accepts; `claim`: all of them, or `--all`. */
  identifiers?: readonly Layer[] | 'claim'
  required?: Required
  options?: Flags
  help?: string
  run?(
    options: GlobalOptions & ClaimOptions & OptionsOf<Flags> & ValuesOf<Required>,
    ...args: ArgumentsOf<Arguments> extends infer List extends unknown[] ? List : never
  ): unknown
  commands?: Readonly<Record<string, readonly [about: string, command: CommandModule]>>
}

type None = Record<never, never>

export function defineCommand<
  const Flags extends FlagTable = None,
  const Required extends FlagTable = None,
  const Arguments extends readonly ArgumentSpec[] = [],
>(spec: CommandSpec<Flags, Required, Arguments>): CommandModule {
  return {
    configure(command) {
      for (const [name, about, read] of spec.arguments ?? []) command.addArgument(toArgument(name, about, read))
      if (spec.identifiers) addIdentifierOptions(command, spec.identifiers)
      for (const [flags, about] of Object.entries(spec.required ?? {})) {
        command.addOption(toOption(flags, about).makeOptionMandatory())
      }
      for (const [flags, about] of Object.entries(spec.options ?? {})) command.addOption(toOption(flags, about))
      for (const [name, [about, own]] of Object.entries(spec.commands ?? {})) {
        own.configure(command.command(name).description(about))
      }
      if (spec.help !== undefined) command.addHelpText('after', spec.help)
      const run = spec.run as ((options: object, ...args: unknown[]) => unknown) | undefined
      // Commander appends the command's own options (without the program's) and the command.
      if (run) {
        command.action(async (...given: unknown[]) => {
          await run((given.at(-1) as Command).optsWithGlobals(), ...given.slice(0, -2))
        })
      }
    },
  }
}

export function toOption(flags: string, spec: FlagSpec): Option {
  const [about, read, fallback] = typeof spec === 'string' ? [spec] : spec
  const option = new Option(flags, about)
  if (read?.choices) option.choices(read.choices)
  if (read) option.argParser((text, before) => read(text, before as never, option.long!))
  return fallback === undefined ? option : option.default(fallback)
}

function toArgument(name: string, about: string, read: AnyReader | undefined): Argument {
  const argument = new Argument(name, about)
  if (read?.choices) argument.choices(read.choices)
  return read ? argument.argParser((text, before) => read(text, before as never, argument.name())) : argument
}
