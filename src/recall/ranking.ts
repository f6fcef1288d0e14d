/**
 * How much each kind of evidence weighs. `eval/search` measures every ingredient with and without; the values were chosen on
 * one part of its data and are reported on another. 0 turns an ingredient off.
 */
export interface Ranking {
  /** What words are worth that answer a part of the question: they order what is found, and make no answer of it. */
  part: number
  /** What they are worth when they answer all of it; the share that is found is raised to `wholeness` first. */
  whole: number
  wholeness: number
  /** Information, in nats, that a question wants besides its words: "how large is the cache" is not answered by "cache". */
  open: number
  /** What a code, path or flag is worth that the question names and few memories hold. */
  sign: number
  /** The same where it is most of what the question says: "how do I fix E4017". */
  mainSign: number
  /** What it is worth that a memory says when it was, and the question names that time. */
  timely: number
  /** What words are worth in a thread, where lines mean little by themselves: as much of it as they answer. */
  threadWords: number
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
  /** What the one before lends besides when it asks: the next line answers it. */
  answeredWords: number
  answeredMeaning: number
  /** What the best of a thread lends to all of it. */
  threadBest: number
  /** What a short line of a thread loses, for each time that it is e times shorter than a sentence; and what a question loses. */
  brevity: number
  asking: number
}

export const RANKING: Ranking = {
  part: 0.5,
  whole: 0.9,
  wholeness: 10,
  open: 3,
  sign: 0.3,
  mainSign: 0.45,
  timely: 0.2,
  threadWords: 0.7,
  strongEvidence: 3,
  unseen: 0.5,
  commonName: 0.05,
  time: 10,
  writer: 3,
  lentWords: [0.85, 0.6, 0.45, 0.35],
  lentMeaning: [0, 0.05, 0.3, 0],
  answeredWords: 0.3,
  answeredMeaning: 0.2,
  threadBest: 0.5,
  brevity: 0.1,
  asking: 0.15,
}

/** How far away in a thread the lenders stand, in the order of the weights. */
export const LENDERS = [-1, -2, 1, 2] as const
