import { ed25519 } from "../../domain/evidence/transparency/SignedNote.ts"
import { isVerifiable, writeVerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeBase64 } from "../../domain/ground/parsing/StrictBytes.ts"
import { refusalType } from "../../domain/keys/security/RefusalFormat.ts"
import type { VerifiedCheckpoint } from "../notes/checkpoint.ts"
import { ExportError, verifyCheckpoint, verifyExport } from "../verify/verifyCheckpoint.ts"
import { EnvelopeError, parseAnswer, verifySigned } from "../verify/verifyEnvelope.ts"
import { verifyEvents } from "../verify/verifyEvents.ts"
import { envelopeIn, OfflineError, verifyOffline } from "../verify/verifyOffline.ts"
import type { Finding } from "./FileReport.ts"
import { counted, lacking, listed, open, proven, wrong } from "./FileReport.ts"
import { cosigners, keysOf } from "./Trust.ts"
import type { GivenFile, Trust } from "./Trust.ts"

/** The finding where no key is trusted. */
export const noKeys = open("The maker of this file is unknown: no public key of the vendor was given.")

const textAt = (data: Readonly<Record<string, unknown>>, name: string): string | undefined => {
  const value = data[name]
  return typeof value === "string" ? value : undefined
}

/** The finding of what is of another environment than the live one. */
export const ofTest = (environment: unknown): ReadonlyArray<Finding> =>
  environment === undefined
    ? []
    : [open(`The file is of the ${String(environment)} environment, in which no license is sold.`)]

/** The finding of an error of a verification; any other error is thrown again. */
const refusal = (error: unknown): Finding => {
  if (error instanceof EnvelopeError || error instanceof ExportError || error instanceof OfflineError) {
    return wrong(`${error.message}.`)
  }
  throw error
}

/** Runs a verification, whose errors are findings; without keys there is none. */
export const judged = async (
  trust: Trust,
  run: () => Promise<ReadonlyArray<Finding>>
): Promise<ReadonlyArray<Finding>> => {
  if (trust.publicKeys.length === 0) return [noKeys]
  try {
    return await run()
  } catch (error) {
    return [refusal(error)]
  }
}

/** Judges a signed manifest and the file that it is of. */
export const judgeExport = (
  file: GivenFile,
  { isProven, manifest, part }: {
    readonly manifest: string
    readonly isProven: boolean
    readonly part: "artifact" | "snapshot"
  },
  trust: Trust
): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const { kid, manifest: signed } = await verifyExport({
      file: [file.bytes],
      manifest,
      part,
      publicKeys: trust.publicKeys
    })
    const { as_of_sequence, checkpoint, environment, file_name, frozen_at, report_kind, rows } = signed
    const upTo = checkpoint === undefined
      ? ""
      : ` The file names the checkpoint of ${counted(checkpoint.tree_size, "event")}.`
    return [
      proven(
        `The key ${kid} signed this ${
          part === "artifact" ? "file as" : "snapshot of"
        } ${file_name}. Not a byte of it has changed since.`
      ),
      proven(
        `This is the report ${report_kind} with ${
          counted(rows, "row")
        }, as of ${frozen_at}, after event ${as_of_sequence}.`
      ),
      ...ofTest(environment),
      ...(isProven
        ? []
        : [open(`Whether the figures add up: that takes the log, or a statement with its evidence.${upTo}`)])
    ]
  })

/** The findings of an export without its manifest. */
export const unsignedExport: ReadonlyArray<Finding> = [
  open(
    "The maker of this file is unknown without its manifest. " +
      "Get it from GET /api/v1/reports/exports/{id}/manifest and choose both."
  )
]

