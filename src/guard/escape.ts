import { CATEGORIES } from '../model/categories.ts'
import { UNSEEN } from '../text/unseen.ts'
import { sanitizeText } from './sanitize.ts'

/** `<` where Markdown, XML or a chat template would start a tag, a comment, an instruction or a special token. */
const TAG_OPEN = /<(?=[A-Za-z/!?|%$_:<])/g
/** Code that no template reads as a tag: a class (`<Class>`, `</Class>`, `<Class />`), and type arguments (`Map<String, Row>`). */
const CLASS_TAG = /<\/?([A-Z][A-Za-z0-9]{0,63})(?: ?\/)?>/y
const TYPE_ARGUMENT =
  /<(?:(?:dyn|impl|mut|const) )?([A-Za-z_][\w.]{0,63})(?:\[\])?(?: ?[,|&] ?(?:\? (?:extends|super) )?[A-Za-z_][\w.]{0,63}(?:\[\])?)*[<>]/y
/** Java wildcards: `Class<?>`, `List<? extends Row>`. */
const WILDCARD = /^<\?(?: (?:extends|super) [A-Z][\w.]{0,63})?>/
/** Words used to structure prompts. */
const STRUCTURAL =
  /^(?:human|assistant|system|user|developer|inst|sys|tool|function|invoke|parameter|memory|memories|nokosu|instructions?|reminder|prompt|context|message|document|said|recorded)/i
/** The end of a comment or a CDATA section. */
const COMMENT_CLOSE = /(?<=--!?|\]\])>/g
/** Our own marker, and the turns of chat templates that use square brackets. */
const BRACKET_TOKEN = /\[(\s*\/?\s*(?:MEMORY\s*:[^[\]]{0,80}|INST|SYS|SYSTEM|USER|ASSISTANT|HUMAN))\s*\]/gi
const MARKER_OPEN = /\[(?=\s*MEMORY\s*:)/gi
/**
 * Claude Code imports a file wherever a piece of plain text, as split by a Markdown parser, begins with `@`: after emphasis, a link,
 * a code span, an escape. So every `@` is spelled out. Not as an entity, because newer parsers decode those;
 * entities for `@` are spelled out as well. An `@` inside a plain word between spaces (`root@nas-1`,
 * `ops@example.com`, `vite@5.4.10`) is kept, because nothing splits there.
 */
const IMPORT =
  /(?<!(?:^|\s)[A-Za-z0-9][A-Za-z0-9.+-]{0,63})@|@(?![A-Za-z0-9])|&(?:amp;)*(?:#0*64(?!\d);?|#x0*40(?![\da-f]);?|commat;)/gi
/** The parts that our own lines consist of, so that no content can end its line and begin another: `... (confidence: 1.0) - [remediation] ...`. */
const LABEL = new RegExp(`\\[(\\s*(?:${CATEGORIES.join('|')})\\s*(?:[:,][^[\\]]{0,200})?)\\]`, 'gi')
const CONFIDENCE = /([([{\uff08]\s*confidence)\s*[:=\uff1a]/gi
const TURN = /\b(Human|Assistant)(\s?):/g
const LEADING_TURN = /^((?:human|assistant|user|system|developer|tool|function)\s?):/i
const FENCE = /`{3,}|~{3,}/g
/**
 * Heading, quote, rule, bullet, setext underline, table, front matter, checkbox, link definition: what Markdown recognizes by the first
 * characters. A bracket there would also look like one of our labels.
 */
const LEADING_STRUCTURE = /^(?=[#>|-]|\[(?!REDACTED:[\w-]{1,60}\](?!:))|[*+](?:\s|$)|[*_=](?:\s*[*_=]){2,})/
const LEADING_NUMBER = /^(\d{1,9})([.)])(?=\s|$)/

/** For Markdown from someone who must not import files: no `@` in it can. The rest is unchanged. */
export function escapeImports(text: string): string {
  return text.replace(IMPORT, '(at)')
}

/**
 * For a list item in a prompt, after its bullet. The text stays on one line. It cannot become a heading, list, checkbox, quote,
 * fence, tag, comment, marker, label or message boundary. Ordinary text and code stay the same, apart from a few backslashes. Imports
 * are not read in a prompt: a file needs `escapeForFile` too. Idempotent.
 */
export function escapePromptText(text: string): string {
  return sanitizeText(text)
    .replace(FENCE, (run) => (run.startsWith('`') ? "'''" : '~~'))
    .replace(TAG_OPEN, (open, at: number, whole: string) => (isCode(whole, at) ? open : '&lt;'))
    .replace(COMMENT_CLOSE, '&gt;')
    .replace(BRACKET_TOKEN, '($1)')
    .replace(MARKER_OPEN, '(')
    .replace(/!\[/g, '!\\[')
    .replace(LABEL, '($1)')
    .replace(CONFIDENCE, '$1')
    .replace(LEADING_TURN, '$1\\:')
    .replace(TURN, '$1$2\\:')
    .replace(LEADING_NUMBER, '$1\\$2')
    .replace(LEADING_STRUCTURE, '\\')
}

/** For a text in a Markdown file, where Claude Code reads imports: no `@` imports, and no tag is one. Idempotent. */
export function escapeForFile(text: string): string {
  return escapeImports(text.replace(TAG_OPEN, '&lt;'))
}

/** Both: for a list item in a file. */
export function escapePromptBlock(text: string): string {
  return escapeForFile(escapePromptText(text))
}

function isCode(text: string, at: number): boolean {
  CLASS_TAG.lastIndex = at
  const tag = CLASS_TAG.exec(text)?.[1]
  if (tag !== undefined) return !STRUCTURAL.test(tag)
  if (!/\w/.test(text[at - 1] ?? '')) return false
  if (WILDCARD.test(text.slice(at, at + 80))) return true
  TYPE_ARGUMENT.lastIndex = at
  const argument = TYPE_ARGUMENT.exec(text)?.[1]
  return argument !== undefined && (/^[A-Z]/.test(argument) || !STRUCTURAL.test(argument))
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

/** Shows invisible characters: as a control picture if there is one (␛ ␊), otherwise as the code point (⟨U+202E⟩). */
function showControls(text: string, keep?: RegExp): string {
  return text.replace(UNSEEN, (character) => {
    if (keep?.test(character)) return character
    const code = character.codePointAt(0)!
    if (code < 0x20) return String.fromCodePoint(0x2400 + code)
    if (code === 0x7f) return '\u2421'
    return `⟨U+${code.toString(16).toUpperCase().padStart(4, '0')}⟩`
  })
}

/** For a terminal: control characters are shown without effect, so that no text moves the cursor or changes a colour. */
export function escapeTerminal(text: string): string {
  return showControls(text)
}
