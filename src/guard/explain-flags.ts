/** Each says what a text does, without a subject. */
const REASONS: Record<string, string> = {
  approval: 'claims an approval or permission',
  weaken: 'asks to weaken or skip a check',
  'fetch-and-run': 'fetches something from elsewhere and runs or follows it',
  conceal: 'asks to hide something from people',
  exfiltrate: 'sends data to somebody else',
  override: 'claims to override the reader’s instructions',
  spread: 'asks to be copied, or to drop other memories',
  promote: 'asks for a recommendation or an answer in its favour',
  backdoor: 'opens access for others, or redirects money',
  destroy: 'destroys data',
  role: 'gives the reader another role',
  unbound: 'describes a reader without limits',
  model: 'addresses a language model',
  'prompt-leak': 'asks for the prompt',
  boundary: 'imitates another part of a prompt',
  authority: 'claims authority',
  run: 'gives the reader something to run',
  reply: 'dictates the reader’s answer',
  request: 'asks a favour in the first person',
  encoded: 'mentions encoded text',
  imported: 'was marked in the file that it came from',
  unreadable: 'could not be read',
  poison: 'reads as if planted to make a later agent cause harm',
  insist: 'insists (always, on every run, first of all)',
}

/** The guard's flags in words for the operator who decides. Flags of later versions are shown by name. */
export function explainFlags(flags: readonly string[]): string[] {
  return flags.map((flag) => (Object.hasOwn(REASONS, flag) ? REASONS[flag]! : flag))
}
