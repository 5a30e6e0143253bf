import { claimsOf, readNote } from "../../domain/evidence/transparency/SignedNote.ts"
import type { VerifierKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { isVerifiable, readKnownKey } from "../../domain/evidence/transparency/VerifierKey.ts"
import { encodeHex } from "../../domain/ground/parsing/ByteTexts.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import { verifies } from "../notes/signature.ts"
import type { PublicKey, RevokedKey } from "../notes/signature.ts"

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
