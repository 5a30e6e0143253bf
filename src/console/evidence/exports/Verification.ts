import type { Countersign } from "../../../client/api/index.ts"
import { verifyExport } from "../../../client/verify/index.ts"
import type { VerifiedExport } from "../../../client/verify/index.ts"

/** Whether this browser can verify Ed25519 signatures. WebCrypto is missing on pages without https. */
export const canVerify = (): boolean => globalThis.isSecureContext && globalThis.crypto?.subtle !== undefined

/**
 * Fetches an export, its signed manifest and the public keys, and verifies that they belong together. Rejects with an
 * ExportError that names the fault.
 */
export const verifyFrozen = async (client: Countersign, id: string, signal: AbortSignal): Promise<VerifiedExport> => {
  const [file, manifest, keys] = await Promise.all([
    client.reportExports.download(id, { signal }),
    client.reportExports.getManifest(id, { signal }).withResponse(),
    client.system.listPublicKeys({ signal }).withResponse()
  ])
  return verifyExport({
    file: [new Uint8Array(await file.arrayBuffer())],
    manifest: manifest.response.text,
    publicKeys: [...keys.data, ...keys.revoked ?? []]
  })
}
