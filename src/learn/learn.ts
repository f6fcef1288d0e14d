import type { Note } from '../transfer/note.ts'
import { readCompose } from './compose.ts'
import { readDocuments } from './documents.ts'
import { type Commit, readHistory } from './history.ts'
import { readMakefile } from './makefile.ts'
import { readPackage } from './package-scripts.ts'
import type { RepositoryFiles } from './repository-files.ts'
import { readToolVersions } from './tool-versions.ts'
import { readWorkflows } from './workflows.ts'

/** As many as one can review in one pass. */
const MOST = 30

/** What is worth remembering in a repository, each with its source. The least concrete sentences are dropped first. */
export function learnRepository(files: RepositoryFiles, history: readonly Commit[]): Note[] {
  const sure = [
    ...readPackage(files),
    ...readToolVersions(files),
    ...readMakefile(files),
    ...readCompose(files),
    ...readWorkflows(files),
    ...readHistory(history),
  ]
  const told = readDocuments(files)
  const room = Math.max(0, MOST - sure.length)
  const kept = new Set(told.toSorted((a, b) => b.score - a.score).slice(0, room))
  const notes = [...told.filter((each) => kept.has(each)).map(({ note }) => note), ...sure.slice(0, MOST)]
  return [...new Map(notes.map((note) => [note.text, note])).values()]
}
