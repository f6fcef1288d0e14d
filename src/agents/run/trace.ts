const RUN_STEPS = {
  '1': 'bootstrap workspace',
  '2': 'role instructions',
  '2b': 'personality',
  '2c': 'memories',
  '3': 'git identity',
  '4': 'prompt',
  '5': 'invoke',
  '6': 'push',
  '6b': 'extract',
  '7': 'exit code',
} as const

type RunStep = keyof typeof RUN_STEPS
export type Trace = (step: RunStep, detail: string) => void

/** One line per step: when it finished, time since the start, its name and what it did. */
export function createTrace(write: (line: string) => void): Trace {
  const start = performance.now()
  return (step, detail) => {
    const passed = `+${((performance.now() - start) / 1000).toFixed(3)}s`
    write(`nokosu: ${new Date().toISOString()} ${passed} ${step.padEnd(2)} ${RUN_STEPS[step]}: ${detail}`)
  }
}