/** Judges a file for a machine without a network. */
export const judgeOffline = async (envelope: unknown, trust: Trust): Promise<ReadonlyArray<Finding>> => {
  const { fingerprint, licenseKey } = trust
  if (licenseKey === undefined) {
    return [open("The content is sealed with the license key. Enter the key to open it.")]
  }
  return judged(trust, async () => {
    const device = textAt(envelopeIn(envelope), "device_id")
    const { data, kid } = await verifyOffline({
      envelope,
      licenseKey,
      publicKeys: trust.publicKeys,
      allowTest: true,
      expected: { now: trust.now },
      ...(fingerprint === undefined ? device === undefined ? {} : { deviceId: device } : { fingerprint })
    })
    return [
      proven(
        `The key ${kid} signed this for the device ${textAt(data, "device_id")}, at ${textAt(data, "issued_at")}.`
      ),
      proven(
        `The license ${textAt(data, "license_id")} was ${textAt(data, "status")} then. The file is valid until ` +
          `${textAt(data, "valid_until")}.`
      ),
      ...ofTest(data["environment"]),
      fingerprint === undefined
        ? open("Whether this is the machine that it was made for: no fingerprint was given.")
        : proven("The fingerprint is that of the machine that the file was made for."),
      open("Whether the license was suspended or revoked since: the file cannot know it.")
    ]
  })
}

/** Judges a response that the service signed for an app. */
export const judgeAnswer = (text: string, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const { data, kid } = await verifySigned("answer", parseAnswer(text), trust.publicKeys, true)
    const [issued, license, nonce, status, until] = ["issued_at", "license_id", "nonce", "status", "valid_until"]
      .map((name) => textAt(data, name))
    const isPast = until !== undefined && Date.parse(until) < trust.now
    return [
      proven(`The key ${kid} signed this response${issued === undefined ? "" : ` at ${issued}`}.`),
      ...(license === undefined
        ? []
        : [
          proven(
            `The response is about the license ${license}${status === undefined ? "" : `, which was ${status} then`}.`
          )
        ]),
      ...ofTest(data["environment"]),
      ...(until === undefined
        ? []
        : [
          isPast
            ? open(`Whether it still holds: it was valid until ${until}.`)
            : proven(`The response is valid until ${until}.`)
        ]),
      open(
        nonce === undefined
          ? "Whether it belongs to the request that you mean: it names no nonce."
          : `Whether it belongs to the request that you mean: compare its nonce ${nonce} with the one that was sent.`
      )
    ]
  })

/** Judges a refusal that the service signed. */
export const judgeRefusal = (statement: unknown, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const { data, kid } = await verifySigned("refusal", statement, trust.publicKeys, true)
    const code = textAt(data, "code")
    if (data["type"] !== refusalType || code === undefined) return [wrong("The signed data is not a refusal.")]
    return [
      proven(`The key ${kid} signed this refusal, ${code}, at ${textAt(data, "issued_at")}.`),
      ...ofTest(data["environment"]),
      open("Whether it is the refusal of your request: only the program that sent it can compare its hash.")
    ]
  })

/** Whether enough witnesses have signed the note of a checkpoint of this many events. */
export const judgeWitnesses = async (note: string, size: number, trust: Trust): Promise<ReadonlyArray<Finding>> => {
  const { witnesses } = trust
  // A quorum of nobody would be met by everything.
  const quorum = trust.quorum >= 1 ? trust.quorum : keysOf(witnesses)
  if (witnesses.length === 0) {
    return [open("Whether others are shown the same log: no witness was named.")]
  }
  const { forged, signed } = await cosigners(note, trust)
  const events = counted(size, "event")
  const unchecked = witnesses.filter((witness) => !isVerifiable(witness))
  const short = (text: string) => signed.length + keysOf(unchecked) < quorum ? wrong(text) : lacking(text)
  return [
    ...(unchecked.length === 0
      ? []
      : [
        open(
          `Whether ${
            listed(unchecked.map(({ name }) => name))
          } signed the checkpoint: a key of a type that this program cannot check ` +
            "(ML-DSA-44) counts for nothing here."
        )
      ]),
    ...(forged.length === 0
      ? []
      : [wrong(`The checkpoint names ${listed(forged)} as witnesses, and their signatures are not theirs.`)]),
    signed.length < quorum
      ? short(
        `Only ${signed.length} of the ${
          quorum === 1 ? "1 witness that is required has" : `${quorum} witnesses that are required have`
        } signed the checkpoint of ${events}: ` +
          "others may be shown another log."
      )
      : proven(`${listed(signed)} signed the checkpoint of ${events} too: it continues all that they have signed.`)
  ]
}

