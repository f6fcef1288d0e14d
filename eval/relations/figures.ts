import type { Relation } from '../../src/lifecycle/relate/relate.ts'
import { type Figure, ratio } from '../interval.ts'

export interface Called {
  truth: Relation
  called: Relation
}

export const TITLES = {
  accuracy: 'accuracy',
  contradictionPrecision: 'contr. prec.',
  contradictionRecall: 'contr. recall',
  samePrecision: 'same prec.',
  sameRecall: 'same recall',
  neutralContradicted: 'neutral->contr.',
} as const
export type FigureName = keyof typeof TITLES

/** Each as a ratio over the pairs, with its interval. */
export function figuresOf(all: readonly Called[]): Record<FigureName, Figure> {
  const figure = (name: FigureName, counts: (one: Called) => boolean, right: (one: Called) => boolean) =>
    ratio(
      TITLES[name],
      all.map((one) => [Number(counts(one) && right(one)), Number(counts(one))] as const),
    )
  const isRight = ({ truth, called }: Called) => truth === called
  const calledAs = (relation: Relation) => (one: Called) => one.called === relation
  const is = (relation: Relation) => (one: Called) => one.truth === relation
  return {
    accuracy: figure('accuracy', () => true, isRight),
    contradictionPrecision: figure('contradictionPrecision', calledAs('contradicts'), isRight),
    contradictionRecall: figure('contradictionRecall', is('contradicts'), isRight),
    samePrecision: figure('samePrecision', calledAs('same'), isRight),
    sameRecall: figure('sameRecall', is('same'), isRight),
    neutralContradicted: figure('neutralContradicted', is('other'), calledAs('contradicts')),
  }
}
