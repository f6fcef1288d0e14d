export interface GitIdentity {
  name: string
  email: string
}

/** `Nori (coder)`: the author of an agent's commits. Git allows no angle brackets or line breaks in a name. */
export function gitIdentity(agent: string, displayName: string | null, role: string | null): GitIdentity {
  const shown = clean(displayName ?? '') || clean(agent) || 'agent'
  const local =
    agent
      .toLowerCase()
      .replace(/[^a-z0-9._-]+/g, '-')
      .replace(/^[-.]+|[-.]+$/g, '') || 'agent'
  return {
    name: role === null || clean(role) === '' ? shown : `${shown} (${clean(role)})`,
    email: `${local}@nokosu.invalid`,
  }
}

/**
 * The environment that gives a process this identity. Nothing is written to the repository's configuration, so nothing
 * remains. An email address set by the caller is kept, because hosts identify accounts by it.
 */
export function gitIdentityEnvironment(
  { name, email }: GitIdentity,
  env: Readonly<Record<string, string | undefined>>,
): Record<string, string> {
  return {
    GIT_AUTHOR_NAME: name,
    GIT_AUTHOR_EMAIL: env.GIT_AUTHOR_EMAIL || email,
    GIT_COMMITTER_NAME: name,
    GIT_COMMITTER_EMAIL: env.GIT_COMMITTER_EMAIL || email,
  }
}

function clean(text: string): string {
  return text
    .replace(/[\p{Cc}\p{Cf}<>]+/gu, ' ')
    .replace(/\s+/g, ' ')
    .trim()
}
