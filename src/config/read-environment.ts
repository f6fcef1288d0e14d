import { configurationError } from './configuration-error.ts'

export type Environment = Readonly<Record<string, string | undefined>>

export interface EnvironmentSetting {
  variable: string
  key: 'db' | 'log' | 'project' | 'embedding' | 'budget'
  value: unknown
}

/** Reads the variables that are set. An empty or blank variable counts as absent. */
export function readEnvironment(env: Environment): EnvironmentSetting[] {
  const settings: EnvironmentSetting[] = []
  const read = (variable: string, key: EnvironmentSetting['key'], convert: (text: string) => unknown) => {
    const text = env[variable]
    if (text !== undefined && text.trim() !== '') settings.push({ variable, key, value: convert(text) })
  }
  read('NOKOSU_DB', 'db', (text) => text)
  read('NOKOSU_LOG', 'log', (text) => text)
  read('NOKOSU_PROJECT', 'project', (text) => text.trim())
  read('NOKOSU_EMBEDDING', 'embedding', (text) => toEmbedding(text, env.NOKOSU_EMBEDDING_KEY))
  // Both names are supported. The later one, ours, wins.
  for (const variable of ['CLAUDEOPS_MEMORY_BUDGET', 'NOKOSU_MEMORY_BUDGET']) {
    read(variable, 'budget', (text) => (/^\s*\d+\s*$/.test(text) ? Number(text) : text))
  }
  return settings
}

/** `local`, `hashing`, or an endpoint with its model: `https://host/v1?model=NAME&dimensions=384`. */
function toEmbedding(text: string, apiKey: string | undefined): unknown {
  if (!/^https?:\/\//.test(text)) return { kind: text }
  if (!URL.canParse(text)) throw configurationError('NOKOSU_EMBEDDING', 'embedding', `is not an address: ${text}`)
  const url = new URL(text)
  const model = url.searchParams.get('model')
  const dimensions = url.searchParams.get('dimensions')
  if (model === null || dimensions === null) {
    throw configurationError(
      'NOKOSU_EMBEDDING',
      'embedding',
      'needs the model and its dimensions, as in https://host/v1?model=NAME&dimensions=384',
    )
  }
  url.searchParams.delete('model')
  url.searchParams.delete('dimensions')
  return { kind: 'http', url: url.href, model, dimensions: Number(dimensions), ...(apiKey ? { apiKey } : {}) }
}
