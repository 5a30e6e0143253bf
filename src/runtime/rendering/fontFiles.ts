import { existsSync, readFileSync } from "node:fs"
import { createRequire } from "node:module"
import { dirname, join } from "node:path"
import { fileURLToPath } from "node:url"

/**
 * The families that text is set in, in order of preference: a character is set in the first one that has it. All are
 * under the SIL Open Font License. Japanese stands before Chinese and Korean, which share its characters.
 */
const families = [
  "noto-sans",
  "noto-sans-arabic",
  "noto-sans-hebrew",
  "noto-sans-thai",
  "noto-sans-jp",
  "noto-sans-kr",
  "noto-sans-sc",
  "noto-sans-armenian",
  "noto-sans-georgian",
  "noto-sans-bengali",
  "noto-sans-gurmukhi",
  "noto-sans-gujarati",
  "noto-sans-tamil",
  "noto-sans-telugu",
  "noto-sans-kannada",
  "noto-sans-malayalam",
  "noto-sans-sinhala",
  "noto-sans-lao",
  "noto-sans-myanmar",
  "noto-sans-khmer",
  "noto-sans-ethiopic",
  "noto-sans-symbols",
  "noto-emoji"
] as const

/** A piece of a family: the characters that it may have, from and to, and the file that holds them. */
export interface FontFile {
  readonly name: string
  readonly ranges: ReadonlyArray<readonly [first: number, last: number]>
  readonly path: string
}

/** What stands beside a bundle takes the place of the packages. */
const bundled = join(dirname(fileURLToPath(import.meta.url)), "fonts")
const isBundled = existsSync(bundled)
const require = createRequire(import.meta.url)

const directoryOf = (family: string): string =>
  isBundled ? join(bundled, family) : dirname(require.resolve(`@fontsource-variable/${family}/package.json`))

/** `U+0-FF,U+131` as pairs of numbers. */
const rangesOf = (text: string): FontFile["ranges"] =>
  text.split(",").map((range) => {
    const [first = "", last = first] = range.trim().replace(/^U\+/i, "").split("-")
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })

/** The pieces of a family, each with the weights 100 to 900. */
const filesOf = (family: string): ReadonlyArray<FontFile> => {
  const directory = directoryOf(family)
  const ranges = JSON.parse(readFileSync(join(directory, "unicode.json"), "utf8")) as Record<string, string>
  return Object.entries(ranges).map(([subset, text]) => {
    const name = `${family}-${subset.replace(/^\[(.*)\]$/, "$1")}`
    return { name, ranges: rangesOf(text), path: join(directory, "files", `${name}-wght-normal.woff2`) }
  })
}

/**
 * Every piece of every family, in order of preference. A family is looked into when those before it were of no use:
 * together they are hundreds of pieces with thousands of ranges.
 */
export const fontFiles = (): Iterable<FontFile> => {
  const known: Array<ReadonlyArray<FontFile>> = []
  return {
    *[Symbol.iterator]() {
      for (const [index, family] of families.entries()) yield* (known[index] ??= filesOf(family))
    }
  }
}

/** The program that makes subsets of fonts. */
export const subsetProgram = (): Uint8Array =>
  readFileSync(
    isBundled
      ? join(dirname(bundled), "harfbuzz-subset.wasm")
      : join(dirname(require.resolve("harfbuzzjs")), "harfbuzz-subset.wasm")
  )
