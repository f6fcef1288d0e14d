import { isRecord } from '../text/json.ts'
import type { Note } from '../transfer/note.ts'
import { parseYamlText } from './compose.ts'
import { lineOf, noteAt, type RepositoryFiles, shortCode } from './repository-files.ts'

const FOLDER = '.github/workflows'
const MOST = 6
const MOST_COMMANDS = 6
const NOT_TOLD = new Set(['GITHUB_TOKEN'])
/** Commands that only prepare the machine. */
const PREPARES = /^(?:echo|cd|mkdir|git config|sudo apt|apt-get|curl|export|set |if |for |cat |ls)\b/

/** What CI runs, with which services and versions, on which schedule, and which secrets it needs. */
export function readWorkflows(files: RepositoryFiles): Note[] {
  const names = files.list(FOLDER).filter((name) => /\.ya?ml$/.test(name))
  return names.flatMap((name) => readWorkflow(`${FOLDER}/${name}`, name, files)).slice(0, MOST)
}

function readWorkflow(path: string, name: string, files: RepositoryFiles): Note[] {
  const text = files.read(path) ?? ''
  const value = parseYamlText(text)
  if (!isRecord(value) || !isRecord(value.jobs)) return []
  const jobs = Object.values(value.jobs).filter(isRecord)
  const notes: Note[] = []
  const say = (pattern: RegExp, said: string, category: 'dependency' | 'timing' | 'learning') =>
    notes.push(noteAt(path, lineOf(text, pattern), { text: said, category }))
  const commands = [...new Set(jobs.flatMap(commandsOf))]
  if (commands.length > 0) {
    const shown = commands.slice(0, MOST_COMMANDS).map((command) => `\`${command}\``)
    say(/^\s*(?:- )?run:/, `CI (${name}) runs ${shown.join(', ')}`, 'learning')
  }
  const services = [...new Set(jobs.flatMap(servicesOf))]
  if (services.length > 0) say(/^\s*services:/, `CI (${name}) runs with ${services.join(' and ')}`, 'dependency')
  for (const [axis, values] of jobs.flatMap(versionsOf)) {
    say(
      new RegExp(`\\b${axis}:`),
      `CI (${name}) tests with ${axis.replace(/[-_]version$/, '')} ${values}`,
      'dependency',
    )
  }
  // YAML 1.1 reads the key `on` as true.
  const on = value.on ?? (value as Record<string, unknown>).true
  const crons = isRecord(on) && Array.isArray(on.schedule) ? on.schedule.filter(isRecord).map(({ cron }) => cron) : []
  if (crons.length > 0) say(/^\s*-?\s*cron:/, `${name} runs on a schedule (cron, UTC): ${crons.join('; ')}`, 'timing')
  const secrets = [...new Set([...text.matchAll(/\bsecrets\.(\w+)/g)].map(([, secret]) => secret!))]
  const needed = secrets.filter((secret) => !NOT_TOLD.has(secret))
  if (needed.length > 0)
    say(
      /\bsecrets\./,
      `${name} needs the repository ${needed.length === 1 ? 'secret' : 'secrets'} ${needed.join(', ')}`,
      'dependency',
    )
  return notes
}

function commandsOf({ steps }: Record<string, unknown>): string[] {
  const runs = (Array.isArray(steps) ? steps : []).filter(isRecord).map(({ run }) => run)
  return runs.flatMap((run) => {
    if (typeof run !== 'string' || run.includes('${{')) return []
    const lines = run.split('\n').map((line) => line.trim())
    return lines
      .filter((line) => line !== '' && !line.startsWith('#') && !PREPARES.test(line) && line.length <= 80)
      .map((line) => shortCode(line))
  })
}

function servicesOf({ services }: Record<string, unknown>): string[] {
  if (!isRecord(services)) return []
  return Object.values(services).flatMap((service) =>
    isRecord(service) && typeof service.image === 'string' ? service.image : [],
  )
}

function versionsOf({ strategy }: Record<string, unknown>): [axis: string, values: string][] {
  const matrix = isRecord(strategy) && isRecord(strategy.matrix) ? strategy.matrix : {}
  return Object.entries(matrix).flatMap(([axis, values]): [string, string][] =>
    /version$|^(?:node|python|go|ruby|java)$/.test(axis) && Array.isArray(values) ? [[axis, values.join(', ')]] : [],
  )
}
