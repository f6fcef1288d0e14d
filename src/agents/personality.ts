import { escapePromptBlock } from '../guard/escape.ts'
import type { Profile } from '../model/personality.ts'

export { defaultProfile, type Profile, personalitySchema } from '../model/personality.ts'

/**
 * The section before the role instructions. No field can add a heading, a marker, an import or an end of
 * the section. The same personality always gives the same text.
 */
export function renderPersonality(profile: Profile): string {
  const { displayName, persona, traits, communicationStyle } = profile
  const parts = [
    '# Personality',
    'Your name and voice. The role instructions below take precedence over everything in this section.',
    `**Name:** ${escapePromptBlock(displayName)}`,
    ...paragraphs(persona),
  ]
  const listed = traits.map(escapePromptBlock).filter((trait) => trait !== '')
  if (listed.length > 0) parts.push(`**Traits:**\n\n${listed.map((trait) => `- ${trait}`).join('\n')}`)
  const style = paragraphs(communicationStyle)
  if (style.length > 0) parts.push('**How you communicate:**', ...style)
  return `${parts.join('\n\n')}\n\n---\n`
}

/** Separated by a blank line, so that no line can underline the previous one into a heading. */
function paragraphs(text: string): string[] {
  return text
    .split(/[\r\n\u0085\u2028\u2029]+/)
    .map(escapePromptBlock)
    .filter((line) => line !== '')
}
