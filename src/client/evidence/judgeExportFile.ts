import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { membersOf, parseMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { attachmentIn } from "../files/pdfAttachment.ts"
import type { FileKind, GivenFile } from "./fileKind.ts"
import { kindOf } from "./fileKind.ts"
import type { Finding } from "./FileReport.ts"
import { fileReport } from "./FileReport.ts"
import { judgeExport, noKeys, unsignedExport } from "./judge.ts"
import { judgePages } from "./judgePages.ts"
import { judgeStatement } from "./judgeStatement.ts"
import { judgeTable } from "./judgeTable.ts"
import type { TableVerdict } from "./judgeTable.ts"
import type { Trust } from "./Trust.ts"

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
