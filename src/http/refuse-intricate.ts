import { breathe } from '../model/breathe.ts'
import { HttpError } from './errors.ts'

/** Maximum nesting of a body: more than metadata may have. */
const MOST_LEVELS = 64
/** Values, including keys: enough for a thousand memories with two hundred fields each. */
const MOST_VALUES = 200_000
/** Bytes between two turns of the event loop. */
const STRETCH = 256 * 1024

const [QUOTE, BACKSLASH, OPEN, CLOSE, BRACE, BRACE_CLOSE, COMMA, COLON] = [...'"\\[]{},:'].map((sign) =>
  sign.charCodeAt(0),
)

/**
 * Refuses a JSON body that is nested deeper, or divided into more values, than any valid request: parsing it would block the process for
 * seconds. Only looks at its bytes; the parser decides whether it is JSON.
 */
export async function refuseIntricate(bytes: Uint8Array): Promise<void> {
  let [depth, values, isText] = [0, 0, false]
  for (let i = 0; i < bytes.length; ) {
    await breathe()
    const end = Math.min(bytes.length, i + STRETCH)
    for (; i < end; i++) {
      const byte = bytes[i]
      if (isText) {
        // A character after a backslash does not end the string.
        if (byte === BACKSLASH) i++
        else if (byte === QUOTE) isText = false
      } else if (byte === QUOTE) isText = true
      else if (byte === COMMA || byte === COLON) values++
      else if (byte === OPEN || byte === BRACE) depth++
      else if (byte === CLOSE || byte === BRACE_CLOSE) depth--
      if (depth > MOST_LEVELS) throw tooMuch(`is nested deeper than ${MOST_LEVELS} levels`)
    }
    if (values > MOST_VALUES) throw tooMuch(`has more than ${MOST_VALUES} values`)
  }
}

function tooMuch(what: string): HttpError {
  return new HttpError(400, `The body ${what}.`, { field: 'body' })
}
