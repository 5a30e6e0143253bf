import { num, pdfText } from "../file/pdfText.ts"
import { FontSet } from "../fonts/FontSet.ts"
import type { Weight } from "../fonts/fontSlice.ts"
import { ascii } from "./characters.ts"
import { brokenLines, brokenPlainLines } from "./lineBreaks.ts"
import { runsOf, visualOrder } from "./runs.ts"
import { shapeRun, shapeSimple } from "./shaping.ts"

/** A line of text that is ready to be shown: operators for a text space in which the font size is 1. */
export interface TextLine {
  readonly show: string
  /** In thousandths of the font size. */
  readonly width: number
  /** The font operator that `show` begins with; empty where it begins with another one. */
  readonly first: string
  /** The font operator that is in force at its end. */
  readonly last: string
}

/** How many lines are cached: the same names come again and again. */
const kept = 5000

const asItIs = (text: string): string => text

/** What every text may need: ASCII, and the signs that the documents of this package's users put between words. */
const always = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("") + "…·–−×"

/** A setter with the fonts that every text needs. `shown` makes of a text what a page shows of it. */
export const openTextSetter = async (shown: (text: string) => string = asItIs): Promise<TextSetter> => {
  const fonts = new FontSet()
  await fonts.prepare(always)
  return new TextSetter(fonts, shown)
}

/** Sets text in the fonts of a document: chooses fonts, orders right-to-left text, shapes and measures it. */
export class TextSetter {
  readonly fonts: FontSet
  private readonly shown: (text: string) => string
  private readonly known = new Map<string, TextLine>()

  constructor(fonts: FontSet, shown: (text: string) => string) {
    this.fonts = fonts
    this.shown = shown
  }

  /** Reads the fonts that the text needs. */
  async prepare(text: string): Promise<void> {
    if (!ascii.test(text)) await this.fonts.prepare(text)
  }

  /** One line. Line ends and tabs in it count as spaces. */
  line(text: string, weight: Weight = 400): TextLine {
    if (ascii.test(text)) {
      const font = this.fonts.font(this.fonts.sliceOf(0x20)!, weight)
      const { show, width } = shapeSimple(text, font)
      const operator = `/${font.name} 1 Tf`
      return { show: operator + show, width, first: operator, last: operator }
    }
    const key = `${weight}${text}`
    const known = this.known.get(key)
    if (known !== undefined) return known
    const line = this.set(this.shown(text).replaceAll(/[\s\p{Cc}]/gu, " "), weight)
    if (this.known.size > kept) this.known.clear()
    this.known.set(key, line)
    return line
  }

  private set(text: string, weight: Weight): TextLine {
    const runs = runsOf(text, this.fonts)
    const placed = new Map<unknown, number>()
    let width = 0
    const shaped = new Map(runs.map((run) => {
      const font = this.fonts.font(run.slice, weight)
      return [run, { font, ...run.simple ? shapeSimple(run.text, font) : shapeRun(run, font) }]
    }))
    for (const run of visualOrder(runs)) {
      placed.set(run, width)
      width += shaped.get(run)!.width
    }
    // Runs are drawn in reading order, wherever they stand on the line: pdf.js and every other reader that follows the
    // operators joins them in this order. The glyphs of a right-to-left run go from left to right, because readers
    // reverse such runs.
    let show = ""
    let first = ""
    let last = ""
    let pen = 0
    for (const run of runs) {
      const part = shaped.get(run)!
      last = `/${part.font.name} 1 Tf`
      first ||= last
      const at = placed.get(run)!
      show += `${last}${Math.abs(at - pen) < 0.001 ? "" : `[${num(pen - at)}]TJ`}${part.show}`
      pen = at + part.width
    }
    // Replacement text says what is read where the glyphs alone do not. Text from right to left has it in the structure
    // tree instead: poppler would reverse it here.
    const isPlain = runs.every(({ level, simple }) => simple || level % 2 === 1)
    return isPlain || runs.some(({ level }) => level % 2 === 1)
      ? { show, width, first, last }
      : { show: `/Span<</ActualText${pdfText(text)}>>BDC ${show} EMC`, width, first: "", last }
  }

  /** Breaks text into lines of at most `width` thousandths of the font size. */
  wrap(text: string, width: number, weight: Weight = 400): ReadonlyArray<string> {
    if (ascii.test(text)) {
      const font = this.fonts.font(this.fonts.sliceOf(0x20)!, weight)
      return brokenPlainLines(text, width, (codePoint) => font.character(codePoint).width)
    }
    const fits = (line: string): boolean => this.line(line, weight).width <= width
    const shown = this.shown(text)
    return fits(shown) ? [shown] : brokenLines(shown, fits)
  }
}
