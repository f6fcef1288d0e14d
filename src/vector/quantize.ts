/** Largest magnitude of a stored code: the scale is symmetric, so -128 is never written. */
export const CODE_LIMIT = 127

/**
 * Writes `vector` as integers in -limit..limit and returns the scale that restores them: value ≈ code * scale.
 * A zero vector has the scale 0. Throws a RangeError, before writing, for a wrong length, NaN or infinity.
 */
export function quantize(
  vector: Float32Array,
  dimensions: number,
  limit: number,
  out: Int8Array | Int16Array,
  offset: number,
): number {
  if (vector.length !== dimensions) {
    throw new RangeError(`expected a vector of ${dimensions} dimensions, got ${vector.length}`)
  }
  let max = 0
  for (let i = 0; i < dimensions; i++) {
    const size = Math.abs(vector[i]!)
    if (!(size < Infinity)) throw new RangeError(`vector has a value that is not finite at position ${i}`)
    if (size > max) max = size
  }
  const scale = Math.fround(max / limit)
  if (scale === 0) {
    out.fill(0, offset, offset + dimensions)
    return 0
  }
  const factor = limit / max
  for (let i = 0; i < dimensions; i++) out[offset + i] = Math.round(vector[i]! * factor)
  return scale
}

/**
 * The finest query scale whose dot product with int8 codes still fits an i32, whatever the codes are.
 * A finer query costs nothing and halves the error of the score.
 */
export function queryLimit(paddedDimensions: number): number {
  return Math.min(32767, Math.floor((2 ** 31 - 1) / (128 * paddedDimensions)))
}
