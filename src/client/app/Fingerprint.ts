import { machineId } from "../device/MachineId.ts"
import { nodeProcess, systemOf } from "../device/System.ts"
import type { LicenseStore } from "../license/Store.ts"
import { localStorageStore } from "../license/Store.ts"
import { sha256Hex } from "../notes/signature.ts"
import { randomHex } from "../transport/IdempotencyKey.ts"

export interface FingerprintOptions {
  /**
   * The code of your product: fingerprints of two products have nothing in common. Stay with the code of your first release
   * when the product is renamed: with another one each machine is a new device.
   */
  readonly productCode: string
  /**
   * Where a random id is kept on a platform that names no machine. Default in browsers: localStorage. In containers: a store
   * on a volume.
   */
  readonly keep?: LicenseStore
}

const keptId = async (store: LicenseStore): Promise<string> => {
  const kept = await store.read()
  if (kept !== undefined && /^[0-9a-f]{32}$/.test(kept)) return kept
  const made = randomHex()
  await store.write(made)
  // Two windows that make an id at once both take the one that was written last.
  return await store.read() ?? made
}

/**
 * An id of this machine for the service: stable over restarts of app and machine, and hashed with the product's code, so that
 * what the system calls the machine does not leave it. Linux: `/etc/machine-id`; macOS: `IOPlatformUUID`; Windows: `MachineGuid`;
 * browsers, containers, and systems whose id is only a placeholder, such as `uninitialized`: a random id that is kept. Throws a
 * TypeError where there is neither, as in a container without a volume: bind that by `device: { is_container: true, ... }`.
 */
export const fingerprint = async ({ keep, productCode }: FingerprintOptions): Promise<string> => {
  if (!productCode) throw new TypeError("productCode must be the code of your product")
  const node = nodeProcess()
  const id = node === undefined ? undefined : await machineId(systemOf(node))
  const store = keep ?? (typeof localStorage === "object" ? localStorageStore("countersign-device") : undefined)
  if (id === undefined && store === undefined) {
    throw new TypeError(
      "This platform names no machine: hand in keep, where a random id is kept, or name the container"
    )
  }
  return sha256Hex(`${productCode}\n${id ?? await keptId(store!)}`)
}
