import { byteOrderMark, csvLine, csvTable } from "../../domain/evidence/exports/CsvTable.ts"
import { newestEdition } from "../../domain/evidence/exports/Edition.ts"
import type { Edition } from "../../domain/evidence/exports/Edition.ts"
import type { ReportColumn, ReportRow } from "../../domain/evidence/reports/Report.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { isMembers, membersOf, parseMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { attachmentIn, readCsv, tableText } from "../files/pdfAttachment.ts"
import type { CsvText } from "../files/pdfAttachment.ts"
import { figureNames } from "../statements/statementFigures.ts"
import { counted, csvDifferences, fileReport, lacking, listed, open, proven, wrong } from "./FileReport.ts"
import type { FileReport, Finding } from "./FileReport.ts"
import { judgeExport, noKeys, unsignedExport } from "./judge.ts"
import { judgeStatement } from "./judgeStatement.ts"
import { kindOf } from "./Trust.ts"
import type { FileKind, GivenFile, Trust } from "./Trust.ts"

/** The most features whose figures are named. */
const mostNamed = 20

/** A number of the smallest units of a feature, as pages print it. */
const printed = (value: number, decimals: unknown): string =>
  typeof decimals === "number" ? (value / 10 ** decimals).toFixed(decimals) : String(value)

const figuresOf = (feature: JsonMembers): string => {
  const figures = figureNames.flatMap((name) => {
    const value = feature[name]
    if (typeof value !== "number" || value === 0) return []
    return [`${name} ${name === "uses" ? value : printed(value, feature["decimals"])}`]
  })
  return `${String(feature["feature_code"])}: ${figures.join(", ") || "0"}`
}

/**
 * The finding of a document whose bytes no manifest signs: what is attached to it proves itself, and not the pages, which anybody may
 * have put around it.
 */
const judgePages = (snapshot: JsonMembers): ReadonlyArray<Finding> => {
  const features = membersOf(snapshot["summary"])["features"]
  const named = (Array.isArray(features) ? features.filter(isMembers) : []).slice(0, mostNamed).map(figuresOf)
  return [
    lacking(
      `This document itself: what is said below is of the file attached to it, and its pages may say something else. Choose its manifest ` +
        `too, or compare the totals with those of the attachment. ${
          named.length === 0 ? "No feature has any." : `${named.join("; ")}.`
        }`
    )
  ]
}

