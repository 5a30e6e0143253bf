import type { Sha256 } from "../../domain/log/EventLeaf.ts"

/** The first 32 bits of the fractional parts of the cube roots of the first 64 primes (FIPS 180-4, 4.2.2). */
const [constants, initial] = (() => {
  const primes: Array<number> = []
  for (let candidate = 2; primes.length < 64; candidate++) {
    if (primes.every((prime) => candidate % prime !== 0)) primes.push(candidate)
  }
  const fraction = (value: number) => Math.floor((value - Math.floor(value)) * 2 ** 32)
  return [
    Int32Array.from(primes, (prime) => fraction(Math.cbrt(prime)) | 0),
    Int32Array.from(primes.slice(0, 8), (prime) => fraction(Math.sqrt(prime)) | 0)
  ]
})()

// Signed words throughout: a word above 2^31 would be kept as a double, which takes thirty times as long.
const schedule = new Int32Array(64)

/** Takes a block of 64 bytes into the state (FIPS 180-4, 6.2.2). */
const compress = (state: Int32Array, block: DataView, at: number): void => {
  for (let index = 0; index < 16; index++) schedule[index] = block.getInt32(at + index * 4)
  for (let index = 16; index < 64; index++) {
    const early = schedule[index - 15]!
    const late = schedule[index - 2]!
    const small0 = ((early >>> 7) | (early << 25)) ^ ((early >>> 18) | (early << 14)) ^ (early >>> 3)
    const small1 = ((late >>> 17) | (late << 15)) ^ ((late >>> 19) | (late << 13)) ^ (late >>> 10)
    schedule[index] = (schedule[index - 16]! + small0 + schedule[index - 7]! + small1) | 0
  }
  let [a = 0, b = 0, c = 0, d = 0, e = 0, f = 0, g = 0, h = 0] = state
  for (let index = 0; index < 64; index++) {
    const sum1 = ((e >>> 6) | (e << 26)) ^ ((e >>> 11) | (e << 21)) ^ ((e >>> 25) | (e << 7))
    const first = (h + sum1 + ((e & f) ^ (~e & g)) + constants[index]! + schedule[index]!) | 0
    const sum0 = ((a >>> 2) | (a << 30)) ^ ((a >>> 13) | (a << 19)) ^ ((a >>> 22) | (a << 10))
    const second = (sum0 + ((a & b) ^ (a & c) ^ (b & c))) | 0
    h = g
    g = f
    f = e
    e = (d + first) | 0
    d = c
    c = b
    b = a
    a = (first + second) | 0
  }
  state[0]! += a
  state[1]! += b
  state[2]! += c
  state[3]! += d
  state[4]! += e
  state[5]! += f
  state[6]! += g
  state[7]! += h
}

const encoder = new TextEncoder()

/**
 * SHA-256 in plain JavaScript, for browsers, whose own is asynchronous: a statement takes a hundred thousand of them. Its
 * inputs are below 512 MB.
 */
export const plainSha256: Sha256 = (...parts) => {
  const pieces = parts.map((part) => typeof part === "string" ? encoder.encode(part) : part)
  const length = pieces.reduce((sum, piece) => sum + piece.length, 0)
  const padded = new Uint8Array(Math.ceil((length + 9) / 64) * 64)
  let at = 0
  for (const piece of pieces) {
    padded.set(piece, at)
    at += piece.length
  }
  padded[length] = 0x80
  const view = new DataView(padded.buffer)
  view.setUint32(padded.length - 8, Math.floor(length / 2 ** 29))
  view.setUint32(padded.length - 4, length * 8)
  const state = Int32Array.from(initial)
  for (let block = 0; block < padded.length; block += 64) compress(state, view, block)
  const digest = new Uint8Array(32)
  const written = new DataView(digest.buffer)
  for (let index = 0; index < 8; index++) written.setInt32(index * 4, state[index]!)
  return digest
}
