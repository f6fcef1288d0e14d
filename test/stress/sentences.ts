const WORDS = (
  'amber basil cedar delta ember fjord grove harbor indigo jasper kelp lagoon maple nectar ocean pepper quartz river saffron tundra ' +
  'umber velvet willow yarrow zephyr anchor beacon cinder dune eagle flint glacier hazel island juniper kestrel lantern meadow nimbus orchid'
).split(' ')

/** Numbers in [0, 1), the same for the same seed on every machine. */
export function sequence(seed: number): () => number {
  let state = seed >>> 0
  return () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return state / 2 ** 32
  }
}

/** A sentence from a small vocabulary: many are close to each other, none repeats. */
export function sentence(random: () => number, mark: string): string {
  const words = Array.from({ length: 4 + Math.floor(random() * 5) }, () => WORDS[Math.floor(random() * WORDS.length)])
  return `${words.join(' ')} ${mark}`
}
