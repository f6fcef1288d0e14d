import { MemoryError } from '../model/errors.ts'

const PROMPT_PLACE = '{prompt}'

/** Linux takes at most 128 KiB in one argument. */
const MOST_PROMPT_BYTES = 120_000

/** The command line with the prompt in its place. A template without a place for it is INVALID_INPUT. */
export function fillCommand(template: readonly string[], prompt: string): string[] {
  if (!template.some((word) => word.includes(PROMPT_PLACE))) {
    throw new MemoryError(
      'INVALID_INPUT',
      `Invalid command: it has no ${PROMPT_PLACE}, so no agent would be told what to do.`,
      {
        details: { field: 'command' },
      },
    )
  }
  const text = prompt.replaceAll('\0', '')
  if (Buffer.byteLength(text) > MOST_PROMPT_BYTES) {
    throw new MemoryError('CONTENT_TOO_LONG', `The prompt has more than ${MOST_PROMPT_BYTES} bytes.`, {
      details: { field: 'prompt', maxLength: MOST_PROMPT_BYTES },
    })
  }
  return template.map((word) => word.split(PROMPT_PLACE).join(text))
}

/** Puts values into the `{{places}}` of a prompt; nothing that a value says is taken for a place. Empty ones leave no gap. */
export function fillPrompt(text: string, values: Readonly<Record<string, string>>): string {
  const filled = text.replace(/\{\{(\w+)\}\}/g, (_, name: string) => values[name]?.trim() ?? '')
  return filled.replace(/\n{3,}/g, '\n\n').trim()
}

/** Characters of a hand-off: the end of an answer sums it up. */
const MOST_HAND_OFF = 8000

/** What one agent said, for the next one's prompt: bounded, and unable to end its own section. Empty when it said nothing. */
export function renderHandOff(from: string, said: string): string {
  const text = said.trim()
  if (text === '') return ''
  const end =
    text.length <= MOST_HAND_OFF ? text : `[the beginning is left out]\n${fromLineStart(text.slice(-MOST_HAND_OFF))}`
  return `<handoff from="${from.replace(/[<>"&]/g, '')}">\n${end.replace(/<(?=\s*\/?\s*handoff)/gi, '&lt;')}\n</handoff>`
}

function fromLineStart(text: string): string {
  const at = text.indexOf('\n')
  return at >= 0 && at < 400 ? text.slice(at + 1) : text
}
