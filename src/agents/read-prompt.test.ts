import { describe, expect, it } from 'vitest'
import { captureMarkers } from '../capture/marker-scanner.ts'
import { recordingInstructions } from '../capture/recording-instructions.ts'
import { readPrompt, teachRecording } from './read-prompt.ts'

describe('every agent is taught', () => {
  it('at the place that the instructions have for it, once, and else at their end', async () => {
    const recording = recordingInstructions()
    expect(teachRecording('# SRE\n\n{{memory-recording}}\n\nBe kind.\n{{memory-recording}}')).toBe(
      `# SRE\n\n${recording}\n\nBe kind.\n`,
    )
    expect(teachRecording('# SRE\n\nBe kind.\n')).toBe(`# SRE\n\nBe kind.\n\n${recording}\n`)
    expect(teachRecording('')).toBe(`${recording}\n`)
  })

  it('but not twice', async () => {
    const role = await readPrompt('roles', 'coder.md')
    expect(teachRecording(role)).toBe(role)
    const tier = await readPrompt('tiers', 'tier1-observe.md')
    expect(teachRecording('', ['claude', '-p', tier])).toBe('')
  })
})

it('the section says what is worth a line without taking it back, and none of its examples is captured', async () => {
  const recording = recordingInstructions()
  expect(recording).toContain('(confirms: ')
  expect(recording).not.toContain('already told')
  expect(captureMarkers(recording).candidates).toEqual([])
})
