/** Gradient-boosted trees for a yes or no, small enough to be trained here in seconds and shipped as a table. */

/** A complete tree: `feature` and `from` of each inner node, level by level (values >= `from` go right), and `leaves`. */
export interface Tree {
  feature: number[]
  from: number[]
  leaves: number[]
}

export interface Forest {
  base: number
  trees: Tree[]
}

export interface Row {
  values: readonly number[]
  label: 0 | 1
  weight: number
}

export interface BoostOptions {
  trees: number
  depth: number
  rate: number
  /** Minimum weight (of the second derivative) on each side of a split, and the regularisation added to it. */
  least: number
  ridge: number
  /** Shares of rows and features used for each tree. */
  rows: number
  features: number
  seed: number
}

const BINS = 40

export function boost(rows: readonly Row[], options: BoostOptions): Forest {
  const { depth, rate, least, ridge } = options
  const random = seeded(options.seed)
  const width = rows[0]!.values.length
  const cuts = Array.from({ length: width }, (_, f) => cutsOf(rows, f))
  const bins = cuts.map((own, f) => Uint8Array.from(rows, ({ values }) => binOf(values[f]!, own)))
  const total = rows.reduce((sum, { weight }) => sum + weight, 0)
  const yes = rows.reduce((sum, { weight, label }) => sum + weight * label, 0)
  const base = Math.log(yes / (total - yes))
  const scores = new Float64Array(rows.length).fill(base)
  const slope = new Float64Array(rows.length)
  const curve = new Float64Array(rows.length)
  const node = new Int32Array(rows.length)
  const inner = (1 << depth) - 1
  const trees: Tree[] = []
  for (let t = 0; t < options.trees; t++) {
    const used: number[] = []
    rows.forEach(({ label, weight }, i) => {
      const p = 1 / (1 + Math.exp(-scores[i]!))
      slope[i] = weight * (p - label)
      curve[i] = weight * p * (1 - p)
      node[i] = 0
      if (random() < options.rows) used.push(i)
    })
    const chosen = cuts.map((_, f) => f).filter(() => random() < options.features)
    const tree: Tree = { feature: [], from: [], leaves: [] }
    for (let level = 0; level < depth; level++) {
      const first = (1 << level) - 1
      const splits = bestSplits(1 << level, first)
      for (const split of splits) {
        tree.feature.push(split?.feature ?? -1)
        tree.from.push(split === null ? 0 : cuts[split.feature]![split.bin]!)
      }
      for (let i = 0; i < rows.length; i++) {
        const split = splits[node[i]! - first]!
        node[i] = 2 * node[i]! + 1 + Number(split !== null && bins[split.feature]![i]! > split.bin)
      }
    }
    const sums = Array.from({ length: 1 << depth }, () => [0, ridge] as [number, number])
    for (const i of used) {
      const sum = sums[node[i]! - inner]!
      sum[0] += slope[i]!
      sum[1] += curve[i]!
    }
    tree.leaves = sums.map(([up, down]) => (-rate * up) / down)
    for (let i = 0; i < rows.length; i++) scores[i]! += tree.leaves[node[i]! - inner]!
    trees.push(tree)

    function bestSplits(count: number, first: number): ({ feature: number; bin: number } | null)[] {
      const best = Array.from({ length: count }, () => ({
        gain: 1e-6,
        split: null as { feature: number; bin: number } | null,
      }))
      for (const feature of chosen) {
        const own = bins[feature]!
        const size = cuts[feature]!.length + 1
        const up = new Float64Array(count * size)
        const down = new Float64Array(count * size)
        for (const i of used) {
          const at = (node[i]! - first) * size + own[i]!
          up[at]! += slope[i]!
          down[at]! += curve[i]!
        }
        for (let n = 0; n < count; n++) {
          const [allUp, allDown] = [totalOf(up, n, size), totalOf(down, n, size)]
          let [left, leftDown] = [0, 0]
          for (let bin = 0; bin < size - 1; bin++) {
            left += up[n * size + bin]!
            leftDown += down[n * size + bin]!
            const [right, rightDown] = [allUp - left, allDown - leftDown]
            if (leftDown < least || rightDown < least) continue
            const gain =
              left ** 2 / (leftDown + ridge) + right ** 2 / (rightDown + ridge) - allUp ** 2 / (allDown + ridge)
            if (gain > best[n]!.gain) best[n] = { gain, split: { feature, bin } }
          }
        }
      }
      return best.map(({ split }) => split)
    }
  }
  return { base, trees }
}

export function predict({ base, trees }: Forest, values: readonly number[]): number {
  let score = base
  for (const { feature, from, leaves } of trees) {
    let at = 0
    while (at < feature.length) at = 2 * at + 1 + Number(feature[at]! >= 0 && values[feature[at]!]! >= from[at]!)
    score += leaves[at - feature.length]!
  }
  return score
}

function totalOf(sums: Float64Array, node: number, size: number): number {
  let sum = 0
  for (let bin = 0; bin < size; bin++) sum += sums[node * size + bin]!
  return sum
}

/** Values that split the rows into bins of about equal size. */
function cutsOf(rows: readonly Row[], feature: number): number[] {
  const values = rows.map((row) => Math.fround(row.values[feature]!)).sort((a, b) => a - b)
  const cuts: number[] = []
  for (let bin = 1; bin < BINS; bin++) {
    // Four digits are enough, and make the table small.
    const cut = Number(values[Math.floor((bin * values.length) / BINS)]!.toPrecision(4))
    if (cut > values[0]! && (cuts.length === 0 || cut > cuts.at(-1)!)) cuts.push(cut)
  }
  return cuts
}

function binOf(value: number, cuts: readonly number[]): number {
  let [low, high] = [0, cuts.length]
  while (low < high) {
    const middle = (low + high) >> 1
    if (value >= cuts[middle]!) low = middle + 1
    else high = middle
  }
  return low
}

function seeded(seed: number): () => number {
  let state = seed
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}
