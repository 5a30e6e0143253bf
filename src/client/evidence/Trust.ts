import { manifestSchema, snapshotSchema } from "../../domain/evidence/exports/ExportSeal.ts"
import { receiptSchema } from "../../domain/evidence/receipts/ReceiptFormat.ts"
import { isTlogProof } from "../../domain/evidence/transparency/MerkleTree.ts"
import { claimsOf, readNote } from "../../domain/evidence/transparency/SignedNote.ts"
import { isVerifiable, readKnownKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import type { VerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { isDouble, parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { isArchive } from "../files/unpacked.ts"
import { verifies } from "../notes/checkpoint.ts"
import type { PublicKey, RevokedKey } from "../notes/checkpoint.ts"
import { deepest, statementOf } from "../verify/verifyEnvelope.ts"
import { envelopeIn } from "../verify/verifyOffline.ts"

/** The keys of a vendor, as the service lists them. */
export interface VendorKeys {
  readonly publicKeys: ReadonlyArray<PublicKey>
  readonly revokedKeys: ReadonlyArray<RevokedKey>
}

/** The keys that a reader trusts, and by which they judge files. */
export interface Trust extends VendorKeys {
  /** The witnesses that the reader knows; those whose signatures cannot be verified here count for nothing. */
  readonly witnesses: ReadonlyArray<VerifierKey>
  /** How many keys of witnesses must have signed a checkpoint, at least one; all of them where the reader does not say. */
  readonly quorum: number
  /** The license key, for files that are sealed with it. */
  readonly licenseKey: string | undefined
  /** The fingerprint of the machine that a file is meant for. */
  readonly fingerprint: string | undefined
  /** The reader's clock, in Unix milliseconds. */
  readonly now: number
  readonly sha256: Sha256
}

const isKey = (value: unknown): value is PublicKey =>
  isMembers(value) && ["kid", "algorithm", "public_key"].every((name) => typeof value[name] === "string")

const isRevoked = (value: unknown): value is RevokedKey =>
  isKey(value) && "revoked_at" in value && typeof value.revoked_at === "string"

/** The keys in the body of `GET /api/v1/system/public-keys`, or in its `data` alone; undefined where there are none. */
export const vendorKeysIn = (body: unknown): VendorKeys | undefined => {
  const { data = body, revoked = [] } = isMembers(body) ? body : {}
  if (!Array.isArray(data) || data.length === 0 || !data.every(isKey)) return undefined
  return Array.isArray(revoked) && revoked.every(isRevoked) ? { publicKeys: data, revokedKeys: revoked } : undefined
}

/** The witnesses of a text with a verifier key in each line, and the lines that are none. */
export const witnessesIn = (
  text: string,
  sha256: Sha256
): { readonly witnesses: ReadonlyArray<VerifierKey>; readonly unread: ReadonlyArray<string> } => {
  const lines = text.split(/\r?\n/).map((line) => line.trim()).filter((line) => line !== "")
  const read = lines.map((line) => ({ line, key: readKnownKey(line, sha256) }))
  return {
    witnesses: read.flatMap(({ key }) => key ?? []),
    unread: read.filter(({ key }) => key === undefined).map(({ line }) => line)
  }
}

/** How many keys witnesses have: whoever has two names, or two lines, has one. */
export const keysOf = (witnesses: ReadonlyArray<VerifierKey>): number =>
  new Set(witnesses.map(({ publicKey }) => encodeHex(publicKey))).size

/** The witnesses that have signed a note, one for each key, and the names of those whose signatures on it are wrong. */
export const cosigners = async (
  note: string,
  { sha256, witnesses }: Pick<Trust, "sha256" | "witnesses">
): Promise<{ readonly signed: ReadonlyArray<string>; readonly forged: ReadonlyArray<string> }> => {
  const read = readNote(note)
  const signed = new Map<string, string>()
  const forged: Array<string> = []
  for (const { name, publicKey } of read === undefined ? [] : witnesses.filter(isVerifiable)) {
    const claims = claimsOf(read!, { name, publicKey }, sha256)
    if (claims.length === 0) continue
    const judged = await Promise.all(claims.map(({ message, signature }) => verifies(publicKey, message, signature)))
    if (judged.every(Boolean)) signed.set(encodeHex(publicKey), name)
    else forged.push(name)
  }
  return { signed: [...signed.values()], forged }
}

/** A file as it was chosen. */
export interface GivenFile {
  readonly name: string
  readonly bytes: Uint8Array
}

/** The kind of a file, by its content. */
export type FileKind =
  | { readonly is: "keys"; readonly keys: VendorKeys }
  | { readonly is: "manifest"; readonly text: string }
  | { readonly is: "export"; readonly format: "csv" | "json" | "pdf"; readonly value?: unknown }
  | { readonly is: "offline"; readonly envelope: unknown }
  | { readonly is: "refusal"; readonly statement: unknown }
  | { readonly is: "answer"; readonly text: string }
  | { readonly is: "receipt"; readonly text: string }
  | { readonly is: "checkpoint"; readonly note: string; readonly beside?: JsonMembers }
  | { readonly is: "proof" }
  | { readonly is: "tlog-proof"; readonly text: string }
  | { readonly is: "events"; readonly lines: ReadonlyArray<string> }
  | { readonly is: "archive" }
  | { readonly is: "unreadable"; readonly why: string }
  | { readonly is: "unknown" }

const startsWith = (bytes: Uint8Array, text: string): boolean =>
  [...text].every((character, index) => bytes[index] === character.charCodeAt(0))

const textOf = (bytes: Uint8Array): string | undefined => {
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes)
  } catch {
    return undefined
  }
}

const parsed = (text: string): { readonly value: unknown } | { readonly why: string } => {
  try {
    return { value: parseInternetJson(text, isDouble, deepest) }
  } catch (error) {
    return { why: error instanceof Error ? error.message : String(error) }
  }
}

const isEnvelope = (value: unknown): boolean => isMembers(value) && typeof value["ciphertext"] === "string"

/** The members of a checkpoint as the service serves it. What has others, as a proof or a chain, is more than a checkpoint. */
const ofCheckpoint: ReadonlySet<string> = new Set([
  "origin",
  "tree_size",
  "root_hash",
  "created_at",
  "kid",
  "note",
  "verifier_key",
  "cosignatures",
  "cosigned_tree_size"
])

/** A checkpoint as it is served, as `data` of that, or as the last line of an export; or a proof that has one beside others. */
const checkpointIn = (value: JsonMembers): FileKind => {
  const { checkpoint, data, meta: _meta, ...others } = value
  const isWrapped = Object.keys(others).length === 0 && (isMembers(data) !== isMembers(checkpoint))
  const inner = isWrapped ? (isMembers(data) ? data : checkpoint as JsonMembers) : value
  const { note } = inner
  if (typeof note === "string" && Object.keys(inner).every((name) => ofCheckpoint.has(name))) {
    return { is: "checkpoint", note, beside: inner }
  }
  const holder = isMembers(data) ? data : value
  return typeof note === "string" || isMembers(holder["checkpoint"]) ? { is: "proof" } : { is: "unknown" }
}

/** The kind of a file of one JSON value. */
const kindOfValue = (value: unknown, text: string): FileKind => {
  const keys = vendorKeysIn(value)
  if (keys !== undefined) return { is: "keys", keys }
  if (!isMembers(value)) return { is: "unknown" }
  const { data, schema, signature } = value
  if (schema === snapshotSchema) return { is: "export", format: "json", value }
  if (isEnvelope(value)) return { is: "offline", envelope: value }
  if (isEnvelope(data)) return { is: "offline", envelope: data }
  const statement = statementOf(value)
  if (statement !== undefined) return { is: "refusal", statement }
  if (isMembers(data) && data["schema"] === manifestSchema) return { is: "manifest", text }
  if (isMembers(data) && data["schema"] === receiptSchema) return { is: "receipt", text }
  if (isMembers(data) && isMembers(signature)) return { is: "answer", text }
  return checkpointIn(value)
}

const isEvent = (line: string): boolean => {
  const read = parsed(line)
  return "value" in read && isMembers(read.value) && "sequence" in read.value && "previous_hash" in read.value
}

/** Whether a file is an envelope as a mail program or an editor left it. */
const offlineIn = (bytes: Uint8Array): FileKind | undefined => {
  try {
    const envelope = envelopeIn(bytes)
    return isEnvelope(envelope) ? { is: "offline", envelope: bytes } : undefined
  } catch {
    return undefined
  }
}

const isTable = (name: string): boolean => /\.csv$/i.test(name)

/** Says what a file is. Its name counts only where the content does not tell. */
export const kindOf = ({ bytes, name }: GivenFile): FileKind => {
  if (startsWith(bytes, "%PDF-")) return { is: "export", format: "pdf" }
  if (isArchive(bytes)) return { is: "archive" }
  const text = textOf(bytes)
  if (text === undefined) {
    return offlineIn(bytes) ?? (isTable(name) ? { is: "export", format: "csv" } : { is: "unknown" })
  }
  if (isTlogProof(text)) return { is: "tlog-proof", text }
  if (readNote(text) !== undefined) return { is: "checkpoint", note: text }
  const whole = parsed(text)
  if ("value" in whole) return kindOfValue(whole.value, text)
  const end = text.indexOf("\n")
  if (end > 0 && isEvent(text.slice(0, end))) return { is: "events", lines: text.split("\n") }
  const offline = offlineIn(bytes)
  if (offline !== undefined) return offline
  if (isTable(name)) return { is: "export", format: "csv" }
  // Two readers may read differently what is JSON and no I-JSON: it is no evidence, and the reason is worth saying.
  return /^\s*\{/.test(text) ? { is: "unreadable", why: whole.why } : { is: "unknown" }
}
