import { manifestSchema, sealText } from "../../domain/evidence/exports/ExportSeal.ts"
import { verifyConsistency } from "../../domain/evidence/transparency/MerkleTree.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { decodeHex } from "../../domain/ground/parsing/StrictBytes.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import { readOrigin } from "../../domain/log/EpochPlace.ts"
import type { Sha256 } from "../../domain/log/EventLeaf.ts"
import type { ReportExportManifest } from "../api/types.gen.ts"
import { byWebCrypto, platformSha256 } from "../hashing/sha256.ts"
import { checkSignature, isRefused, verifyNote } from "../notes/checkpoint.ts"
import type { NoteFault, PublicKey, RevokedKey, SignatureErrorCode, VerifiedCheckpoint } from "../notes/checkpoint.ts"

/** The reason why a download or its manifest was refused. */
export type ExportErrorCode = SignatureErrorCode | "size_mismatch" | "digest_mismatch"

/** A download that is not what was signed, or a manifest that nobody signed. */
export class ExportError extends Error {
  override readonly name = "ExportError"
  readonly code: ExportErrorCode
  /** When the key that signed was revoked, RFC 3339; undefined unless the public keys say so. The code is `unknown_key`. */
  readonly revokedAt: string | undefined
  constructor(code: ExportErrorCode, message: string, revokedAt?: string) {
    super(message)
    this.code = code
    this.revokedAt = revokedAt
  }
}

export interface VerifyExportOptions {
  /** The bytes of the download, in pieces. */
  readonly file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** The body of `GET /api/v1/reports/exports/{id}/manifest`, preferably as text: a name twice is refused. */
  readonly manifest: unknown
  /** As `GET /api/v1/system/public-keys` lists them, from a source that is trusted; revoked ones verify nothing. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** The kind of the file: the artifact (the default), or the snapshot that it was rendered from. */
  readonly part?: "artifact" | "snapshot"
}

/** A manifest whose signatures hold, and the key that made them. */
export interface VerifiedExport {
  readonly manifest: ReportExportManifest
  readonly kid: string
}

const malformed = (message: string) => new ExportError("malformed", message)

const parse = (text: string): unknown => {
  try {
    return parseInternetJson(text)
  } catch (error) {
    throw malformed(`The manifest cannot be read: ${(error as Error).message}`)
  }
}

const signedText = (manifest: unknown): string => {
  try {
    return canonicalJson(manifest)
  } catch {
    // A parsed one may hold itself, or be nested deeper than the stack is.
    throw malformed("The manifest cannot have been signed")
  }
}

/** A streaming SHA-256. Where the platform has none, the pieces are kept in memory until the end. */
const summing = () => {
  const { process } = globalThis as {
    process?: { getBuiltinModule?: (name: "node:crypto") => typeof import("node:crypto") }
  }
  const sum = process?.getBuiltinModule?.("node:crypto").createHash("sha256")
  const kept: Array<Uint8Array> = []
  return {
    add: (piece: Uint8Array): void => {
      if (sum === undefined) kept.push(piece)
      else sum.update(piece)
    },
    digest: async (): Promise<string> => {
      const bytes = sum === undefined
        ? new Uint8Array(await crypto.subtle.digest("SHA-256", await new Blob(kept as Array<BlobPart>).arrayBuffer()))
        : sum.digest()
      return `sha256:${Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("")}`
    }
  }
}

const isManifest = (value: unknown): value is ReportExportManifest =>
  isMembers(value) && value["schema"] === manifestSchema && typeof value["digest"] === "string" &&
  typeof value["artifact_digest"] === "string" && Number.isSafeInteger(value["artifact_size"]) &&
  Number.isSafeInteger(value["snapshot_size"])

/**
 * Verifies a downloaded export against its signed manifest: that the keys are known, that the manifest and the digest
 * of the snapshot are signed, and that the file has the size and the digest that the manifest names. Asks nobody. A
 * JSON export is its own snapshot, so both digests must be the same. Rejects with an {@link ExportError}.
 */
export const verifyExport = async (options: VerifyExportOptions): Promise<VerifiedExport> => {
  const { file, part = "artifact", publicKeys } = options
  const envelope = typeof options.manifest === "string" ? parse(options.manifest) : options.manifest
  if (!isMembers(envelope) || !isManifest(envelope["data"])) throw malformed("This is not the manifest of an export")
  const manifest = envelope["data"]
  const refuse = (...reason: ConstructorParameters<typeof ExportError>) => new ExportError(...reason)
  const { kid } = await checkSignature({
    what: "manifest",
    signature: envelope["signature"],
    publicKeys,
    text: () => signedText(manifest),
    claimedEnvironment: manifest.environment,
    refuse
  })
  await checkSignature({
    what: "snapshot",
    signature: manifest.seal,
    publicKeys,
    text: () => sealText(manifest.digest),
    refuse
  })
  if (manifest.format === "json" && manifest.digest !== manifest.artifact_digest) {
    throw malformed("The file of a JSON export must be its snapshot")
  }
  const [digest, size] = part === "artifact"
    ? [manifest.artifact_digest, manifest.artifact_size]
    : [manifest.digest, manifest.snapshot_size]
  const sum = summing()
  let length = 0
  for await (const piece of file) {
    sum.add(piece)
    length += piece.length
  }
  if (length !== size) {
    throw new ExportError("size_mismatch", `The ${part} has ${length} bytes, and ${size} were signed`)
  }
  const found = await sum.digest()
  if (found !== digest) throw new ExportError("digest_mismatch", `The ${part} is ${found}, and ${digest} was signed`)
  return { manifest, kid }
}

