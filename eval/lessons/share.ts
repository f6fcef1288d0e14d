/** A share with its 95 % interval (Wilson). */
export function share(count: number, of: number) {
  const p = of === 0 ? 0 : count / of
  const z = 1.96
  const middle = (p + (z * z) / (2 * of)) / (1 + (z * z) / of)
  const half = (z * Math.sqrt((p * (1 - p)) / of + (z * z) / (4 * of * of))) / (1 + (z * z) / of)
  const [low, high] = of === 0 ? [0, 1] : [middle - half, middle + half]
  const percent = (value: number) => (100 * value).toFixed(0)
  return {
    count,
    of,
    value: p,
    low,
    high,
    text: `${percent(p)} % [${percent(low)} - ${percent(high)}]  ${count} of ${of}`,
  }
}