/** A snapshot beside a table, and what was found about it. */
interface SnapshotBeside {
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
interface TableVerdict {
  readonly findings: ReadonlyArray<Finding>
  /** The file to the byte, or saved again with all of its cells; `changed` in some, or `other` in all. */
  readonly is: "exact" | "again" | "changed" | "other"
}

/** Judges a CSV by a snapshot: it is computed anew from the rows of that one, and compared. */
const judgeTable = ({ bytes }: GivenFile, { isItsOwn, report, value }: SnapshotBeside): TableVerdict => {
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

/** A file, and what it is. */
export interface Known {
  readonly file: GivenFile
  readonly kind: FileKind
}

/** A manifest, and the digests that it names: of the file, and of the snapshot that it was rendered from. */
interface Manifest {
  readonly text: string
  readonly ofFile: unknown
  readonly ofSnapshot: unknown
}

type ExportKind = Extract<FileKind, { readonly is: "export" }>

const digestOf = async (bytes: Uint8Array): Promise<string> =>
  `sha256:${encodeHex(new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes))))}`

const manifestOf = ({ kind }: Known): ReadonlyArray<Manifest> => {
  if (kind.is !== "manifest") return []
  const { artifact_digest, digest } = membersOf(parseMembers(kind.text)["data"])
  return [{ text: kind.text, ofFile: artifact_digest, ofSnapshot: digest }]
}

/** The manifest of a file: the one that names its digest, or the only one, which then says what was signed instead. */
const manifestFor = (digest: string, all: ReadonlyArray<Manifest>) => {
  const signed = all.find(({ ofFile, ofSnapshot }) => ofFile === digest || ofSnapshot === digest)
  const said = signed ?? (all.length === 1 ? all[0] : undefined)
  return said && {
    manifest: said.text,
    part: said.ofFile !== digest && said.ofSnapshot === digest ? "snapshot" : "artifact",
    ofSnapshot: said.ofSnapshot,
    isOfFile: signed !== undefined
  } as const
}

/** The snapshot that is attached to a document. */
const snapshotIn = async ({ bytes, name }: GivenFile): Promise<unknown> => {
  const attached = await attachmentIn(bytes)
  const kind = attached === undefined ? undefined : kindOf({ name, bytes: attached })
  return kind?.is === "export" ? kind.value : undefined
}

/** The name of an export without what tells its file and its snapshot apart. */
const stemOf = (name: string): string => name.replace(/(?:\.snapshot)?\.\w+$/, "")

/** The kind of a file in words, and the findings about it. */
export type Judged = readonly [what: string, findings: ReadonlyArray<Finding>]

/** Judges exports among the files that were chosen with them. */
export const exportJudge = (known: ReadonlyArray<Known>, trust: Trust) => {
  const manifests = known.flatMap(manifestOf)
  const snapshots = known.flatMap(({ file, kind }) =>
    kind.is === "export" && kind.format === "json" ? { file, kind } : []
  )

  const judgedAlone = new Map<GivenFile, Promise<Judged>>()

  /** A snapshot has a report of its own and stands beside a table, too: its proofs are verified once. */
  const judgeAlone = (file: GivenFile, kind: ExportKind): Promise<Judged> => {
    const judged = judgedAlone.get(file) ?? judgeAnew(file, kind)
    judgedAlone.set(file, judged)
    return judged
  }

  const judgeAnew = async (file: GivenFile, { format, value }: ExportKind): Promise<Judged> => {
    const attached = format === "pdf" ? await snapshotIn(file) : undefined
    const snapshot = membersOf(value ?? attached)
    const isProven = "evidence" in snapshot
    const what = `an export as ${format.toUpperCase()}`
    if (trust.publicKeys.length === 0) return [what, [noKeys]]
    const signed = manifestFor(await digestOf(file.bytes), manifests)
    const findings = signed === undefined ? unsignedExport : await judgeExport(file, { ...signed, isProven }, trust)
    if (!isProven) return [what, findings]
    const ofStatement = await judgeStatement(snapshot, trust)
    // A manifest signs every byte: that is the vendor's word of all of it, whatever its evidence leaves open.
    const isSigned = findings.some(({ outcome }) => outcome === "proven")
    return [
      `${what}: a statement with its evidence`,
      [
        ...(attached === undefined || isSigned ? [] : judgePages(snapshot)),
        ...findings,
        ...isSigned ? ofStatement.map(({ isNeeded: _isNeeded, ...finding }) => finding) : ofStatement
      ]
    ]
  }

  /** The verdict by the snapshot that a table belongs to: by its manifest, or else by what they have in common. */
  const judgeBeside = async (file: GivenFile): Promise<TableVerdict | undefined> => {
    const signed = manifestFor(await digestOf(file.bytes), manifests)
    const verdicts: Array<TableVerdict> = []
    for (const { file: other, kind } of snapshots) {
      const isBound = signed?.isOfFile === true && signed.ofSnapshot === await digestOf(other.bytes)
      // The manifest of a table names its snapshot. Any other is beside it by chance.
      if (signed?.isOfFile === true && !isBound) continue
      const isNamed = stemOf(other.name) === stemOf(file.name)
      const report = fileReport(other.name, ...await judgeAlone(other, kind))
      const verdict = judgeTable(file, { value: membersOf(kind.value), report, isItsOwn: isBound || isNamed })
      if (isNamed || isBound || snapshots.length === 1 || verdict.is !== "other") verdicts.push(verdict)
    }
    const order: ReadonlyArray<TableVerdict["is"]> = ["exact", "again", "changed", "other"]
    return verdicts.toSorted((one, two) => order.indexOf(one.is) - order.indexOf(two.is))[0]
  }

  return async (file: GivenFile, kind: ExportKind): Promise<Judged> => {
    const [what, findings] = await judgeAlone(file, kind)
    const beside = kind.format === "csv" ? await judgeBeside(file) : undefined
    if (beside === undefined) return [what, findings]
    // The manifest signs the bytes, and the snapshot knows the cells: what another program saved again has only these.
    const isWhole = beside.is === "exact" || beside.is === "again"
    const ofFile = findings.filter((one) =>
      !(isWhole && unsignedExport.includes(one)) && !(beside.is === "again" && one.outcome === "wrong")
    )
    return [what, [...beside.findings, ...ofFile]]
  }
}
