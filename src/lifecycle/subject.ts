import { isSameService, serviceKey } from '../model/service-name.ts'

/** A statement and the service it is labelled with. */
export interface Labelled {
  content: string
  service: string | null
}

/**
 * Whether two statements can be about the same thing. Agents label differently, so a different or missing label does
 * not exclude a match if the text names the thing: `pg-main has ...` under `postgres` is about what `pg-main` is about.
 * Only a statement that names nothing (`Takes 60s to start`) is limited to its label.
 */
export function canBeSameThing(a: Labelled, b: Labelled): boolean {
  if (isSameService(a.service, b.service)) return true
  if (names(a, b.service) || names(b, a.service)) return true
  if (a.service === null || b.service === null) return !isSubjectless(a.content) && !isSubjectless(b.content)
  const others = new Set(namesAtStart(b.content))
  return namesAtStart(a.content).some((name) => others.has(name))
}

/** The text to compare: prefixed with its service if the other statement names that service and this one does not. */
export function statementBeside(own: Labelled, other: Labelled): string {
  const { content, service } = own
  if (service === null || names(own, service)) return content
  return names(other, service) ? `${service}: ${content}` : content
}

function names({ content }: Labelled, service: string | null): boolean {
  if (service === null) return false
  const key = serviceKey(service)
  const words = content.split(/[^\p{L}\p{N}_.-]+/u).map((word) => serviceKey(word.replace(/^[_.-]+|[_.-]+$/g, '')))
  return words.some((word, i) => word === key || `${word}-${words[i + 1]}` === key)
}

/** Starts with what a thing does or must do, without naming it. */
const SUBJECTLESS =
  /^(?:(?:usually|sometimes|often|always|never|only|now|not|no longer|also|still|can|cannot|must|should|may|might|will|is|are|was|has|have|had|does|do|needs?|takes?|starts?|restarts?|stops?|runs?|fails?|crashes|requires?|depends|uses?|listens?|returns?|responds?|answers?|writes?|reads?|waits?|sends?|receives?|logs?|keeps?|holds?|expects?|accepts?|supports?|allows?|scans?|works?|hangs?|leaks?|blocks?|exits?|loads?|stores?|reports?|sleeps?|retries|serves?|calls?|it|its|this|that|they)\b|\d)/i

function isSubjectless(content: string): boolean {
  return SUBJECTLESS.test(content)
}

/** The number of words in which the subject must appear. */
const FIRST_WORDS = 4

/**
 * Names with a mark or a number (`pg-main`, `db01`) at the start of a sentence. Settings do not count: many things have
 * them.
 */
function namesAtStart(content: string): string[] {
  const words = content.split(/\s+/).slice(0, FIRST_WORDS)
  return words
    .map((word) => word.replace(/^[^\w]+|(?:['’]s)?[^\w]*$/g, ''))
    .flatMap((word) => (NAME.test(word) ? serviceKey(word) : []))
}

const NAME = /^(?=.*[a-z])[A-Za-z][A-Za-z0-9]*(?:-[A-Za-z0-9]+)+$|^[a-z]+\d+$/
