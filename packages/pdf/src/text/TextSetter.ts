import type { ByteBuffer } from "../file/ByteBuffer.ts"
import { num, pdfText } from "../file/pdfText.ts"
import type { DocumentFont } from "../fonts/DocumentFont.ts"
import { FontSet } from "../fonts/FontSet.ts"
import type { Weight } from "../fonts/fontSlice.ts"
import { ascii } from "./characters.ts"
import { brokenLines, brokenPlainLines } from "./lineBreaks.ts"
import { runsOf, visualOrder } from "./runs.ts"
import { shapeRun, shapeSimple } from "./shaping.ts"

/** A line of text that is ready to be shown: operators for a text space in which the font size is 1. */
export interface TextLine {
  /** In thousandths of the font size. */
  readonly width: number
  /** The font operator that it begins with; empty where it begins with another one. */
  readonly first: string
  /** The font operator that is in force at its end. */
  readonly last: string
  /** Writes the operators, without the first one where `font` is in force already. */
  readonly write: (to: ByteBuffer, font: string) => void
}

/** A line of ASCII, whose characters are a glyph each. */
class PlainLine implements TextLine {
  readonly width: number
  private readonly text: string
  private readonly font: DocumentFont

  constructor(text: string, font: DocumentFont) {
    let width = 0
    for (let at = 0; at < text.length; at++) width += font.plainWidth(text.charCodeAt(at))
    this.width = width
    this.text = text
    this.font = font
  }

  get first(): string {
    return this.font.operator
  }

  get last(): string {
    return this.font.operator
  }

  write(to: ByteBuffer, font: string): void {
    const { operator, plain } = this.font
    if (font !== operator) to.text(operator)
    to.text("(").coded(this.text, plain).text(")Tj")
  }
}

/** A line that was shaped. */
class ShapedLine implements TextLine {
  readonly show: string
  readonly width: number
  readonly first: string
  readonly last: string

  constructor(show: string, width: number, first: string, last: string) {
    this.show = show
    this.width = width
    this.first = first
    this.last = last
  }

  write(to: ByteBuffer, font: string): void {
    to.text(this.show, this.first !== "" && this.first === font ? this.first.length : 0)
  }
}

/** How many lines are cached: the same names come again and again. */
const kept = 5000

const asItIs = (text: string): string => text

/** What every text may need: ASCII, and the signs that the documents of this package's users put between words. */
const always = Array.from({ length: 95 }, (_, index) => String.fromCharCode(32 + index)).join("") + "…·–−×"

/**
 * A setter with the fonts that every text needs. `shown` makes of a text what a page shows of it. With `parted`, a letter that is
 * drawn with its mark apart is read as both, as releases before did; documents of those are still made so.
 */
export const openTextSetter = async (
  shown: (text: string) => string = asItIs,
  { parted = false }: { readonly parted?: boolean } = {}
): Promise<TextSetter> => {
  const fonts = new FontSet()
  await fonts.prepare(always)
  return new TextSetter(fonts, shown, parted)
}

/** Sets text in the fonts of a document: chooses fonts, orders right-to-left text, shapes and measures it. */
export class TextSetter {
  readonly fonts: FontSet
  private readonly shown: (text: string) => string
  private readonly parted: boolean
  private readonly known = new Map<string, TextLine>()

  constructor(fonts: FontSet, shown: (text: string) => string, parted: boolean) {
    this.fonts = fonts
    this.shown = shown
    this.parted = parted
  }

  /** Reads the fonts that the text needs. */
  async prepare(text: string): Promise<void> {
    if (!ascii.test(text)) await this.fonts.prepare(text)
  }

  /** One line. Line ends and tabs in it count as spaces. */
  line(text: string, weight: Weight = 400): TextLine {
    if (ascii.test(text)) {
      return new PlainLine(text, this.fonts.font(this.fonts.sliceOf(0x20)!, weight))
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
      return [run, { font, ...run.simple ? shapeSimple(run.text, font) : shapeRun(run, font, this.parted) }]
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
      last = part.font.operator
      first ||= last
      const at = placed.get(run)!
      show += `${last}${Math.abs(at - pen) < 0.001 ? "" : `[${num(pen - at)}]TJ`}${part.show}`
      pen = at + part.width
    }
    // Replacement text says what is read where the glyphs alone do not. Text from right to left has it in the structure
    // tree instead: poppler would reverse it here.
    const isPlain = runs.every(({ level, simple }) => simple || level % 2 === 1)
    return isPlain || runs.some(({ level }) => level % 2 === 1)
      ? new ShapedLine(show, width, first, last)
      : new ShapedLine(`/Span<</ActualText${pdfText(text)}>>BDC ${show} EMC`, width, "", last)
  }

  /** Breaks text into lines of at most `width` thousandths of the font size. */
  wrap(text: string, width: number, weight: Weight = 400): ReadonlyArray<string> {
    if (ascii.test(text)) {
      const font = this.fonts.font(this.fonts.sliceOf(0x20)!, weight)
      return brokenPlainLines(text, width, font)
    }
    const fits = (line: string): boolean => this.line(line, weight).width <= width
    const shown = this.shown(text)
    return fits(shown) ? [shown] : brokenLines(shown, fits)
  }
}
