import type { CsvText } from "../files/pdfAttachment.ts"

/** The outcome of one finding: it is proven, it is wrong, or nothing here says whether it is so. */
export type Outcome = "proven" | "wrong" | "open"

/** One thing that a file says, and whether that is proven. The text is a sentence for people. */
export interface Finding {
  readonly outcome: Outcome
  readonly text: string
  /** Whether the whole file is not proven without it. */
  readonly isNeeded?: true
}

/** The findings of a file. */
export interface FileReport {
  readonly name: string
  /** Its kind, as in "This is an export as CSV". */
  readonly what: string
  /** `wrong` as soon as anything is; `proven` where something is proven and nothing that is needed is open; otherwise `open`. */
  readonly verdict: Outcome
  readonly findings: ReadonlyArray<Finding>
}

/** Something that is proven. */
export const proven = (text: string): Finding => ({ outcome: "proven", text })

/** Something that is wrong. */
export const wrong = (text: string): Finding => ({ outcome: "wrong", text })

/** Something that nothing here proves. */
export const open = (text: string): Finding => ({ outcome: "open", text })

/** Something that nothing here proves, and without which the file is not proven. */
export const lacking = (text: string): Finding => ({ outcome: "open", text, isNeeded: true })

/** The report of a file from its findings. What two parts of the file say alike is said once. */
export const fileReport = (name: string, what: string, found: ReadonlyArray<Finding>): FileReport => {
  const findings = [...new Map(found.map((one) => [`${one.outcome} ${one.isNeeded} ${one.text}`, one])).values()]
  const has = (outcome: Outcome) => findings.some((finding) => finding.outcome === outcome)
  const isLacking = findings.some(({ isNeeded }) => isNeeded === true)
  return { name, what, verdict: has("wrong") ? "wrong" : has("proven") && !isLacking ? "proven" : "open", findings }
}

/** A number with its noun. */
export const counted = (count: number, noun: string): string => `${count} ${noun}${count === 1 ? "" : "s"}`

/** Names as a sentence lists them. */
export const listed = (names: ReadonlyArray<string>): string =>
  names.length < 2 ? names.join("") : `${names.slice(0, -1).join(", ")} and ${names.at(-1)}`

type Line = ReadonlyArray<string>

/** The most differences that are named one by one. */
const mostNamed = 20
/** The longest text of a cell that is shown whole. */
const longestCell = 80

/** How a table differs from the one that was frozen, as sentences; rows are numbered as a spreadsheet does, the header first. */
export interface CsvDifferences {
  readonly sentences: ReadonlyArray<string>
  /** Whether it has no row of the frozen table: then it is another one. */
  readonly isOther: boolean
}

/** A row of the frozen table and of the file, as far as they belong together; one of them alone was removed or added. */
interface Pair {
  readonly frozen?: Line
  readonly found?: Line
  /** The row of the file, or the one before which a removed one stood. */
  readonly at: number
}

const keyOf = (line: Line): string => JSON.stringify(line)

const countsOf = (lines: ReadonlyArray<Line>): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const line of lines) counts.set(keyOf(line), (counts.get(keyOf(line)) ?? 0) + 1)
  return counts
}

const take = (counts: Map<string, number>, line: Line): boolean => {
  const left = counts.get(keyOf(line)) ?? 0
  if (left > 0) counts.set(keyOf(line), left - 1)
  return left > 0
}

/** Whether two rows are one that was changed: at least half of their cells are the same. */
const isAlike = (one: Line, other: Line): boolean =>
  2 * one.filter((cell, index) => cell === other[index]).length >= Math.max(one.length, other.length)

/** Rows of the file that are nowhere in the frozen table, and the other way round, in their order. */
const unmatched = (frozen: ReadonlyArray<Line>, found: ReadonlyArray<Line>) => {
  const [inFrozen, inFound] = [countsOf(frozen), countsOf(found)]
  return {
    gone: frozen.flatMap((line, index) => take(inFound, line) ? [] : [{ line, index }]),
    added: found.flatMap((line, index) => take(inFrozen, line) ? [] : [{ line, index }])
  }
}

