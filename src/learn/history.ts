import { tokenize } from '../text/tokens.ts'
import type { Note } from '../transfer/note.ts'

export interface Commit {
  id: string
  /** Seconds since 1970. */
  time: number
  subject: string
  body: string
  files: readonly string[]
}

/** For `git log`: one record per commit, newest first. */
export const LOG_FORMAT = '%x1e%H%x1f%ct%x1f%s%x1f%b%x1f'

export function parseLog(text: string): Commit[] {
  return text
    .split('\x1e')
    .slice(1)
    .flatMap((record) => {
      const [id, time, subject, body, files] = record.split('\x1f')
      if (id === undefined || files === undefined) return []
      const names = files.split('\n').filter((name) => name !== '')
      return [{ id, time: Number(time), subject: subject!.trim(), body: body!.trim(), files: names }]
    })
}

const MOST_REVERTS = 4
const MOST_REPEATED = 3
const MOST_HOTSPOTS = 2
const REVERT = /^revert:?\s+"(.+)"$|^revert(?:\([^)]*\))?!?:\s*(.+)$/i
const FIX = /^(?:hot)?fix(?:es|ed)?\b(?:\([^)]*\))?!?:?\s*(.*)$/i
const NAMES_COMMIT =
  /\b(?:fix(?:es|up)?(?: of| for)?|follow-?up (?:to|of)|regression (?:from|in|of)|broken by|since|after|reverts commit)[: ]+([0-9a-f]{7,40})\b/i
/** Files that almost every commit touches. */
const NOT_TOLD =
  /(?:^|\/)(?:package(?:-lock)?\.json|[\w.-]*lock[\w.-]*|CHANGELOG[\w.]*|README[\w.]*)$|\.(?:md|snap|lock|txt)$|(?:^|\/)(?:tests?|__tests__|spec|fixtures|dist|docs)\/|\.(?:test|spec)\.\w+$/i
const LEAST_FIXES = 5
/** Share of common significant words, relative to the shorter subject. */
const LIKENESS = 0.75
const LEAST_SHARED = 3
/** Maximum commits between two fixes of the same problem. */
const REACH = 40

/** What the history shows: reverts, repeated fixes, and files that keep needing fixes. */
export function readHistory(commits: readonly Commit[]): Note[] {
  return [
    ...readReverts(commits).slice(0, MOST_REVERTS),
    ...readRepeated(commits).slice(0, MOST_REPEATED),
    ...readHotspots(commits).slice(0, MOST_HOTSPOTS),
  ]
}

function readReverts(commits: readonly Commit[]): Note[] {
  return commits.flatMap((commit, i) => {
    const match = REVERT.exec(commit.subject)
    const what = match?.[1] ?? match?.[2]
    if (what === undefined || REVERT.test(what)) return []
    const newer = commits.slice(0, i)
    const isBack = newer.some(
      ({ subject }) =>
        subject === what ||
        subject.includes(`Reapply "${what}"`) ||
        (REVERT.test(subject) && subject.includes(commit.subject)),
    )
    if (isBack) return []
    const reason = firstParagraph(commit.body.replace(/^(?:This reverts commit|Reverts?) [^\n]*\n?/gim, ''))
    return noteOf(commit, `“${what}” was reverted${reason === '' ? '' : `: ${reason}`}`, [])
  })
}

/** A fix that names an earlier commit, or has nearly the same subject and file. */
function readRepeated(commits: readonly Commit[]): Note[] {
  const taken = new Set<string>()
  return commits.flatMap((commit, i) => {
    const what = FIX.exec(commit.subject)?.[1]
    if (what === undefined || taken.has(commit.id)) return []
    const named = NAMES_COMMIT.exec(commit.body)?.[1]
    const older = commits.slice(i + 1)
    const before =
      older.find(({ id }) => named !== undefined && id.startsWith(named)) ??
      older.slice(0, REACH).find((each) => FIX.test(each.subject) && isAlike(commit, each))
    if (before === undefined || taken.has(before.id) || REVERT.test(commit.subject)) return []
    taken.add(before.id)
    const file = commit.files.find((name) => before.files.includes(name) && !NOT_TOLD.test(name))
    const where = file === undefined ? '' : ` (${file})`
    const kind = FIX.test(before.subject) ? 'was not enough' : 'needed a fix'
    return noteOf(commit, `“${before.subject}” ${kind}; “${commit.subject}” followed${where}`, [])
  })
}

function isAlike(a: Commit, b: Commit): boolean {
  if (!a.files.some((name) => b.files.includes(name) && !NOT_TOLD.test(name))) return false
  const [one, two] = [a, b].map(
    ({ subject }) => new Set(tokenize(FIX.exec(subject)?.[1] ?? '').filter((word) => word.length > 3)),
  )
  const shared = [...one!].filter((word) => two!.has(word)).length
  return shared >= LEAST_SHARED && shared / Math.min(one!.size, two!.size) >= LIKENESS
}

function readHotspots(commits: readonly Commit[]): Note[] {
  const fixes = new Map<string, Commit[]>()
  for (const commit of commits.filter(({ subject, files }) => FIX.test(subject) && files.length <= 10)) {
    for (const file of commit.files.filter((name) => !NOT_TOLD.test(name))) {
      fixes.set(file, [...(fixes.get(file) ?? []), commit])
    }
  }
  return [...fixes]
    .filter(([, all]) => all.length >= LEAST_FIXES)
    .sort(([, a], [, b]) => b.length - a.length)
    .map(([file, all]) =>
      noteOf(
        all[0]!,
        `Fixes keep coming back to ${file}: ${all.length} of the last ${commits.length} commits; the latest: “${all[0]!.subject}”`,
        ['hotspot'],
      ),
    )
}

function firstParagraph(body: string): string {
  const [first = ''] = body.trim().split(/\n\s*\n/)
  const line = first.replace(/\s+/g, ' ').trim()
  if (/^[\w-]+: /.test(line) && !/^(?:reason|because|why)\b/i.test(line)) return ''
  return line.length > 240 ? `${line.slice(0, 239).trimEnd()}…` : line
}

function noteOf({ id, time }: Commit, text: string, tags: string[]): Note {
  const short = id.slice(0, 9)
  return {
    text,
    tags: ['history', ...tags],
    place: `commit ${short}`,
    anchor: `commit:${short}`,
    occurredAt: new Date(time * 1000).toISOString(),
  }
}
