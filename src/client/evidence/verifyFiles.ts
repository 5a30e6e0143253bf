import * as Hex from "effect/encoding/Hex"
import { membersOf, parseMembers } from "../../domain/parsing/JsonMembers.ts"
import type { FileKind, GivenFile } from "./fileKind.ts"
import { kindOf } from "./fileKind.ts"
import type { FileReport, Finding } from "./FileReport.ts"
import { fileReport, open, wrong } from "./FileReport.ts"
import {
  judgeAnswer,
  judgeCheckpoint,
  judgeEvents,
  judgeExport,
  judgeOffline,
  judgeRefusal,
  noKeys,
  unsignedExport
} from "./judge.ts"
import { judgePages } from "./judgePages.ts"
import { judgeReceipt } from "./judgeReceipt.ts"
import { judgeStatement } from "./judgeStatement.ts"
import { attachmentIn } from "./pdfAttachment.ts"
import type { Trust } from "./Trust.ts"

/** A file, and what it is. */
interface Known {
  readonly file: GivenFile
  readonly kind: FileKind
}

/** A manifest, and the digests that it names: of the file, and of the snapshot that it was rendered from. */
interface Manifest {
  readonly text: string
  readonly ofFile: unknown
  readonly ofSnapshot: unknown
}

const digestOf = async (bytes: Uint8Array): Promise<string> =>
  `sha256:${Hex.encode(new Uint8Array(await crypto.subtle.digest("SHA-256", Uint8Array.from(bytes))))}`

const manifestOf = ({ kind }: Known): ReadonlyArray<Manifest> => {
  if (kind.is !== "manifest") return []
  const { artifact_digest, digest } = membersOf(parseMembers(kind.text)["data"])
  return [{ text: kind.text, ofFile: artifact_digest, ofSnapshot: digest }]
}

/** The manifest of a file: the one that names its digest, or the only one, which then says what was signed instead. */
const manifestFor = async (file: GivenFile, all: ReadonlyArray<Manifest>) => {
  const digest = await digestOf(file.bytes)
  const signed = all.find(({ ofFile, ofSnapshot }) => ofFile === digest || ofSnapshot === digest) ??
    (all.length === 1 ? all[0] : undefined)
  return signed && {
    manifest: signed.text,
    part: signed.ofFile !== digest && signed.ofSnapshot === digest ? "snapshot" : "artifact"
  } as const
}

/** The snapshot that is attached to a document. */
const snapshotIn = async ({ bytes, name }: GivenFile): Promise<unknown> => {
  const attached = await attachmentIn(bytes)
  const kind = attached === undefined ? undefined : kindOf({ name, bytes: attached })
  return kind?.is === "export" ? kind.value : undefined
}

const findingsOf = async (
  { file, kind }: Known,
  manifests: ReadonlyArray<Manifest>,
  trust: Trust
): Promise<readonly [what: string, findings: ReadonlyArray<Finding>]> => {
  switch (kind.is) {
    case "export": {
      const signed = await manifestFor(file, manifests)
      const attached = kind.format === "pdf" ? await snapshotIn(file) : undefined
      const snapshot = membersOf(kind.value ?? attached)
      const isProven = "evidence" in snapshot
      const what = `an export as ${kind.format.toUpperCase()}`
      if (trust.publicKeys.length === 0) return [what, [noKeys]]
      const findings = signed === undefined ? unsignedExport : await judgeExport(file, { ...signed, isProven }, trust)
      return isProven
        ? [
          `${what}: a statement with its evidence`,
          [
            ...findings,
            ...await judgeStatement(snapshot, trust),
            ...(attached === undefined ? [] : judgePages(snapshot))
          ]
        ]
        : [what, findings]
    }
    case "offline":
      return ["a license for a machine without a network", await judgeOffline(kind.envelope, trust)]
    case "answer":
      return ["a signed response of the service", await judgeAnswer(kind.text, trust)]
    case "receipt":
      return ["the receipt of a usage event", await judgeReceipt(kind.text, trust)]
    case "refusal":
      return ["a signed refusal of the service", await judgeRefusal(kind.statement, trust)]
    case "checkpoint":
      return ["a checkpoint of the event log", await judgeCheckpoint(kind.note, trust)]
    case "events":
      return ["an export of the event log", await judgeEvents(kind.lines, trust)]
    case "manifest":
      return ["the manifest of an export", [open("The file of the export is missing: this is its manifest alone.")]]
    case "keys":
      return ["a list of public keys", [
        open("The owner of these keys is not known. Trust them only as far as the place from which you have them.")
      ]]
    case "unreadable":
      return ["a file that readers may read differently", [wrong(`${kind.why}.`)]]
    case "unknown":
      return ["no file that Countersign makes", [
        open(
          "This cannot be verified. Choose an export with its manifest, an offline license, a signed response, a receipt, a checkpoint " +
            "or an export of the log."
        )
      ]]
  }
}

/**
 * Verifies files that the service made, and says in words what is proven and what is not. A manifest and a list of keys
 * belong to the other files; they have no report of their own where there are others.
 */
export const verifyFiles = async (
  files: ReadonlyArray<GivenFile>,
  trust: Trust
): Promise<ReadonlyArray<FileReport>> => {
  const known = files.map((file): Known => ({ file, kind: kindOf(file) }))
  const exports = known.filter(({ kind }) => kind.is === "export")
  const manifests = known.flatMap(manifestOf)
  const beside = known.filter(({ kind }) => kind.is === "keys" || (kind.is === "manifest" && exports.length > 0))
  const judged = beside.length === known.length ? known : known.filter((one) => !beside.includes(one))
  const reports: Array<FileReport> = []
  for (const one of judged) {
    const [what, findings] = await findingsOf(one, manifests, trust)
    reports.push(fileReport(one.file.name, what, findings))
  }
  return reports
}
