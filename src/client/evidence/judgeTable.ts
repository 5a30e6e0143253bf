import { byteOrderMark, csvLine, csvTable } from "../../domain/evidence/exports/CsvTable.ts"
import type { Edition } from "../../domain/evidence/exports/Edition.ts"
import { newestEdition } from "../../domain/evidence/exports/Edition.ts"
import type { ReportColumn, ReportRow } from "../../domain/evidence/reports/Report.ts"
import { isMembers, membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { CsvText } from "../files/csvRecords.ts"
import { readCsv, tableText } from "../files/csvRecords.ts"
import { csvDifferences } from "./csvDifferences.ts"
import type { GivenFile } from "./fileKind.ts"
import type { FileReport, Finding } from "./FileReport.ts"
import { counted, listed, open, proven, wrong } from "./FileReport.ts"

/** A snapshot beside a table, and what was found about it. */
export interface SnapshotBeside {
  readonly value: JsonMembers
  readonly report: FileReport
  /** Whether the manifest or the name says that the table is of it. */
  readonly isItsOwn: boolean
}

/** The editions in which a table is written differently; the other ones write it as the newest does. */
const editions: ReadonlyArray<Edition> = [newestEdition, 1]

const isColumn = (value: unknown): value is ReportColumn =>
  isMembers(value) && ["key", "title", "type"].every((name) => typeof value[name] === "string")

const isRow = (value: unknown): value is ReportRow =>
  isMembers(value) && Object.values(value).every((cell) => typeof cell === "string" || typeof cell === "number")

type Zone = NonNullable<NonNullable<Parameters<typeof csvTable>[0]["presentation"]>["time_zone"]>

const isZone = (value: unknown): value is Zone =>
  isMembers(value) && typeof value["name"] === "string" && Array.isArray(value["offsets"]) &&
  value["offsets"].length > 0 && value["offsets"].every((offset: unknown) =>
    isMembers(offset) && typeof offset["minutes"] === "number" && typeof offset["since"] === "string"
  )

const filtersIn = ({ filters }: JsonMembers): Readonly<Record<string, string>> =>
  Object.fromEntries(
    Object.entries(membersOf(filters)).filter((entry): entry is [string, string] => typeof entry[1] === "string")
  )

/** The table of a snapshot as each edition writes it as CSV; undefined where it has none that can be read. */
const frozenTexts = (snapshot: JsonMembers): ReadonlyArray<string> | undefined => {
  const { columns, rows } = membersOf(snapshot["table"])
  const zone = membersOf(snapshot["presentation"])["time_zone"]
  if (!Array.isArray(columns) || !columns.every(isColumn) || !Array.isArray(rows) || !rows.every(isRow)) {
    return undefined
  }
  if (zone !== undefined && !isZone(zone)) return undefined
  const { cells, heading } = csvTable({
    columns,
    filters: filtersIn(snapshot),
    ...(zone === undefined ? {} : { presentation: { time_zone: zone } })
  })
  return editions.map((edition) =>
    byteOrderMark + csvLine(heading, edition) + rows.map((row) => csvLine(cells(row), edition)).join("")
  )
}

/** The changes of a program that saved a file again and left its cells. */
const savedAgain = (text: string, isUtf8: boolean, { separator }: CsvText): string =>
  listed([
    ...(isUtf8 ? [] : ["in another encoding"]),
    ...(isUtf8 && !text.startsWith(byteOrderMark) ? ["without the byte order mark"] : []),
    ...(separator === "," ? [] : [`with ${separator === ";" ? "semicolons" : "tabs"} between the cells`]),
    ...(/(?:^|[^\r])\n|\r(?!\n)/.test(text.replaceAll(/"[^"]*"/g, "")) ? ["with other ends of lines"] : [])
  ]) || "with other quotes"

/** The finding of a table that is that of a snapshot, by what is known of that one. */
const sameAs = ({ name, verdict }: FileReport, rows: number, how: string): Finding => {
  const same = `${how} of ${counted(rows, "row")} as ${name} has ${rows === 1 ? "it" : "them"}`
  if (verdict === "wrong") return wrong(`The file has ${same}, in which something is wrong.`)
  return verdict === "proven"
    ? proven(`The file has ${same}, which is proven.`)
    : open(`The file has ${same}. But nothing here proves all of that one.`)
}

/** A table as it stands to a snapshot. */
export interface TableVerdict {
  readonly findings: ReadonlyArray<Finding>
  /** The file to the byte, or saved again with all of its cells; `changed` in some, or `other` in all. */
  readonly is: "exact" | "again" | "changed" | "other"
}

/** Judges a CSV by a snapshot: it is computed anew from the rows of that one, and compared. */
export const judgeTable = ({ bytes }: GivenFile, { isItsOwn, report, value }: SnapshotBeside): TableVerdict => {
  const frozen = frozenTexts(value)
  if (frozen === undefined) return { is: "other", findings: [open(`${report.name} has no table that can be read.`)] }
  const { isUtf8, text } = tableText(bytes)
  const found = readCsv(text)
  const rows = found.records.length - 1
  if (isUtf8 && frozen.includes(text)) return { is: "exact", findings: [sameAs(report, rows, "every byte")] }
  const compared = frozen.map((one) => csvDifferences(readCsv(one), found))
  const { isOther, sentences } = compared.find(({ sentences }) => sentences.length === 0) ?? compared[0]!
  if (sentences.length === 0) {
    const how = savedAgain(text, isUtf8, found)
    return {
      is: "again",
      findings: [
        sameAs(report, rows, "every cell"),
        open(`The file is not the signed one: another program saved it again, ${how}. No cell changed by that.`)
      ]
    }
  }
  if (!isOther) return { is: "changed", findings: sentences.map(wrong) }
  const said = `${report.name} is of another table than this file: they have no row in common.`
  return { is: "other", findings: [isItsOwn ? wrong(said) : open(said)] }
}