/**
 * The faults of a checkpoint, beside those of its note.
 * - `other_log`: the one that was kept is of another log
 * - `truncated`: it covers fewer events than the one that was kept
 * - `rewritten`: its events do not begin with those that the kept one covers
 * - `lost_part`: the log was restored to an earlier state since, and events that the kept one covers were lost
 */
export type CheckpointFault = NoteFault | "other_log" | "truncated" | "rewritten" | "lost_part"

/** Either the checkpoint that was verified, or what is wrong. */
export type CheckpointVerdict =
  | {
    readonly ok: true
    readonly checkpoint: VerifiedCheckpoint
    /** The one that was kept, which this one continues; absent when none was given. */
    readonly since?: VerifiedCheckpoint
  }
  | {
    readonly ok: false
    readonly fault: CheckpointFault
    readonly detail: string
    /** When the key that signed was revoked, ISO 8601; absent unless that is why. */
    readonly revokedAt?: string
  }

export interface VerifyCheckpointOptions {
  /** `note` of `GET /api/v1/events/checkpoint`; whatever else that answer says is read from the note anew. */
  readonly note: string
  /** `data` of `GET /api/v1/system/public-keys`, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** `revoked` of the same answer. Such a key vouches only for the checkpoint that was kept. */
  readonly revokedKeys?: ReadonlyArray<RevokedKey>
  /** A checkpoint that was kept from before: the log must continue it. */
  readonly since?: {
    readonly note: string
    /**
     * Asks for the proof that it does: `(from, to) => client.events.getConsistency({ from, to })`. Called where the sizes
     * differ; what it rejects with, the verification rejects with.
     */
    readonly prove: (from: number, to: number) => PromiseLike<{ readonly hashes: ReadonlyArray<string> }>
  }
  /** SHA-256. Default: the platform's. */
  readonly sha256?: Sha256
}

/**
 * Verifies a checkpoint of the event log without the events: that its note is signed by one of the public keys (Ed25519;
 * C2SP tlog-checkpoint), and that the log continues what a checkpoint covers that was kept from before (the consistency
 * proof of RFC 6962, 2.1.2): nothing that was signed then was changed, taken out or put in since. Runs wherever WebCrypto
 * is, in browsers too. Rejects only when `prove` does, or where the platform has no Ed25519; what is wrong is in the verdict.
 */
export const verifyCheckpoint = async (options: VerifyCheckpointOptions): Promise<CheckpointVerdict> => {
  const { note, publicKeys, revokedKeys = [], since } = options
  const own = options.sha256 ?? platformSha256()
  const hashing = async <A>(run: (sha256: Sha256) => A): Promise<Awaited<A>> =>
    own === undefined ? byWebCrypto(run) : await run(own)
  const verified = (text: string) => hashing((sha256) => verifyNote(text, { publicKeys, revokedKeys, sha256 }))
  const wrong = (fault: CheckpointFault, detail: string): CheckpointVerdict => ({ ok: false, fault, detail })

  const checkpoint = await verified(note)
  if (isRefused(checkpoint)) return checkpoint
  const { kid, origin, revokedAt, rootHash, size } = checkpoint
  const isKept = note === since?.note
  if (revokedAt !== undefined && !isKept) {
    const detail = `The checkpoint of ${size} events is signed with ${kid}, which was revoked at ${revokedAt}`
    return { ok: false, fault: "revoked_key", detail, revokedAt }
  }
  if (since === undefined) return { ok: true, checkpoint }
  if (isKept) return { ok: true, checkpoint, since: checkpoint }

  const kept = await verified(since.note)
  if (isRefused(kept)) return { ...kept, detail: `Of the one that was kept: ${kept.detail}` }
  const [now, then] = [readOrigin(origin), readOrigin(kept.origin)]
  if (now.log !== then.log) {
    return wrong("other_log", `The checkpoint is of ${origin}, the one that was kept is of ${kept.origin}`)
  }
  const fault = now.epoch > then.epoch ? "lost_part" : "rewritten"
  if (size < kept.size || now.epoch < then.epoch) {
    return wrong(
      fault === "lost_part" ? fault : "truncated",
      `The checkpoint of ${origin} covers ${size} events, the one of ${kept.origin} that was kept ${kept.size}`
    )
  }
  const proof = size === kept.size || kept.size === 0 ? [] : (await since.prove(kept.size, size)).hashes
  const hashes = proof.map((hash) => decodeHex(hash, 32) ?? new Uint8Array())
  const continues = kept.size === 0 || await hashing((sha256) =>
    verifyConsistency({
      first: kept.size,
      firstRoot: decodeHex(kept.rootHash, 32)!,
      second: size,
      secondRoot: decodeHex(rootHash, 32)!,
      hashes
    }, sha256)
  )
  return continues
    ? { ok: true, checkpoint, since: kept }
    : wrong(fault, `The ${size} events do not begin with the ${kept.size} that the kept checkpoint covers`)
}
