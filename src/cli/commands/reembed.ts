import { defineCommand } from '../command.ts'
import { stopSignal } from '../interruption.ts'
import { withEngine } from '../open-engine.ts'
import { countOf, note, printJson, printLine } from '../output.ts'
import { showProgress } from '../progress.ts'

export const { configure } = defineCommand({
  help: `
Computes a vector of the configured model for every memory that has none. Run it after changing the model. It can be stopped
and run again.

Examples:
  nokosu reembed`,
  async run(options) {
    const progress = showProgress('Embedding')
    const signal = stopSignal()
    try {
      const { result, model } = await withEngine(options, 'change', async (engine) => ({
        result: await engine.reembed({ onProgress: progress.update, signal }),
        model: engine.embedding.name,
      }))
      progress.end()
      if (options.json) return await printJson(result)
      await printLine(
        result.embedded === 0
          ? `Every memory already has a vector of ${model}.`
          : `Computed vectors of ${model} for ${countOf(result.embedded, 'memory', 'memories')}.`,
      )
    } catch (error) {
      progress.end()
      if (signal.aborted) note("Stopped. Run 'nokosu reembed' again to continue.")
      throw error
    }
  },
})
