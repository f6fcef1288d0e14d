import { lexer, type Token, type Tokens } from 'marked'
import { readFrontMatter } from '../transfer/front-matter.ts'
import type { Note } from '../transfer/note.ts'
import { underHeading } from '../transfer/note.ts'
import { readMarkdown } from '../transfer/read-markdown.ts'
import { factOf } from './fact.ts'
import { noteAt, type RepositoryFiles } from './repository-files.ts'

/** Agents read these files whole, so their rules stay there. */
const INSTRUCTIONS = [
  ...['CLAUDE.md', '.claude/CLAUDE.md', 'AGENTS.md', 'GEMINI.md', '.cursorrules', '.windsurfrules'],
  '.github/copilot-instructions.md',
]
const DOCUMENTS = [
  'README.md',
  'CONTRIBUTING.md',
  '.github/CONTRIBUTING.md',
  'docs/CONTRIBUTING.md',
  'DEVELOPMENT.md',
  'TROUBLESHOOTING.md',
]
const MORE_DOCUMENTS = /^(?:develop\w*|testing|troubleshooting|setup|deploy\w*|operations|runbook|faq)\.md$/i
/** Maximum per document. */
const MOST = 6
/** Bytes. Longer documents are generated. */
const LONGEST = 200_000

interface Scored {
  note: Note
  score: number
}

/** The facts in documents, the most concrete first, a few per document. */
export function readDocuments(files: RepositoryFiles): Scored[] {
  const rules = files.list('.cursor/rules').filter((name) => /\.mdc?$/.test(name))
  const docs = files.list('docs').filter((name) => MORE_DOCUMENTS.test(name))
  const instructions = [...INSTRUCTIONS, ...rules.map((name) => `.cursor/rules/${name}`)]
  const documents = [...DOCUMENTS, ...docs.map((name) => `docs/${name}`)]
  return [
    ...instructions.flatMap((path) => readDocument(path, files, false)),
    ...documents.flatMap((path) => readDocument(path, files, true)),
  ]
}

function readDocument(path: string, files: RepositoryFiles, procedures: boolean): Scored[] {
  const text = files.read(path)
  if (text === null || text.length > LONGEST) return []
  const found = [...itemsOf(text), ...sentencesOf(text)].flatMap(({ said, line, heading }): Scored[] => {
    const whole = heading === null ? said : underHeading(said, heading)
    // A sentence fragment: its subject is elsewhere.
    const fact = /^[a-z]/.test(whole) ? null : factOf(said, { procedures })
    if (fact === null) return []
    const note = noteAt(path, line, { text: whole, category: fact.category })
    return [{ note, score: fact.score }]
  })
  const best = found.toSorted((a, b) => b.score - a.score).slice(0, MOST)
  return best.toSorted((a, b) => a.note.line! - b.note.line!)
}

interface Said {
  said: string
  line: number
  heading: string | null
}

/** Items that continue a sentence make no sense without their heading. */
function itemsOf(text: string): Said[] {
  return readMarkdown(text).items.map((item) => ({ said: plain(item.text), line: item.line, heading: item.heading }))
}

/** The sentences of the paragraphs, those of quotations such as `> [!NOTE]` too. */
function sentencesOf(text: string): Said[] {
  const { body, firstLine } = readFrontMatter(text)
  return sentencesIn(lexer(body), firstLine)
}

function sentencesIn(tokens: readonly Token[], firstLine: number): Said[] {
  let line = firstLine
  return tokens.flatMap((token): Said[] => {
    const at = line
    line += token.raw.split('\n').length - 1
    if (token.type === 'blockquote') return sentencesIn((token as Tokens.Blockquote).tokens, at)
    if (token.type !== 'paragraph') return []
    const raw = token.raw.replace(CALLOUT, (label) => ' '.repeat(label.length))
    let from = 0
    return raw.split(/(?<=[.!?])\s+(?=[A-Z`"'(])/).map((sentence) => {
      const start = raw.indexOf(sentence, from)
      from = start + sentence.length
      const before = raw.slice(0, start).split('\n').length - 1
      const blank = /^\s*/.exec(sentence)![0].split('\n').length - 1
      return { said: plain(sentence), line: at + before + blank, heading: null }
    })
  })
}

/** What a quotation opens with to say what kind it is. */
const CALLOUT = /^(?:\[!\w+\]|(?:\*\*|__)(?:note|warning|important|caution|attention|tip|info)s?:?(?:\*\*|__):?)(?=\s)/i

/** Without images, links and emphasis, on one line. */
function plain(markdown: string): string {
  return markdown
    .replace(/!\[[^\]]*\]\([^)]*\)/g, '')
    .replace(/\[([^\]]+)\](?:\([^)]*\)|\[[^\]]*\])/g, '$1')
    .replace(/<\/?\w[^>]*>/g, '')
    .replace(/\*\*|__|(?<!\w)[*_]|[*_](?!\w)/g, '')
    .replace(/\s+/g, ' ')
    .trim()
}
