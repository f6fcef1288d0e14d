/** Whole terminal sequences, so that nothing remains of `ESC [ 31 m`: CSI, strings (OSC, DCS...), two-byte escapes. */
const TERMINAL_SEQUENCE =
  /(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]|(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x07\x1b\x9c]*(?:\x07|\x1b\\|\x9c)|\x1b[ -/]*[0-~]/g

const LINE_BREAK = /\r\n|[\n\v\f\r\x85\u2028\u2029]/g
/** Spaces of any width become one plain space. */
const SPACE = /[\t\p{Zs}\u2800]/gu

/** C0 except the line break, DEL, C1, lone surrogates, non-characters. */
const CONTROL = /(?!\n)[\p{Cc}\p{Cs}\ufdd0-\ufdef\ufffe\uffff]/gu

/**
 * Invisible characters: soft hyphen, fillers, zero-width space, bidi controls, word joiner, byte order mark,
 * tags, annotation marks, the variation selectors that no emoji uses. Joiners and the two emoji selectors depend on their
 * neighbours and are handled below.
 */
const INVISIBLE = /(?!\u200c|\u200d|\ufe0e|\ufe0f)[\p{Default_Ignorable_Code_Point}\ufff9-\ufffb]/gu

/** U+FE0E and U+FE0F stay after a pictograph and inside a keycap such as 1️⃣. */
const STRAY_SELECTOR = /(?<!\p{Extended_Pictographic}|[0-9#*](?=\ufe0f\u20e3))[\ufe0e\ufe0f]/gu

/** Scripts that are misspelled without joiners. */
const JOINING =
  '[\\p{Script=Arabic}\\p{Script=Syriac}\\p{Script=Nko}\\p{Script=Mongolian}\\p{Script=Devanagari}\\p{Script=Bengali}\\p{Script=Gurmukhi}\\p{Script=Gujarati}\\p{Script=Oriya}\\p{Script=Tamil}\\p{Script=Telugu}\\p{Script=Kannada}\\p{Script=Malayalam}\\p{Script=Sinhala}\\p{Script=Khmer}\\p{Script=Myanmar}\\p{Script=Tibetan}]'
const EMOJI_BEFORE = '\\p{Extended_Pictographic}[\\ufe0f\\u{1f3fb}-\\u{1f3ff}]?'
/** Created on first use, as the scripts take a while to look up. */
let strayJoiner: RegExp | null = null
const createStrayJoiner = () =>
  new RegExp(
    `(?<!${JOINING})\\u200c|\\u200c(?!${JOINING})|(?<!${JOINING}|${EMOJI_BEFORE})\\u200d|\\u200d(?!${JOINING}|\\p{Extended_Pictographic})`,
    'gu',
  )

const MOST_ROUNDS = 8

/** Nothing to clean: words of ASCII with single spaces between them. */
const PLAIN = /^[!-~]+(?: [!-~]+)*$/

/**
 * One line of visible text: no control characters, no terminal sequences, nothing invisible, runs of spaces collapsed,
 * NFC. The result reads the same to a person, a terminal and a model. Idempotent.
 */
export function sanitizeText(text: string): string {
  if (PLAIN.test(text)) return text
  return settle(text, (current) => clean(current.replace(TERMINAL_SEQUENCE, '').replace(LINE_BREAK, ' ')))
}

/** The same with its line breaks, each as `\n`. */
export function sanitizeLines(text: string): string {
  return settle(text, (current) => clean(current.replace(TERMINAL_SEQUENCE, '').replace(LINE_BREAK, '\n')))
}

function settle(text: string, clean: (text: string) => string): string {
  let current = text
  // Composing reorders marks, which may separate a joiner from its neighbours, so this repeats until nothing changes.
  for (let round = 0; round < MOST_ROUNDS; round++) {
    const cleaned = clean(current)
    if (cleaned === current) break
    current = cleaned
  }
  return current
}

function clean(text: string): string {
  strayJoiner ??= createStrayJoiner()
  return text
    .replace(SPACE, ' ')
    .replace(CONTROL, '')
    .replace(INVISIBLE, '')
    .replace(STRAY_SELECTOR, '')
    .replace(strayJoiner, '')
    .normalize('NFC')
    .replace(/ {2,}/g, ' ')
    .trim()
}
