import { execFileSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openMemory } from '../../src/engine/open-memory.ts'
import type { ProjectMemory } from '../moments/read-project.ts'
import type { FleetTask } from './tasks.ts'

const NOKOSU = join(import.meta.dirname, '..', '..', 'bin', 'nokosu.mjs')

/** An agent without hooks: it reads its memory at start, and asks before it acts and after a failure. */
const ASKING = `
printf '%s\\n' "$NOKOSU_CONTEXT"
"$0" "$1" recall --prompt "$2"
"$0" "$1" recall --tool Bash --input "$3"
if [ -n "$4" ]; then "$0" "$1" recall --tool Bash --input "$3" --error "$4"; fi`

/** Number of tasks in which one agent's marker reaches another agent's run, through `nokosu run` itself. */
export async function runTasks(
  tasks: readonly FleetTask[],
  others: readonly Omit<ProjectMemory, 'id'>[],
): Promise<number> {
  const folder = mkdtempSync(join(tmpdir(), 'nokosu-fleet-'))
  const env = { ...process.env, HOME: folder, NOKOSU_DB: join(folder, 'memory.db'), NOKOSU_PROJECT: 'fleet' }
  const nokosu = (agent: string, command: readonly string[]) =>
    execFileSync(process.execPath, [NOKOSU, 'run', '--agent', agent, '--extract', 'off', '--', ...command], {
      cwd: folder,
      env,
      encoding: 'utf8',
      stdio: ['ignore', 'pipe', 'ignore'],
    })
  try {
    const memory = await openMemory({ storage: `sqlite:${env.NOKOSU_DB}` })
    await memory.as({ projectId: 'fleet' }).bulkAdd([...others], { exact: true })
    await memory.shutdown()
    let met = 0
    for (const { fact, category, service, prompt, command, error = '' } of tasks) {
      const marker = `[MEMORY:${[category, service].filter((part) => part !== null).join(':')}] ${fact}`
      nokosu('nori', ['printf', '%s\\n', marker])
      const seen = nokosu('koji', ['sh', '-c', ASKING, process.execPath, NOKOSU, prompt, command, error])
      met += Number(seen.includes(fact))
    }
    return met
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}