/** The findings about what is said of a checkpoint beside its note: what the note says, and the key, or else the vendor's word. */
const besideNote = (
  beside: JsonMembers,
  { kid, origin, rootHash, size, time }: VerifiedCheckpoint,
  { publicKeys, revokedKeys, sha256 }: Trust
): ReadonlyArray<Finding> => {
  const key = [...publicKeys, ...revokedKeys].find((one) => one.kid === kid)
  const publicKey = key === undefined ? undefined : decodeBase64(key.public_key, 32)
  const read: JsonMembers = {
    origin,
    tree_size: size,
    root_hash: rootHash,
    created_at: time,
    kid,
    ...(publicKey === undefined
      ? {}
      : { verifier_key: writeVerifierKey({ name: origin, type: ed25519, publicKey }, sha256) })
  }
  const other = Object.keys(read).filter((name) => name in beside && beside[name] !== read[name])
  if (other.length > 0) return [wrong(`The note and the file disagree on ${listed(other)}.`)]
  const words = Object.keys(beside).filter((name) => name !== "note" && !(name in read))
  return words.length === 0 ? [] : [open(`The vendor's word, which the note does not contain: ${listed(words)}.`)]
}

/** Judges a checkpoint of the log, with what is said of it beside its note. */
export const judgeCheckpoint = (
  { beside = {}, note }: { readonly note: string; readonly beside?: JsonMembers },
  trust: Trust
): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const verdict = await verifyCheckpoint({ note, ...trust })
    if (!verdict.ok) return [wrong(`${verdict.detail}.`)]
    const { kid, origin, size, time } = verdict.checkpoint
    return [
      ...besideNote(beside, verdict.checkpoint, trust),
      proven(
        `The key ${kid} signed that the log ${origin} has ${counted(size, "event")}${
          time === undefined ? "" : ` at ${time}`
        }.`
      ),
      ...await judgeWitnesses(note, size, trust)
    ]
  })

/** The checkpoint in the last line of an export, with whatever stands in that line. */
const lastIn = (lines: ReadonlyArray<string>): JsonMembers => {
  const { checkpoint, ...others } = membersOf(JSON.parse(lines.findLast((line) => line !== "") ?? "{}"))
  return { ...others, ...membersOf(checkpoint) }
}

/** Judges an export of the event log. */
export const judgeEvents = (lines: ReadonlyArray<string>, trust: Trust): Promise<ReadonlyArray<Finding>> =>
  judged(trust, async () => {
    const verdict = await verifyEvents({ lines, ...trust })
    if (!verdict.ok) {
      const where = verdict.sequence === undefined ? "The log" : `Event ${verdict.sequence}`
      return [wrong(`${where} is not as it was signed (${verdict.fault}): ${verdict.detail}.`)]
    }
    const { checkpoints, environment, epochs, erased, events } = verdict
    const { kid, origin, size, time } = checkpoints.at(-1)!
    const last = lastIn(lines)
    return [
      ...besideNote(last, checkpoints.at(-1)!, trust),
      proven(
        `The key ${kid} signed these ${counted(events, "event")} of ${origin}${
          time === undefined ? "" : ` at ${time}`
        }: none was changed, omitted, moved or added.`
      ),
      ...ofTest(environment),
      ...(erased === 0 ? [] : [open(`Personal values that were erased can no longer be read: ${erased}.`)]),
      ...epochs.map(({ epoch, first_sequence }) =>
        open(
          `The log was restored to an earlier state before event ${first_sequence} (epoch ${epoch}): later events were lost then.`
        )
      ),
      ...await judgeWitnesses(textAt(last, "note") ?? "", size, trust)
    ]
  })
