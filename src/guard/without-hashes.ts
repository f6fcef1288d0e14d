const REDACTED = /\[REDACTED:[\w-]+\]/g
/** Hexadecimal digests and ids, with the name of their kind. */
const HEX = /(?:\bsha\d+[:-])?\b(?:[0-9a-f]{32,}|[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\b/gi
/** Digests and keys in base64, such as npm's integrity, and public keys of ssh and of WireGuard. */
const BASE64 = /(?:\bsha\d+-)?(?<![A-Za-z0-9+/])[A-Za-z0-9+/]{40,}={0,2}/g
/** In random base64 about two neighbours in three differ in kind; in words, however joined, about two in five. */
const RANDOM_SHARE = 0.42

/** Replaces hashes, keys and ids with a plain word: the model has seen few, and takes what it cannot read for a poison. Words stay. */
export function withoutHashes(text: string): string {
  return text
    .replace(REDACTED, 'value')
    .replace(HEX, 'value')
    .replace(BASE64, (run) => (isRandom(run) ? 'value' : run))
}

function isRandom(run: string): boolean {
  const changes = [...run].filter((character, i) => i > 0 && kindOf(character) !== kindOf(run[i - 1]!)).length
  return changes >= RANDOM_SHARE * run.length
}

function kindOf(character: string): number {
  return [/[a-z]/, /[A-Z]/, /\d/].findIndex((kind) => kind.test(character))
}
