/** These numbers as a vector of unit length, padded with zeros. */
export function unitVector(values: readonly number[], dimensions = values.length): Float32Array {
  const length = Math.hypot(...values) || 1
  const vector = new Float32Array(dimensions)
  vector.set(values.map((value) => value / length))
  return vector
}
