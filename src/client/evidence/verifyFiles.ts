import { introducing, revoking } from "../../domain/evidence/transparency/LogKeys.ts"
import { readTlogProof } from "../../domain/evidence/transparency/MerkleTree.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { archivedFiles, isArchive, Unpackable } from "../files/unpacked.ts"
import { followLogKeys } from "../notes/followLogKeys.ts"
import { verifyTlogProof } from "../notes/tlogProof.ts"
import { verifyReceipt } from "../verify/verifyReceipt.ts"
import { counted, fileReport, open, proven, wrong } from "./FileReport.ts"
import type { FileReport, Finding, Outcome } from "./FileReport.ts"
import {
  judgeAnswer,
  judgeCheckpoint,
  judged,
  judgeEvents,
  judgeOffline,
  judgeRefusal,
  judgeWitnesses,
  ofTest
} from "./judge.ts"
import { exportJudge } from "./judgeExportFile.ts"
import type { Judged, Known } from "./judgeExportFile.ts"
import { kindOf } from "./Trust.ts"
import type { GivenFile, Trust } from "./Trust.ts"

/** Judges the receipt of a use, as an app kept it. */
const judgeReceipt = (receipt: string, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const { publicKeys, revokedKeys, sha256 } = trust
    const found = await verifyReceipt({ receipt, publicKeys, revokedKeys, sha256, allowTest: true })
    const { checkpoint: { kid, origin, size, time }, event, eventId, licenseId, note } = found
    const { amount, feature_code, total_consumptions, used_at } = membersOf(event["data"])
    const at = used_at === undefined
      ? event["created_at"]
      : `${String(used_at)}, reported at ${String(event["created_at"])}`
    return [
      proven(
        `The license ${licenseId} used ${String(amount)} of ${String(feature_code)} at ${
          String(at)
        }, under the ID ${eventId}. ` +
          `That came to ${String(total_consumptions)} in all.`
      ),
      proven(
        `This is event ${String(event["sequence"])} of the log ${origin}. The key ${kid} signed the log with ${
          counted(size, "event")
        }${time === undefined ? "" : ` at ${time}`}.`
      ),
      ...await judgeWitnesses(note, size, trust),
      ...ofTest(event["environment"]),
      open("Whether the usage was refunded or corrected later: a statement of the license shows that.")
    ]
  })

/** The findings about the keys of the log that an event introduces or revokes; none of most events. */
const aboutKeys = ({ data, event_type }: JsonMembers): ReadonlyArray<Finding> => {
  const { introduced_by, kid, revoked_at } = membersOf(data)
  if (event_type === introducing) {
    return [
      proven(
        `The key ${String(kid)} signs the log from then on: ${String(membersOf(introduced_by)["kid"])} introduced it.`
      )
    ]
  }
  return event_type === revoking ? [proven(`The key ${String(kid)} was revoked at ${String(revoked_at)}.`)] : []
}

/** Judges the proof of an event (C2SP tlog-proof), which has the event. */
const judgeTlogProof = (proof: string, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    if (readTlogProof(proof)?.leaf === undefined) {
      return [open("The proof does not have its event: verify it with the event that it is of.")]
    }
    const { publicKeys, revokedKeys, sha256 } = trust
    const verdict = await verifyTlogProof({ proof, publicKeys, revokedKeys, sha256 })
    if (!verdict.ok) return [wrong(`${verdict.detail}.`)]
    const { checkpoint: { kid, origin, size, time }, event, note, sequence } = verdict
    const { created_at, event_type, id, resource_id } = event
    return [
      proven(
        `Event ${sequence} of the log ${origin} is ${String(id)}: ${String(event_type)}${
          resource_id === undefined ? "" : ` of ${String(resource_id)}`
        }, at ${String(created_at)}.`
      ),
      ...aboutKeys(event),
      proven(
        `The key ${kid} signed the log with ${counted(size, "event")}${time === undefined ? "" : ` at ${time}`}.`
      ),
      ...await judgeWitnesses(note, size, trust),
      ...ofTest(event["environment"])
    ]
  })

/** The trust of a reader once the proofs among the files are followed, in the order of the log. A proof that is of no key changes nothing. */
const withLogKeys = async (trust: Trust, proofs: ReadonlyArray<string>): Promise<Trust> => {
  const placeOf = (proof: string) => readTlogProof(proof)?.index ?? 0
  let followed: Trust = trust
  for (const proof of proofs.toSorted((a, b) => placeOf(a) - placeOf(b))) {
    const { publicKeys, revokedKeys, sha256 } = followed
    const found = await followLogKeys({ proofs: [proof], publicKeys, revokedKeys, sha256 })
    if (found.ok) followed = { ...trust, publicKeys: found.publicKeys, revokedKeys: found.revokedKeys }
  }
  return followed
}

