import type { Command } from 'commander'
import { stopSignal } from '../interruption.ts'
import { type GlobalOptions, withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { showProgress } from '../progress.ts'

/** `nokosu reembed` */
export function configure(command: Command): void {
  command
    .addHelpText(
      'after',
      `
Gives every memory a vector of the configured model. Needed after the model has changed; may be stopped and run again.

Examples:
  nokosu reembed`,
    )
    .action(reembed)
}

async function reembed(_: unknown, command: Command): Promise<void> {
  const options = command.optsWithGlobals<GlobalOptions>()
  const progress = showProgress('Embedding')
  const signal = stopSignal()
  try {
    const { result, model } = await withEngine(options, 'write', async (engine) => ({
      result: await engine.reembed({ onProgress: progress.update, signal }),
      model: engine.embedding.name,
    }))
    progress.end()
    if (options.json) return await printJson(result)
    await printLine(
      result.embedded === 0
        ? `Every memory has its vector of ${model} already.`
        : `Gave ${countOf(result.embedded, 'memory', 'memories')} a vector of ${model}.`,
    )
  } catch (error) {
    progress.end()
    if (signal.aborted) note("Stopped. What was done is kept; 'nokosu reembed' goes on from there.")
    throw error
  }
}
