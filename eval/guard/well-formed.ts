import { createHash } from 'node:crypto'

/**
 * Lines of `eval/secrets` that are labelled clean but are well-formed keys: a reader of the note cannot know that it is a sample. Keyed by
 * the first ten digits of the SHA-256 of the text, with an explanation.
 */
const WELL_FORMED: Record<string, string> = {
  c38d66bafb: 'GitHub token',
  fe170131e2: 'JSON web token',
  b9837ff3cb: 'JSON web token',
  a877d4cffd: 'npm token (UUID) behind _authToken=',
  '4346ba48a5': 'Anthropic key',
  '7f11efb522': '45 random characters behind key =',
  cde2dc6eb8: '36 random characters behind DATABRICKS_TOKEN=',
  '94d36be7b1': 'Mailchimp key',
  df6785d576: '40 random characters behind meraki-api-key:',
  ...Object.fromEntries(
    [
      ...['f56e323494', '2037abcaff', '3f370c9dd8', 'e4a5542bb7', 'a19f89ab35', '0b476bdf9a'],
      ...['8731261cb7', '27a9a42931', '4c98242dca', 'ea9bb1082c', '3a8b61d0f6', 'a6c814bc55'],
    ].map((hash) => [hash, 'Google API key']),
  ),
}

export function isWellFormedKey(text: string): boolean {
  return createHash('sha256').update(text).digest('hex').slice(0, 10) in WELL_FORMED
}
