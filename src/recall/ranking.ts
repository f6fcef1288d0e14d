/**
 * How much each kind of evidence weighs. `eval/search` measures every ingredient with and without; the values were chosen on
 * one part of its data and are reported on another. 0 turns an ingredient off.
 */
export interface Ranking {
  /** The most that words alone can convince. */
  words: number
  /** How much a half-answered question counts less than half: the share of it that is found is raised to this power. */
  coverage: number
  /** Information, in nats, from which a match counts as strong evidence. */
  strongEvidence: number
  /** What a word counts that no memory holds: it may be the reader's own way of saying it. */
  unseen: number
  /** A name that this share of the scope holds is left out of what the question means. */
  commonName: number
  /** Information in a time that the question names, and in the writer or the service that it names. */
  time: number
  writer: number
  /** What the one before, the one before that, the next and the one after lend: of their words, and of their meaning. */
  lentWords: readonly [number, number, number, number]
  lentMeaning: readonly [number, number, number, number]
  /** What a short line of a thread loses, for each time that it is e times shorter than a sentence; and what a question loses. */
  brevity: number
  asking: number
}

export const RANKING: Ranking = {
  words: 0.9,
  coverage: 1.5,
  strongEvidence: 3,
  unseen: 0.5,
  commonName: 0.05,
  time: 5,
  writer: 3,
  lentWords: [0.7, 0.45, 0.3, 0.2],
  lentMeaning: [0.2, 0.15, 0.4, 0],
  brevity: 0.1,
  asking: 0.15,
}

/** How far away in a thread the lenders stand, in the order of the weights. */
export const LENDERS = [-1, -2, 1, 2] as const
