import type { Personality } from '../../../model/personality.ts'
import type { Injection, Session, WorkflowEvent } from '../../../model/records.ts'
import { AT, idOf } from './writing.ts'

export function aSession(number: number, fields: Partial<Session> = {}): Session {
  return {
    id: `run-${number}`,
    agent: null,
    project: null,
    tier: null,
    role: null,
    startedAt: AT,
    endedAt: null,
    exitCode: null,
    outcome: null,
    ...fields,
  }
}

/** Memory 1, as `run-1` was shown it. */
export function showing(number: number, fields: Partial<Injection> = {}): Injection {
  const id = `showing-${number}`
  return { id, session: 'run-1', memory: idOf(1), position: 0, tokens: 7, format: 'file', at: AT, ...fields }
}

export function anEvent(number: number, fields: Partial<WorkflowEvent> = {}): WorkflowEvent {
  return {
    id: `event-${number}`,
    at: AT,
    type: 'submission',
    session: null,
    identifiers: { projectId: 'shop' },
    data: { number },
    ...fields,
  }
}

export function personality(agentName: string, fields: Partial<Personality> = {}): Personality {
  return {
    agentName,
    displayName: 'Nori the Second',
    persona: 'Writes code.\nSleeps well. 海苔',
    traits: ['calm', 'exact'],
    communicationStyle: 'Short.',
    updatedAt: AT,
    ...fields,
  }
}
