import { manifestSchema, sealText } from "../../domain/evidence/exports/ExportSeal.ts"
import { parseInternetJson } from "../../domain/ground/parsing/InternetJson.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { canonicalJson } from "../../domain/ground/wire/CanonicalJson.ts"
import type { ReportExportManifest } from "../api/types.gen.ts"
import { checkSignature } from "../notes/signature.ts"
import type { PublicKey, SignatureErrorCode } from "../notes/signature.ts"

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
