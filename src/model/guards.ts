/**
 * Prefix of a tag that names what a memory guards: `guards:terraform apply`, `guards:db/migrations`,
 * `guards:mcp__jira__*`.
 */
export const GUARDS = 'guards:'
