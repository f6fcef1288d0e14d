/**
 * 16-bit floats (IEEE 754 binary16), little-endian, as vectors are stored: half the bytes of 32-bit ones, and the cosine of
 * two unit vectors changes by less than 0.001. Written out, because `Float16Array` is not in every Node that we support,
 * and is no faster.
 */

/** Between the exponents of 16-bit and 32-bit floats. */
const REBASE = 2 ** 112

/** Bits of the smallest normal 16-bit float, of the first value that rounds to infinity, and of infinity, as 32-bit floats. */
const LEAST_NORMAL = 0x38800000
const OVERFLOW = 0x477ff000
const INFINITE = 0x7f800000

/** Rounds to the nearest, ties to even. Negative zero becomes zero. */
export function encodeFloat16(vector: Float32Array): Uint8Array {
  const bits = new Uint32Array(vector.buffer, vector.byteOffset, vector.length)
  const codes = new Uint16Array(vector.length)
  for (let i = 0; i < codes.length; i++) {
    const sign = (bits[i]! >>> 16) & 0x8000
    const size = bits[i]! & 0x7fffffff
    let code: number
    if (size < LEAST_NORMAL) code = Math.round(Math.abs(vector[i]!) * 2 ** 24)
    else if (size < OVERFLOW) code = (size - 0x38000000 + 0xfff + ((size >>> 13) & 1)) >>> 13
    else code = size > INFINITE ? 0x7e00 : 0x7c00
    codes[i] = code === 0 ? 0 : sign | code
  }
  return new Uint8Array(codes.buffer)
}

/** Throws a RangeError if the bytes are not `dimensions` numbers. */
export function decodeFloat16(bytes: Uint8Array, dimensions: number): Float32Array {
  if (bytes.byteLength !== dimensions * 2) {
    throw new RangeError(`a vector of ${dimensions} dimensions has ${bytes.byteLength} bytes`)
  }
  const aligned = bytes.byteOffset % 2 === 0 ? bytes : bytes.slice()
  const codes = new Uint16Array(aligned.buffer, aligned.byteOffset, dimensions)
  const vector = new Float32Array(dimensions)
  const bits = new Uint32Array(vector.buffer)
  for (let i = 0; i < dimensions; i++) {
    const code = codes[i]!
    bits[i] = ((code & 0x8000) << 16) | ((code & 0x7fff) << 13)
    // Infinity and NaN keep their highest exponent. Adding zero drops its sign, because not every store keeps it.
    if ((code & 0x7c00) === 0x7c00) bits[i]! |= INFINITE
    else vector[i] = vector[i]! * REBASE + 0
  }
  return vector
}
