import { Option } from 'commander'
import { type ErrorCode, MemoryError } from '../model/errors.ts'
import { didYouMean } from './suggest.ts'

/** An option with a fixed set of values. A wrong one is an error that says which was probably meant, and which there are. */
export function choice(flags: string, description: string, choices: readonly string[], code?: ErrorCode): Option {
  const option = new Option(flags, description).choices(choices)
  return option.argParser((text) => oneOf(option.long!, choices, text, code))
}

/** The same for several at once, as `a,b`; may be repeated. */
export function choices(flags: string, description: string, values: readonly string[], code?: ErrorCode): Option {
  const option = new Option(flags, description).choices(values)
  return option.argParser((text: string, before: readonly string[] = []) => {
    const parts = text.split(',').map((part) => part.trim())
    return [...before, ...parts.filter((part) => part !== '').map((part) => oneOf(option.long!, values, part, code))]
  })
}

function oneOf(flag: string, values: readonly string[], text: string, code: ErrorCode = 'INVALID_INPUT'): string {
  if (values.includes(text)) return text
  const meant = didYouMean(text, values)
  throw new MemoryError(
    code,
    `Invalid ${flag}: '${text}' is not one of its values.${meant === null ? '' : ` ${meant}`}`,
    {
      details: { field: flag.slice(2), choices: values, hint: `Use one of ${values.join(', ')}.` },
    },
  )
}