/** The verdict on a file, as a sentence. */
export const verdicts: Readonly<Record<Outcome, string>> = {
  proven: "Proven, as far as said below.",
  wrong: "Do not rely on it: something is wrong.",
  open: "Not proven."
}

/** The headings above what is proven and what is not, in the order in which they are read. */
export const headings: ReadonlyArray<readonly [outcome: Outcome, heading: string]> = [
  ["wrong", "Wrong"],
  ["proven", "Proven"],
  ["open", "Not proven"]
]

/** The files of an archive, as files beside each other; none where nothing of it is of the service. */
const entriesOf = async (archive: GivenFile): Promise<ReadonlyArray<GivenFile>> => {
  const files = await archivedFiles(archive)
  return files.some((file) => kindOf(file).is !== "unknown") ? files : []
}

/** The files with those in archives in the place of these. An archive that cannot be read stays, for its report to say why. */
export const openedFiles = async (files: ReadonlyArray<GivenFile>): Promise<ReadonlyArray<GivenFile>> => {
  const opened = await Promise.all(files.map(async (file) => {
    if (!isArchive(file.bytes)) return [file]
    const entries = await entriesOf(file).catch((error: unknown) =>
      error instanceof Unpackable ? [] : Promise.reject(error)
    )
    return entries.length === 0 ? [file] : entries
  }))
  return opened.flat()
}

/** The reason why nothing of an archive can be verified. */
const judgeArchive = async (file: GivenFile): Promise<ReadonlyArray<Finding>> => {
  try {
    await entriesOf(file)
  } catch (error) {
    if (error instanceof Unpackable) return [open(`The archive ${error.message}. Unpack it, and choose its files.`)]
    throw error
  }
  return [
    open(
      "The archive has no file that Countersign makes. A workbook that a spreadsheet program saved does not have the export: " +
        "choose the file as it was downloaded."
    )
  ]
}

const judge = async (
  { file, kind }: Known,
  judgeExport: ReturnType<typeof exportJudge>,
  trust: Trust
): Promise<Judged> => {
  switch (kind.is) {
    case "export":
      return judgeExport(file, kind)
    case "offline":
      return ["a license for a machine without a network", await judgeOffline(kind.envelope, trust)]
    case "answer":
      return ["a signed response of the service", await judgeAnswer(kind.text, trust)]
    case "receipt":
      return ["the receipt of a usage event", await judgeReceipt(kind.text, trust)]
    case "refusal":
      return ["a signed refusal of the service", await judgeRefusal(kind.statement, trust)]
    case "checkpoint":
      return ["a checkpoint of the event log", await judgeCheckpoint(kind, trust)]
    case "tlog-proof":
      return ["the proof of an event of the log", await judgeTlogProof(kind.text, trust)]
    case "proof":
      return ["a proof of events of the log", [
        open(
          "Proofs are verified with the event that they are of: choose an export of the log, a statement or a receipt."
        )
      ]]
    case "events":
      return ["an export of the event log", await judgeEvents(kind.lines, trust)]
    case "manifest":
      return ["the manifest of an export", [open("The file of the export is missing: this is its manifest alone.")]]
    case "keys":
      return ["a list of public keys", [
        open("The owner of these keys is not known. Trust them only as far as the place from which you have them.")
      ]]
    case "archive":
      return ["an archive", await judgeArchive(file)]
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
 * belong to the other files; they have no report of their own where there are others. Keys that the log introduced count, where the proof
 * of that is among the files.
 */
export const verifyFiles = async (
  files: ReadonlyArray<GivenFile>,
  given: Trust
): Promise<ReadonlyArray<FileReport>> => {
  const known = (await openedFiles(files)).map((file): Known => ({ file, kind: kindOf(file) }))
  const exports = known.filter(({ kind }) => kind.is === "export")
  const proofs = known.flatMap(({ kind }) => kind.is === "tlog-proof" ? [kind.text] : [])
  const trust = await withLogKeys(given, proofs)
  const judgeExport = exportJudge(known, trust)
  const beside = known.filter(({ kind }) => kind.is === "keys" || (kind.is === "manifest" && exports.length > 0))
  const judged = beside.length === known.length ? known : known.filter((one) => !beside.includes(one))
  const reports: Array<FileReport> = []
  for (const one of judged) {
    reports.push(fileReport(one.file.name, ...await judge(one, judgeExport, trust)))
  }
  return reports
}
