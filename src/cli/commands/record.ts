import { type WorkflowEventInput, workflowEventSchema } from '../../capture/workflow-event.ts'
import { invalidInput } from '../../model/errors.ts'
import { isRecord, parseJson } from '../../text/json.ts'
import { withoutUndefined } from '../../text/without-undefined.ts'
import { defineCommand } from '../command.ts'
import { isHeld, noteHeld } from '../format-outcome.ts'
import { type KnownProject, readOwner } from '../identifiers.ts'
import { readInput } from '../input.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, printJson } from '../output.ts'

const EXAMPLE = `echo '{"type": "rejection", "taskId": "T7", "cycle": 2, "notes": "The retry has no limit"}' | nokosu record`

const EVENTS = workflowEventSchema.options.map(({ shape }) => shape.type.value).join(', ')

export const { configure } = defineCommand({
  arguments: [['[file]', 'the event as JSON (default: standard input)']],
  options: {
    '--session <id>': 'the run that it comes from',
    '--project <id>': 'the project, if the event names none (default: the folder’s)',
  },
  help: `
Stores the memories worth keeping from a workflow event. Events are ${EVENTS}. The memories
belong to the task, section or project that the event names, whichever is nearest; without a projectId it is the project of the folder.

Examples:
  ${EXAMPLE}`,
  async run(options, file = '-') {
    const { session } = options
    const parsed = parseJson(await readInput(file))
    if (!parsed.ok)
      throw invalidInput('event', 'Invalid event: it is not JSON.', { hint: `For example:\n  ${EXAMPLE}` })
    const given = parsed.value
    // The engine validates the input; only the current project may be filled in.
    const toEvent = ({ project }: KnownProject) => {
      if (!isRecord(given) || given.projectId !== undefined) return given as WorkflowEventInput
      return { ...given, projectId: readOwner({}, { project }).projectId } as WorkflowEventInput
    }
    const result = await withEngine(
      options,
      'write',
      (engine, config) => engine.record(toEvent(config), withoutUndefined({ session })),
      toEvent,
    )
    if (options.json) return printJson(result)
    for (const { reason } of result.refusals) note(reason)
    note(`${countOf(result.outcomes.length, 'memory', 'memories')} stored.`)
    noteHeld(result.outcomes.filter(isHeld).length)
  },
})
