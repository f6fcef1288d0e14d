import { withoutMarkers } from '../capture/markers.ts'
import { invalidInput, MemoryError } from '../model/errors.ts'

const PROMPT_PLACE = '{prompt}'

/** Linux takes at most 128 KiB in one argument. */
const MOST_PROMPT_BYTES = 120_000

/** The command line with the prompt filled in. A template without a `{prompt}` is INVALID_INPUT. */
export function fillCommand(template: readonly string[], prompt: string): string[] {
  if (!template.some((word) => word.includes(PROMPT_PLACE))) {
    throw invalidInput('command', `Invalid command: it has no ${PROMPT_PLACE}, so no agent would be told what to do.`)
  }
  const text = prompt.replaceAll('\0', '')
  if (Buffer.byteLength(text) > MOST_PROMPT_BYTES) {
    throw new MemoryError('CONTENT_TOO_LONG', `The prompt has more than ${MOST_PROMPT_BYTES} bytes.`, {
      details: { field: 'prompt', maxLength: MOST_PROMPT_BYTES },
    })
  }
  return template.map((word) => word.split(PROMPT_PLACE).join(text))
}

/** Fills in the `{{places}}` of a prompt. Placeholders inside a value are left alone. Empty values leave no gap. */
export function fillPrompt(text: string, values: Readonly<Record<string, string>>): string {
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]?.trim() ?? '')
  return filled.replace(/\n{3,}/g, '\n\n').trim()
}

export interface HandOff {
  from: string
  said: string
}

/** Characters of one hand-off. An answer sums itself up at the end, so the end is kept. */
const MOST_HAND_OFF = 8000
/** Bytes of all hand-offs in a prompt. Leaves room for the task. */
const MOST_TOGETHER = 30_000

/** What one agent said, bounded, and unable to end its own section. Empty if it said nothing. Memory markers are removed. */
export function renderHandOff(from: string, said: string, most = MOST_HAND_OFF): string {
  const text = withoutMarkers(said).trim()
  if (text === '') return ''
  const end = text.length <= most ? text : `[the beginning is left out]\n${fromLineStart(text.slice(-most))}`
  return `<handoff from="${from.replace(/[<>"&]/g, '')}">\n${end.replace(/<(?=\s*\/?\s*handoff)/gi, '&lt;')}\n</handoff>`
}

/**
 * Shortens texts made of hand-offs until they fit into one prompt. Each keeps its end. `render` makes the prompt's texts from a function
 * that renders one hand-off.
 */
export function fitHandOffs<Texts extends Readonly<Record<string, string>>>(
  render: (one: (handOff: HandOff) => string) => Texts,
): Texts {
  for (let most = MOST_HAND_OFF; ; most = Math.floor(most * 0.8)) {
    const texts = render(({ from, said }) => renderHandOff(from, said, most))
    const bytes = Object.values(texts).reduce((sum, text) => sum + Buffer.byteLength(text), 0)
    if (bytes <= MOST_TOGETHER || most < 100) return texts
  }
}

export function section(heading: string, ...parts: readonly string[]): string {
  const text = parts.filter((part) => part !== '').join('\n\n')
  return text === '' ? '' : `## ${heading}\n\n${text}`
}

function fromLineStart(text: string): string {
  const at = text.indexOf('\n')
  return at >= 0 && at < 400 ? text.slice(at + 1) : text
}
