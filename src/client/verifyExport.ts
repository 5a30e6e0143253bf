import * as Base64 from "effect/encoding/Base64"
import { canonicalJson } from "../domain/CanonicalJson.ts"
import { manifestSchema, sealText } from "../domain/ExportManifest.ts"
import type { ExportManifest } from "../domain/ExportManifest.ts"
import type { PublicKey } from "./verifyEnvelope.ts"

/** Why a download or its manifest was refused. */
export type ExportErrorCode =
  | "malformed"
  | "unsupported_algorithm"
  | "unknown_key"
  | "signature_mismatch"
  | "size_mismatch"
  | "digest_mismatch"

/** A download that is not what was signed, or a manifest that nobody signed. */
export class ExportError extends Error {
  override readonly name = "ExportError"
  readonly code: ExportErrorCode
  constructor(code: ExportErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

export interface VerifyExportOptions {
  /** The bytes of the download, in pieces. */
  readonly file: AsyncIterable<Uint8Array> | Iterable<Uint8Array>
  /** The body of `GET /api/v1/reports/exports/{id}/manifest`, as text or parsed. */
  readonly manifest: unknown
  /** As `GET /api/v1/system/public-keys` lists them, from a source that is trusted. */
  readonly publicKeys: ReadonlyArray<PublicKey>
  /** What the file is: the artifact (the default), or the snapshot that it was rendered from. */
  readonly part?: "artifact" | "snapshot"
}

/** A manifest whose signatures hold, and the key that made them. */
export interface VerifiedExport {
  readonly manifest: ExportManifest
  readonly kid: string
}

type Members = Readonly<Record<string, unknown>>

const isObject = (value: unknown): value is Members =>
  typeof value === "object" && value !== null && !Array.isArray(value)

const malformed = (message: string) => new ExportError("malformed", message)

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text)
  } catch {
    throw malformed("The manifest is not JSON")
  }
}

const decode = (text: unknown, length: number): Uint8Array<ArrayBuffer> | undefined => {
  if (typeof text !== "string") return undefined
  const bytes = Base64.decode(text)
  return bytes._tag === "Success" && bytes.success.length === length ? Uint8Array.from(bytes.success) : undefined
}

const checkSignature = async (
  what: string,
  signature: unknown,
  text: string,
  publicKeys: ReadonlyArray<PublicKey>
): Promise<string> => {
  if (!isObject(signature)) throw malformed(`The ${what} has no signature`)
  const { alg, algorithm = alg, kid, value } = signature
  if (alg !== "Ed25519" || algorithm !== "Ed25519") {
    throw new ExportError("unsupported_algorithm", `The ${what} is not signed with Ed25519`)
  }
  const published = publicKeys.find((key) => key.kid === kid)
  const rawKey = published?.algorithm === "Ed25519" ? decode(published.public_key, 32) : undefined
  if (published === undefined || rawKey === undefined) {
    throw new ExportError("unknown_key", `The ${what} is signed with a key that is not among the public keys`)
  }
  const bytes = decode(value, 64)
  if (bytes === undefined) throw malformed(`The signature of the ${what} is not 64 bytes of base64`)
  const key = await crypto.subtle.importKey("raw", rawKey, "Ed25519", false, ["verify"])
  if (!await crypto.subtle.verify("Ed25519", key, bytes, new TextEncoder().encode(text))) {
    throw new ExportError("signature_mismatch", `The signature does not cover this ${what}`)
  }
  return published.kid
}

/** A SHA-256 that is fed piece by piece; where the platform has none, the pieces are kept until the end. */
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

const isManifest = (value: unknown): value is ExportManifest =>
  isObject(value) && value["schema"] === manifestSchema && typeof value["digest"] === "string" &&
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
  if (!isObject(envelope) || !isManifest(envelope["data"])) throw malformed("This is not the manifest of an export")
  const manifest = envelope["data"]
  const kid = await checkSignature("manifest", envelope["signature"], canonicalJson(manifest), publicKeys)
  await checkSignature("snapshot", manifest.seal, sealText(manifest.digest), publicKeys)
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
