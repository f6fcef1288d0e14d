import { sanitizeText } from './sanitize.ts'

/** `<` where Markdown, XML or a chat template would start a tag, a comment, an instruction or a special token. */
const TAG_OPEN = /<(?=[A-Za-z/!?|%$_:<])/g
/** The end of a comment or a CDATA section. */
const COMMENT_CLOSE = /(?<=--!?|\]\])>/g
/** Our own marker, and the turns of chat templates that use square brackets. */
const BRACKET_TOKEN = /\[(\s*\/?\s*(?:MEMORY\s*:[^[\]]{0,80}|INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN))\s*\]/gi
const MARKER_OPEN = /\[(?=\s*MEMORY\s*:)/gi
/** A file import is `@` at a word's start; an address such as a@b.com has a letter before it. */
const IMPORT = /(?<=^|\s)@(?=\S)/g
const TURN = /\b(Human|Assistant)(\s?):/g
const LEADING_TURN = /^((?:human|assistant|user|system|developer|tool|function)\s?):/i
const FENCE = /`{3,}|~{3,}/g
/** Markdown structure that the first characters decide: heading, quote, rule, bullet, underline, table, front matter. */
const LEADING_STRUCTURE = /^(?=[#>|-]|[*+](?:\s|$)|[*_=](?:\s*[*_=]){2,})/
const LEADING_NUMBER = /^(\d{1,9})([.)])(?=\s|$)/

/**
 * For an item of a list in a prompt or a Markdown file, after its bullet. The text stays on one line. It cannot become a
 * heading, list, quote, fence, tag, comment, import, marker or message boundary. Ordinary text stays as it is, apart from a few
 * backslashes. Idempotent.
 */
export function escapePromptBlock(text: string): string {
  return sanitizeText(text)
    .replace(FENCE, (run) => (run.startsWith('`') ? "'''" : '~~'))
    .replace(TAG_OPEN, '&lt;')
    .replace(COMMENT_CLOSE, '&gt;')
    .replace(BRACKET_TOKEN, '($1)')
    .replace(MARKER_OPEN, '(')
    .replace(/!\[/g, '!\\[')
    .replace(IMPORT, '\\@')
    .replace(LEADING_TURN, '$1\\:')
    .replace(TURN, '$1$2\\:')
    .replace(LEADING_NUMBER, '$1\\$2')
    .replace(LEADING_STRUCTURE, '\\')
}

const HTML_ENTITIES: Record<string, string> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
  '`': '&#96;',
}

/** For HTML text and quoted attributes. Not idempotent: a memory that says `&lt;` must be shown as `&lt;`. */
export function escapeHtml(text: string): string {
  return showControls(text, /[\n\t]/).replace(/[&<>"'`]/g, (character) => HTML_ENTITIES[character] ?? character)
}

/** Control characters, lone surrogates, and characters that reverse, hide or break a line of text. */
const UNSEEN =
  /[\p{Cc}\p{Cs}\u00ad\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb\u{e0000}-\u{e0fff}]/gu

/** Shows invisible characters: as a control picture where there is one (␛ ␊), else as the code point (⟨U+202E⟩). */
function showControls(text: string, keep?: RegExp): string {
  return text.replace(UNSEEN, (character) => {
    if (keep?.test(character)) return character
    const code = character.codePointAt(0)!
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** For a terminal: control characters are shown and do nothing, so that no text moves the cursor or changes a colour. */
export function escapeTerminal(text: string): string {
  return showControls(text)
}
