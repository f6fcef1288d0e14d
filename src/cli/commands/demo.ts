import { setTimeout as sleep } from 'node:timers/promises'
import { MemoryError } from '../../model/errors.ts'
import { defineCommand } from '../command.ts'
import { performRun, type RunFacts } from '../demo/perform-run.ts'
import { openStage } from '../demo/stage.ts'
import { INTRODUCTION, tellDeeds, tellEnd, tellNext, tellSaid, tellStep, tellTitle } from '../demo/tell.ts'
import { stopSignal } from '../interruption.ts'
import { printJson, write } from '../output.ts'
import { shell } from '../shell.ts'

/** Milliseconds, on a terminal: for a turn of the agent, and for reading a block. */
const TURN_MS = 250
const READ_MS = 1200

export const { configure } = defineCommand({
  options: {
    '--fast': 'no pauses for reading',
    '--keep <folder>': 'keep the store in this new folder (default: a temporary one, removed at the end)',
  },
  help: `
A scripted agent learns in its first run, does better in the second, and finds in the third that something has changed. After
each run you see what Nokosu did. The demo needs no key and no network, and touches only its own folder.

Examples:
  nokosu demo
  nokosu demo --fast --keep nokosu-demo`,
  async run(options) {
    if (options.db !== undefined || options.config !== undefined) {
      throw new MemoryError('INVALID_INPUT', 'The demo uses its own store. Leave out --db and --config.')
    }
    const stop = stopSignal()
    const stage = openStage(options.keep)
    const { stdout } = shell()
    const paced = stdout.isTTY === true && !options.fast && !options.json
    const say = (text: string) => void (options.json ? null : write(`${text}\n`))
    let unread = false
    // If the output is closed, the current run still finishes, so that it leaves nothing behind.
    stdout.removeAllListeners('error').on('error', () => {
      unread = true
    })
    const pause = (ms: number) => sleep(paced ? ms : 0, undefined, { signal: stop })

    say(INTRODUCTION)
    const runs: RunFacts[] = []
    for (const run of [1, 2, 3]) {
      await pause(READ_MS)
      if (unread) return
      say(tellTitle(run))
      const facts = await performRun(stage, run, {
        pauseMs: paced ? TURN_MS : 0,
        onSay: (text) => say(tellSaid(text)),
        onStep: (step, number) => say(tellStep(step, number)),
      })
      await pause(READ_MS / 2)
      say(tellDeeds(facts))
      await pause(READ_MS)
      say(tellNext(facts.next))
      runs.push(facts)
    }
    if (options.json) return printJson({ runs, kept: stage.kept ? stage.folder : null })
    await pause(READ_MS)
    say(tellEnd(runs, options.keep))
  },
})
