import { Writable } from 'node:stream'
import { StringDecoder } from 'node:string_decoder'
import { MARKER_PATTERN } from '../../capture/markers.ts'

export interface Step {
  command: string
  output: string
  ok: boolean
}

export interface Watcher {
  onSay(text: string): void
  onStep(step: Step, number: number): void
}

type Block =
  | { type: 'text'; text: string }
  | { type: 'tool_use'; input: { command: string } }
  | { type: 'tool_result'; content: string; is_error: boolean }

/** Reads the agent's stream-json while it runs, for display only. It does not decide what is stored. */
export class AgentView extends Writable {
  readonly steps: Step[] = []
  readonly planted: string[] = []
  readonly #watcher: Watcher
  readonly #decoder = new StringDecoder('utf8')
  #rest = ''
  #command = ''

  constructor(watcher: Watcher) {
    super()
    this.#watcher = watcher
  }

  override _write(chunk: Buffer, _: BufferEncoding, done: () => void): void {
    const lines = (this.#rest + this.#decoder.write(chunk)).split('\n')
    this.#rest = lines.pop()!
    for (const line of lines) {
      const event: { message?: { content: Block[] } } = JSON.parse(line)
      for (const block of event.message?.content ?? []) this.#take(block)
    }
    done()
  }

  #take(block: Block): void {
    if (block.type === 'text') this.#watcher.onSay(block.text)
    else if (block.type === 'tool_use') this.#command = block.input.command
    else {
      const step = { command: this.#command, output: block.content, ok: !block.is_error }
      this.steps.push(step)
      for (const line of step.output.split('\n')) {
        const marker = MARKER_PATTERN.exec(line)?.[3]
        if (marker !== undefined) this.planted.push(marker)
      }
      this.#watcher.onStep(step, this.steps.length)
    }
  }
}
