import { invalidInput } from '../model/errors.ts'
import { readPrompt } from './read-prompt.ts'

export const ROLES = ['architect', 'coder', 'reviewer', 'tester'] as const
export type Role = (typeof ROLES)[number]

const USUAL_ROLES = new Map<string, Role>([
  ['miso', 'architect'],
  ['nori', 'coder'],
  ['koji', 'reviewer'],
  ['toro', 'tester'],
])

export function isRole(name: string): name is Role {
  return (ROLES as readonly string[]).includes(name)
}

/** An agent's default role; null for an unknown agent. */
export function usualRole(agentName: string): Role | null {
  return USUAL_ROLES.get(agentName) ?? null
}

/** The instructions of a role, with their section on recording. An unknown role is INVALID_INPUT. */
export async function readRolePrompt(role: string): Promise<string> {
  if (!isRole(role)) {
    throw invalidInput('role', `Invalid role: use one of ${ROLES.join(', ')}.`, { roles: ROLES })
  }
  return readPrompt('roles', `${role}.md`)
}
