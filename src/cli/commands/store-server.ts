import { embedAhead, isServed } from '../../engine/embed-ahead.ts'
import { createLogger } from '../../observe/log.ts'
import { STARTED } from '../../remote/protocol.ts'
import { serveStore } from '../../remote/server.ts'
import { defineCommand } from '../command.ts'
import { openEngine, readConfig, spoolFoldersOf } from '../open-engine.ts'
import { writeJson } from '../output.ts'
import { shell } from '../shell.ts'

/** `nokosu store-server`: the process that holds the store for a run, a hook or an orchestrator. */
export const { configure } = defineCommand({
  help: '\nReads requests from standard input, one JSON value per line, and answers on standard output, until the input ends.',
  async run(options) {
    const config = await readConfig({ ...options, log: 'silent' })
    const { stdin, stdout } = shell()
    // If the caller has ended, everything is still stored before stopping.
    stdout.removeAllListeners('error')
    const open = () => openEngine(config, 'write')
    const log = createLogger('silent')
    await writeJson(`${JSON.stringify(STARTED)}\n`)
    await serveStore({
      ...{ input: stdin, output: stdout, open, spoolFolders: spoolFoldersOf(config) },
      ...(isServed(config.db) ? {} : { beside: (engine) => embedAhead(engine, log) }),
    })
  },
})
