/** A text that is no I-JSON (RFC 7493): no JSON at all, or JSON that two readers may read differently. */
export class InternetJsonError extends SyntaxError {
  override readonly name = "InternetJsonError"
}

const refuse = (why: string): never => {
  throw new InternetJsonError(why)
}

// The tokens of a text that is known to be JSON: strings, punctuation and numbers. Literals are of no interest.
const tokens = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\],:]|-?\d[\d.eE+-]*/g

/** A decimal number in normal form: its significant digits, and the power of ten of the last one. Takes linear time. */
const decimal = (text: string): string => {
  const [, whole = "", fraction = "", exponent = "0"] = /^-?(\d+)(?:\.(\d+))?(?:[eE]([+-]?\d+))?$/.exec(text) ?? []
  const digits = (whole + fraction).replace(/^0+/, "")
  let length = digits.length
  while (digits[length - 1] === "0") length--
  // A power that a double does not keep is that of no double.
  const power = Number(exponent) - fraction.length + digits.length - length
  return length === 0 ? "0" : `${digits.slice(0, length)}e${power}`
}

/** With so many significant digits every double can be told from every other (IEEE 754); more is more than one provides. */
const mostDigits = 17

/**
 * Whether a double keeps a number (RFC 7493 section 2.2). A whole number in digits must be one exactly, because readers with
 * integers of any length read it exactly. Any other may have as many digits as it takes to tell doubles apart: RFC 8785 has
 * 333333333.33333329 among its samples, which all readers round alike. None is too large, or so small that it would be 0.
 */
export const isDouble = (text: string): boolean => {
  const isWhole = !/[.eE]/.test(text)
  if (isWhole && text.length < 16) return true
  const value = Number(text)
  const exact = decimal(text)
  if (exact === decimal(String(value))) return true
  return !isWhole && value !== 0 && Number.isFinite(value) && exact.indexOf("e") <= mostDigits
}

/** Whether a number is not beyond all doubles, which is what is asked of numbers that nobody reads. */
export const isFinite = (text: string): boolean => Number.isFinite(Number(text))

/**
 * Reads JSON of which there is one reading (I-JSON, RFC 7493). It is what JSON.parse reads, and throws an
 * {@link InternetJsonError} also where parsers disagree: a member name that appears twice in an object, however it is
 * escaped (2.3), a lone surrogate (2.1), and a number that `keeps` does not take (2.2); and what is nested deeper than `deepest`.
 */
export const parseInternetJson = (
  text: string,
  keeps: (number: string) => boolean = isDouble,
  deepest = Number.POSITIVE_INFINITY
): unknown => {
  let value: unknown
  try {
    value = JSON.parse(text)
  } catch {
    return refuse("It is not JSON")
  }
  if (!text.isWellFormed()) return refuse("It holds a lone surrogate")
  // A stack: the member names of each open object, undefined for an open array.
  const open: Array<Set<string> | undefined> = []
  let names: Set<string> | undefined
  let atName = false
  for (const [token] of text.matchAll(tokens)) {
    if (open.length > deepest) return refuse(`It is nested deeper than ${deepest}`)
    switch (token[0]) {
      case "{":
        open.push(names = new Set())
        atName = true
        break
      case "[":
        open.push(names = undefined)
        atName = false
        break
      case "}":
      case "]":
        open.pop()
        names = open.at(-1)
        atName = false
        break
      case ",":
        atName = names !== undefined
        break
      case ":":
        atName = false
        break
      case "\"": {
        const plain = token.includes("\\") ? String(JSON.parse(token)) : token.slice(1, -1)
        if (!plain.isWellFormed()) return refuse("It holds a lone surrogate")
        if (!atName) break
        if (names!.has(plain)) return refuse(`The name ${JSON.stringify(plain)} appears twice in an object`)
        names!.add(plain)
        break
      }
      default:
        if (!keeps(token)) return refuse(`The number ${token.slice(0, 40)} has more digits than a double`)
    }
  }
  return value
}
