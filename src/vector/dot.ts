/** The dot product: for unit vectors, the cosine. Four independent sums, so that additions do not wait for each other. */
export function dot(a: Float32Array, b: Float32Array): number {
  let [p, q, r, s] = [0, 0, 0, 0]
  const whole = a.length & ~3
  for (let i = 0; i < whole; i += 4) {
    p += a[i]! * b[i]!
    q += a[i + 1]! * b[i + 1]!
    r += a[i + 2]! * b[i + 2]!
    s += a[i + 3]! * b[i + 3]!
  }
  for (let i = whole; i < a.length; i++) p += a[i]! * b[i]!
  return p + q + r + s
}
