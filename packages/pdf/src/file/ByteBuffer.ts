/** How each ASCII character is written in a font: up to four bytes in one number, the first one lowest; and how many. */
export interface CharacterCodes {
  readonly bytes: Int32Array
  readonly sizes: Uint8Array
}

const [zero, point, minus] = [0x30, 0x2e, 0x2d]

/** Bytes in the making, in memory that is used again: a page of a table is ten thousands of small writes. */
export class ByteBuffer {
  private bytes = new Uint8Array(64 * 1024)
  length = 0

  private room(size: number): Uint8Array {
    const needed = this.length + size
    if (needed > this.bytes.length) {
      const larger = new Uint8Array(Math.max(needed, this.bytes.length * 2))
      larger.set(this.bytes.subarray(0, this.length))
      this.bytes = larger
    }
    return this.bytes
  }

  /** What was written, from `start` on: valid until the next write. */
  view(start = 0, end = this.length): Uint8Array {
    return this.bytes.subarray(start, end)
  }

  clear(): this {
    this.length = 0
    return this
  }

  /** A text of characters up to U+00FF. */
  text(text: string, start = 0): this {
    const bytes = this.room(text.length)
    let at = this.length
    for (let index = start; index < text.length; index++) bytes[at++] = text.charCodeAt(index)
    this.length = at
    return this
  }

  copy(from: Uint8Array): this {
    this.room(from.length).set(from, this.length)
    this.length += from.length
    return this
  }

  /** A whole number that is not negative. */
  integer(value: number): this {
    const bytes = this.room(16)
    let digits = 1
    for (let power = 10; value >= power; power *= 10) digits += 1
    let left = value
    for (let at = this.length + digits - 1; at >= this.length; at--) {
      const tens = Math.floor(left / 10)
      bytes[at] = zero + left - tens * 10
      left = tens
    }
    this.length += digits
    return this
  }

  /** A number as PDF writes it: at most three decimals, without trailing zeros. */
  number(value: number): this {
    let thousandths = Math.round(value * 1000)
    if (thousandths < 0) {
      this.room(1)[this.length++] = minus
      thousandths = -thousandths
    }
    const whole = Math.floor(thousandths / 1000)
    const part = thousandths - whole * 1000
    this.integer(whole)
    if (part === 0) return this
    const bytes = this.room(4)
    bytes[this.length++] = point
    const hundreds = Math.floor(part / 100)
    const tens = Math.floor(part / 10) % 10
    const ones = part % 10
    bytes[this.length++] = zero + hundreds
    if (tens + ones > 0) bytes[this.length++] = zero + tens
    if (ones > 0) bytes[this.length++] = zero + ones
    return this
  }

  /** ASCII text in the codes of a font. */
  coded(text: string, codes: CharacterCodes): this {
    const bytes = this.room(text.length * 4)
    let at = this.length
    for (let index = 0; index < text.length; index++) {
      const character = text.charCodeAt(index)
      const size = codes.sizes[character]!
      let code = codes.bytes[character]!
      for (let byte = 0; byte < size; byte++) {
        bytes[at++] = code
        code >>>= 8
      }
    }
    this.length = at
    return this
  }
}
