import { readFile } from 'node:fs/promises'
import { resolve } from 'node:path'
import type { Command } from 'commander'
import type { WorkflowEventInput } from '../../capture/workflow-events.ts'
import { MemoryError } from '../../model/errors.ts'
import { isRecord, parseJson } from '../../text/json.ts'
import { isHeld, noteHeld } from '../held.ts'
import { type KnownProject, readOwner } from '../identifiers.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, printJson } from '../output.ts'
import { readText } from '../read-text.ts'
import { shell } from '../shell.ts'

interface Options extends GlobalOptions {
  session?: string
}

const EXAMPLE = `echo '{"type": "rejection", "taskId": "T7", "cycle": 2, "notes": "The retry has no limit"}' | nokosu record`

/** `nokosu record` */
export function configure(command: Command): void {
  command
    .argument('[file]', 'the event as JSON (default: standard input)')
    .option('--session <id>', 'the run that it comes from')
    .option('--project <id>', 'the project, where the event names none (default: that of the folder)')
    .addHelpText(
      'after',
      `
Stores the memories that a workflow event is worth. Events are submission, commit, rejection, approval, follow_up, decision, wont_fix,
dispute and hint. The memories belong to the task, section or project that the event names, whichever is nearest; without a
projectId the project is that of the folder.

Examples:
  ${EXAMPLE}`,
    )
    .action(record)
}

async function record(file: string | undefined, _: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<Options>()
  const { session } = options
  const parsed = parseJson(
    file === undefined ? await readText('-') : await readFile(resolve(shell().cwd, file), 'utf8'),
  )
  if (!parsed.ok)
    throw new MemoryError('INVALID_INPUT', 'Invalid event: it is not JSON.', {
      details: { field: 'event', hint: `Such as:\n  ${EXAMPLE}` },
    })
  const given = parsed.value
  // The engine itself checks what it is given; only the project around may be left out.
  const toEvent = ({ project }: KnownProject) => {
    if (!isRecord(given) || given.projectId !== undefined) return given as WorkflowEventInput
    return { ...given, projectId: readOwner({}, { project }).projectId } as WorkflowEventInput
  }
  const result = await withEngine(
    options,
    'write',
    (engine, config) => engine.record(toEvent(config), session === undefined ? {} : { session }),
    toEvent,
  )
  if (options.json) return printJson(result)
  for (const { reason } of result.refusals) note(reason)
  note(`${countOf(result.outcomes.length, 'memory', 'memories')} kept.`)
  noteHeld(result.outcomes.filter(isHeld).length)
}
