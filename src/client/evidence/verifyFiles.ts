import { archivedFiles, isArchive } from "../files/archives.ts"
import { Unpackable } from "../files/unpacked.ts"
import type { GivenFile } from "./fileKind.ts"
import { kindOf } from "./fileKind.ts"
import type { FileReport, Finding } from "./FileReport.ts"
import { fileReport, open, wrong } from "./FileReport.ts"
import { judgeAnswer, judgeCheckpoint, judgeEvents, judgeOffline, judgeRefusal } from "./judge.ts"
import { exportJudge } from "./judgeExportFile.ts"
import type { Judged, Known } from "./judgeExportFile.ts"
import { judgeReceipt } from "./judgeReceipt.ts"
import { judgeTlogProof, withLogKeys } from "./judgeTlogProof.ts"
import type { Trust } from "./Trust.ts"

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
