/** Each says what a text does, without a subject. */
const REASONS: Record<string, string> = {
  approval: 'claims an approval or permission',
  weaken: 'asks to weaken or skip a check',
  'fetch-and-run': 'fetches something from elsewhere and runs or follows it',
  conceal: 'asks to hide something from people',
  exfiltrate: 'sends data to somebody else',
  override: 'sets itself above the instructions of the reader',
  spread: 'wants to be copied on, or other memories to be dropped',
  promote: 'wants something recommended or answered in its favour',
  backdoor: 'opens a way in for others, or redirects money',
  destroy: 'destroys data',
  role: 'gives the reader another role',
  unbound: 'speaks of a reader without limits',
  model: 'speaks to a language model',
  'prompt-leak': 'asks for the prompt',
  boundary: 'imitates another part of a prompt',
  authority: 'claims authority',
  run: 'hands over something to run',
  reply: 'shapes the answer of the reader',
  request: 'asks a favour in the first person',
  encoded: 'speaks of encoded text',
  imported: 'was marked in the file that it came from',
  unreadable: 'could not be read',
  poison: 'reads like something that was planted to make a later agent do harm',
  insist: 'insists (always, on every run, first of all)',
}

/** The guard's flags in words for the operator who decides. Flags of later versions are shown by name. */
export function explainFlags(flags: readonly string[]): string[] {
  return flags.map((flag) => (Object.hasOwn(REASONS, flag) ? REASONS[flag]! : flag))
}
