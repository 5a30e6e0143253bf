import type { Countersign } from "../../client/api/index.ts"
import { verifyExport } from "../../client/verify/index.ts"
import type { VerifiedExport } from "../../client/verify/index.ts"

/** Whether this browser can verify Ed25519 signatures at all: it needs WebCrypto, which plain http has not. */
export const canVerify = (): boolean => globalThis.isSecureContext && globalThis.crypto?.subtle !== undefined

/**
 * Fetches a frozen report, its signed manifest and the public keys, and verifies here that they belong together. Rejects
 * with an ExportError that says what is wrong.
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

/** Hands a file to the person, under its name. */
export const save = (content: Blob, name: string): void => {
  const address = URL.createObjectURL(content)
  const link = document.createElement("a")
  link.href = address
  link.download = name
  link.click()
  // The browser reads it after this turn, and has it within seconds.
  setTimeout(() => URL.revokeObjectURL(address), 60_000)
}
