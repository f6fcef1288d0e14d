import { weakensGuard } from '../guard/detect-poison.ts'
import { redactSecrets } from '../guard/redact-secrets.ts'
import { invalidInput } from '../model/errors.ts'
import type { Personality } from '../model/personality.ts'

type Texts = Omit<Personality, 'updatedAt'>

/**
 * A personality is shown whole and first, so it is the best place for a poison. It may give orders, which is its purpose. Text
 * that would make its agent weaken a check, fetch and run, or hide or leak something needs confirmation: `asIs`.
 */
export function guardPersonality(
  { agentName, displayName, persona, traits, communicationStyle }: Texts,
  asIs: boolean,
): Texts {
  const clean = (text: string) => redactSecrets(text).text
  const fields: [string, string][] = [
    ['displayName', displayName],
    ['persona', persona],
    ...traits.map((trait): [string, string] => ['traits', trait]),
    ['communicationStyle', communicationStyle],
  ]
  for (const [field, text] of asIs ? [] : fields) {
    const reasons = weakensGuard(text)
    if (reasons.length === 0) continue
    throw invalidInput(field, `Invalid ${field}: it ${reasons.join('; it ')}.`, {
      reasons,
      hint: "To store it anyway: 'nokosu personality set ... --as-is'.",
    })
  }
  return {
    agentName,
    displayName: clean(displayName),
    persona: clean(persona),
    traits: traits.map(clean),
    communicationStyle: clean(communicationStyle),
  }
}
