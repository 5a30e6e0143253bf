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

/** Where characters that are emoji are looked for. */
export const emojiFamily = "noto-emoji"

/** A piece of a family: the characters that it may have, from and to, and the file that holds them. */
export interface FontFile {
  readonly name: string
  readonly ranges: ReadonlyArray<readonly [first: number, last: number]>
  readonly path: string
}

const here = dirname(fileURLToPath(import.meta.url))
const require = createRequire(import.meta.url)

/** A bundle has its fonts beside it, and does not look for packages. */
const bundledFonts = join(here, "fonts")

/** The directory of a family: beside a bundle where it stands there, else that of its package. */
const directoryOf = (family: string): string | undefined => {
  const beside = join(bundledFonts, family)
  if (existsSync(beside)) return beside
  try {
    return dirname(require.resolve(`@fontsource-variable/${family}/package.json`))
  } catch {
    return undefined
  }
}

/**
 * How many families are not here: in a bundle that was made without fonts, or an installation that left them out. None may
 * be missing, since with fewer the same document would be another file.
 */
export const missingFonts = (): { readonly missing: number; readonly families: number } => ({
  missing: families.filter((family) => directoryOf(family) === undefined).length,
  families: families.length
})

/** `U+0-FF,U+131` as pairs of numbers. */
const rangesOf = (text: string): FontFile["ranges"] =>
  text.split(",").map((range) => {
    const [first = "", last = first] = range.trim().replace(/^U\+/i, "").split("-")
    return [Number.parseInt(first, 16), Number.parseInt(last, 16)] as const
  })

/** The pieces of a family, each with the weights 100 to 900. */
const filesOf = (family: string): ReadonlyArray<FontFile> => {
  const directory = directoryOf(family)!
  const ranges = JSON.parse(readFileSync(join(directory, "unicode.json"), "utf8")) as Record<string, string>
  return Object.entries(ranges).map(([subset, text]) => {
    const name = `${family}-${subset.replace(/^\[(.*)\]$/, "$1")}`
    return { name, ranges: rangesOf(text), path: join(directory, "files", `${name}-wght-normal.woff2`) }
  })
}

/**
 * Every piece of every family, in order of preference. A family is read only when the ones before it lack
 * a character: together they have hundreds of pieces with thousands of ranges.
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
export const subsetProgram = (): Uint8Array => {
  const beside = join(here, "harfbuzz-subset.wasm")
  return readFileSync(
    existsSync(beside) ? beside : require.resolve("harfbuzzjs/dist/harfbuzz-subset.wasm")
  )
}
