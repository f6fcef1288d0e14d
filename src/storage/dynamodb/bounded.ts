/** Like `Promise.all` over a map, with at most so many at once. */
export async function mapBounded<Value, Result>(
  values: readonly Value[],
  atOnce: number,
  work: (value: Value) => Promise<Result>,
): Promise<Result[]> {
  const results: Result[] = []
  let next = 0
  const worker = async () => {
    while (next < values.length) {
      const index = next++
      results[index] = await work(values[index]!)
    }
  }
  await Promise.all(Array.from({ length: Math.min(atOnce, values.length) }, worker))
  return results
}
