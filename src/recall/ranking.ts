/**
 * The weight of each kind of evidence. `eval/search` measures every ingredient with and without; the values were chosen
 * on one part of its data and are reported on another. 0 turns an ingredient off.
 */
export interface Ranking {
  /**
   * The weight of words that answer part of the question: they affect the order, but do not make a result an answer.
   */
  part: number
  /** The weight of words that answer all of it; the share found is first raised to `wholeness`. */
  whole: number
  wholeness: number
  /** Information, in nats, that a question needs beyond its words: "cache" does not answer "how large is the cache". */
  open: number
  /** The weight of a code, path or flag in the question that few memories contain. */
  sign: number
  /** The same if it is most of the question: "how do I fix E4017". */
  mainSign: number
  /** The bonus if a memory states a time that the question names. */
  timely: number
  /** The weight of words in a thread, where single lines mean little: proportional to the share they answer. */
  threadWords: number
  /** Information, in nats, above which a match counts as strong evidence. */
  strongEvidence: number
  /** How much the words of a long memory count less, for each factor of e that it is longer than a paragraph: it has many words by chance. */
  length: number
  /** The weight of a word that no memory contains: it may be the reader's own. */
  unseen: number
  /** A name in this share of the scope is dropped from the meaning of the question. */
  commonName: number
  /** The bonus in meaning if a memory holds the kind of answer the question wants (a duration, a time, a number); else a penalty. */
  askedKind: number
  /** The penalty in meaning for a memory of another service than the question names. */
  otherService: number
  /** The factor for a memory about a sibling of the code the question names. */
  sibling: number
  /** Information in a named time, and in a named writer or service. */
  time: number
  writer: number
  /**
   * What the previous line, the one before it, the next line and the one after lend: of their words, and of their
   * meaning.
   */
  lentWords: readonly [number, number, number, number]
  lentMeaning: readonly [number, number, number, number]
  /** What the previous line lends in addition if it is a question: the next line answers it. */
  answeredWords: number
  answeredMeaning: number
  /** What the best line of a thread lends to all others. */
  threadBest: number
  /**
   * The penalty of a short line in a thread, per factor of e that it is shorter than a sentence; and the penalty of a question.
   */
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
  length: 0.5,
  unseen: 0.5,
  commonName: 0.05,
  askedKind: 0.07,
  otherService: 0.07,
  sibling: 0.69,
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

/** The offsets of the lending lines in a thread, in the order of the weights. */
export const LENDERS = [-1, -2, 1, 2] as const
