/** Scales the vector to unit length in place, and returns it. The zero vector stays zero. */
export function normalize(vector: Float32Array): Float32Array {
  let sum = 0
  for (const value of vector) sum += value * value
  if (sum === 0) return vector
  const length = Math.sqrt(sum)
  for (let i = 0; i < vector.length; i++) vector[i]! /= length
  return vector
}