/** Brings those together that stand at the same place, counted without the rows that are only in one of the two. */
const paired = (frozen: ReadonlyArray<Line>, found: ReadonlyArray<Line>): ReadonlyArray<Pair> => {
  const { added, gone } = unmatched(frozen, found)
  const pairs: Array<Pair> = []
  let [removedBefore, addedBefore] = [0, 0]
  while (removedBefore < gone.length || addedBefore < added.length) {
    const [lost, more] = [gone[removedBefore], added[addedBefore]]
    const placeOfLost = lost === undefined ? Infinity : lost.index - removedBefore
    const placeOfMore = more === undefined ? Infinity : more.index - addedBefore
    if (placeOfLost === placeOfMore && isAlike(lost!.line, more!.line)) {
      pairs.push({ frozen: lost!.line, found: more!.line, at: more!.index })
      removedBefore += 1
      addedBefore += 1
    } else if (placeOfLost <= placeOfMore) {
      pairs.push({ frozen: lost!.line, at: placeOfLost + addedBefore })
      removedBefore += 1
    } else {
      pairs.push({ found: more!.line, at: more!.index })
      addedBefore += 1
    }
  }
  return pairs
}

const inOneLine = (text: string, longest: number): string =>
  (text.length > longest ? `${text.slice(0, longest)}…` : text).replaceAll(/\r\n|[\r\n]/g, "↵")

const shown = (cell: string | undefined): string =>
  cell === undefined || cell === "" ? "empty" : `"${inOneLine(cell, longestCell)}"`

const asText = (line: Line): string => inOneLine(line.filter((cell) => cell !== "").join(", "), 2 * longestCell)

/** The row of a spreadsheet: the header is the first. */
const rowOf = (index: number): number => index + 2

const changesIn = (heading: Line, { at, found, frozen }: Pair): ReadonlyArray<string> => {
  if (found === undefined) return [`A row was removed before row ${rowOf(at)}: ${asText(frozen!)}.`]
  if (frozen === undefined) return [`Row ${rowOf(at)} was added: ${asText(found)}.`]
  const columns = Array.from({ length: Math.max(found.length, frozen.length) }, (_, index) => index)
  return columns.filter((index) => found[index] !== frozen[index]).map((index) =>
    `In row ${rowOf(at)}, ${heading[index] ?? `column ${index + 1}`} is ${shown(found[index])}, and was frozen as ${
      shown(frozen[index])
    }.`
  )
}

/** Columns that differ in most of the rows, which says less of each row than of the program that wrote them. */
const rewrittenColumns = (heading: Line, pairs: ReadonlyArray<Pair>, rows: number): ReadonlyArray<string> => {
  const changed = pairs.filter(({ found, frozen }) => found !== undefined && frozen !== undefined)
  return heading.flatMap((name, index) => {
    const differing = changed.filter(({ found, frozen }) => found![index] !== frozen![index])
    const [first] = differing
    if (first === undefined || differing.length <= mostNamed || 2 * differing.length < rows) return []
    const { at, found, frozen } = first
    return [
      `The column ${name} differs in ${differing.length} of ${counted(rows, "row")}, as in row ${rowOf(at)}: it is ${
        shown(found![index])
      }, and was frozen as ${
        shown(frozen![index])
      }. Spreadsheet programs write dates and long numbers in their own way when they save.`
    ]
  })
}

/** Compares the table of a file with the one that was frozen. */
export const csvDifferences = ({ records: frozen }: CsvText, { records: found }: CsvText): CsvDifferences => {
  const [[frozenHeading = [], ...frozenRows], [heading = [], ...rows]] = [frozen, found]
  if (keyOf(heading) !== keyOf(frozenHeading)) {
    return {
      sentences: [`The columns are ${heading.join(", ")}, and were ${frozenHeading.join(", ")}.`],
      isOther: true
    }
  }
  const pairs = paired(frozenRows, rows)
  const whole = pairs.filter(({ found, frozen }) => found === undefined || frozen === undefined).length
  const isOther = rows.length > 0 && frozenRows.length > 0 && whole === rows.length + frozenRows.length
  const columns = rewrittenColumns(heading, pairs, rows.length)
  const named = pairs.flatMap((pair) => changesIn(heading, pair))
  const sentences = columns.length > 0 ? columns : named.slice(0, mostNamed)
  const more = named.length - mostNamed
  return {
    sentences: [
      ...sentences,
      ...(columns.length > 0 || more <= 0 ? [] : [`There are ${counted(more, "more difference")}.`]),
      ...(pairs.length === 0 && frozenRows.some((line, index) => keyOf(line) !== keyOf(rows[index]!))
        ? ["The rows are those that were frozen, in another order."]
        : [])
    ],
    isOther
  }
}
