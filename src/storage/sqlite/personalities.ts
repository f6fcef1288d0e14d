import type { Personality } from '../../model/personality.ts'
import type { Connection } from './connection.ts'

interface PersonalityRow {
  agent_name: string
  display_name: string
  persona: string
  traits: string
  communication_style: string
  updated_at: string
}

function toPersonality(row: PersonalityRow): Personality {
  return {
    agentName: row.agent_name,
    displayName: row.display_name,
    persona: row.persona,
    traits: JSON.parse(row.traits) as string[],
    communicationStyle: row.communication_style,
    updatedAt: row.updated_at,
  }
}

const SELECT = 'SELECT agent_name, display_name, persona, traits, communication_style, updated_at FROM personalities'

export function putPersonality(connection: Connection, personality: Personality): void {
  connection.run(
    `INSERT INTO personalities (agent_name, display_name, persona, traits, communication_style, updated_at) VALUES (?, ?, ?, ?, ?, ?)
     ON CONFLICT (agent_name) DO UPDATE SET display_name = excluded.display_name, persona = excluded.persona,
       traits = excluded.traits, communication_style = excluded.communication_style, updated_at = excluded.updated_at`,
    personality.agentName,
    personality.displayName,
    personality.persona,
    JSON.stringify(personality.traits),
    personality.communicationStyle,
    personality.updatedAt,
  )
}

export function getPersonality(connection: Connection, agentName: string): Personality | null {
  return connection.map(toPersonality, `${SELECT} WHERE agent_name = ?`, agentName)[0] ?? null
}

export function listPersonalities(connection: Connection): Personality[] {
  return connection.map(toPersonality, `${SELECT} ORDER BY agent_name`)
}

export function deletePersonality(connection: Connection, agentName: string): void {
  connection.run('DELETE FROM personalities WHERE agent_name = ?', agentName)
}
