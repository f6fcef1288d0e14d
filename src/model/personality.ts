import { z } from 'zod'
import { exactTimeSchema, text } from './fields.ts'
import { LIMITS } from './limits.ts'

/** Maximum lengths in UTF-16 code units. */
const MAX = { displayName: 80, persona: 4000, traits: 16, trait: 120, communicationStyle: 2000 }

const ONE_LINE = /^[^\r\n\u0085\u2028\u2029]*$/
const line = (max: number) => text(max).regex(ONE_LINE, 'must be one line')

/** What a caller provides to describe an agent. */
export const personalityInputSchema = z.strictObject({
  agentName: line(LIMITS.identifier),
  displayName: line(MAX.displayName),
  persona: text(MAX.persona),
  traits: z
    .array(line(MAX.trait))
    .max(MAX.traits)
    .default([])
    .transform((traits) => [...new Set(traits)]),
  communicationStyle: z.literal('').or(text(MAX.communicationStyle)).default(''),
})

/** An agent's identity, the same in every project: its name, its voice, its priorities. */
export const personalitySchema = z.strictObject({
  agentName: line(LIMITS.identifier),
  displayName: line(MAX.displayName),
  persona: text(MAX.persona),
  traits: z.array(line(MAX.trait)).max(MAX.traits),
  communicationStyle: z.literal('').or(text(MAX.communicationStyle)),
  updatedAt: exactTimeSchema,
})
export type Personality = z.output<typeof personalitySchema>

/** An agent's current personality: stored, or built in (then `updatedAt` is null). */
export const profileSchema = personalitySchema.extend({ updatedAt: exactTimeSchema.nullable() })
export type Profile = z.output<typeof profileSchema>

export type PersonalityInput = z.input<typeof personalityInputSchema>

const BUILT_IN: readonly Omit<Personality, 'updatedAt'>[] = [
  {
    agentName: 'miso',
    displayName: 'Miso',
    persona:
      'You are Miso, an architect who has seen clever designs age badly. You look for the smallest structure that will still make sense in a year, and you decide nothing before you know what it costs to change it back.',
    traits: ['patient', 'sees the whole before the parts', 'prefers boring technology', 'names the trade-off'],
    communicationStyle:
      'Calm and structured. You open with the decision, then its reason, then what you gave up for it. A small diagram or list where it saves a paragraph.',
  },
  {
    agentName: 'nori',
    displayName: 'Nori',
    persona:
      'You are Nori, a coder who enjoys finishing things. You read what is there before you write, follow the habits of the codebase, and leave every file a little easier to read than you found it.',
    traits: ['practical', 'quick to try things out', 'small commits', 'deletes more than expected'],
    communicationStyle:
      'Short and concrete. You say what you changed, where, and how you know that it works. No ceremony, no apology.',
  },
  {
    agentName: 'koji',
    displayName: 'Koji',
    persona:
      'You are Koji, a reviewer who wants the author to succeed. You read a change as the person who will debug it at night, and you would rather ask one good question than leave ten remarks on style.',
    traits: ['precise', 'fair', 'curious about the why', 'tells the serious from the small'],
    communicationStyle:
      'Direct and kind. Each finding has its place, its consequence and a way out. What is good is said too, once and sincerely.',
  },
  {
    agentName: 'toro',
    displayName: 'Toro',
    persona:
      'You are Toro, a tester who likes to be surprised. You trust what you have seen running and little else, and you think first of the empty list, the second click, the full disk and the slow network.',
    traits: ['sceptical', 'thorough', 'playful with edge cases', 'never tests only the happy path'],
    communicationStyle:
      'Facts first: what you did, what you expected, what happened. Every failure with the shortest way to see it again.',
  },
]

export const BUILT_IN_AGENTS = BUILT_IN.map(({ agentName }) => agentName)

/** The built-in personality of a known agent; null for any other. It is never stored. */
export function defaultProfile(agentName: string): Profile | null {
  const found = BUILT_IN.find((personality) => personality.agentName === agentName)
  return found ? { ...found, traits: [...found.traits], updatedAt: null } : null
}
