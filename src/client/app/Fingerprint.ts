import { randomHex } from "../transport/IdempotencyKey.ts"
import { sha256Hex } from "../verify/signature.ts"
import type { LicenseStore } from "./Store.ts"
import { localStorageStore } from "./Store.ts"

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

/** What is used of Node: its modules, reached without an import, so that browsers never look for them. */
type Modules = Pick<typeof process, "platform" | "getBuiltinModule">

const commands: Readonly<Record<string, readonly [command: string, args: ReadonlyArray<string>, id: RegExp]>> = {
  darwin: ["/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"], /"IOPlatformUUID" = "([^"]+)"/],
  win32: [
    "reg.exe",
    ["query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid", "/reg:64"],
    /MachineGuid\s+REG_SZ\s+(\S+)/
  ]
}

/** What the operating system calls the machine; undefined where it does not, or for a container, which is none. */
const machineId = async ({ getBuiltinModule, platform }: Modules): Promise<string | undefined> => {
  const files = getBuiltinModule("node:fs/promises")
  const read = (path: string) => files.readFile(path, "utf8").then((text) => text.trim(), () => "")
  const given = commands[platform]
  if (given !== undefined) {
    const [command, args, id] = given
    const { execFile } = getBuiltinModule("node:child_process")
    const output = await new Promise<string>((resolve) => {
      execFile(command, args, { windowsHide: true, timeout: 5000 }, (error, stdout) => resolve(error ? "" : stdout))
    })
    return id.exec(output)?.[1]
  }
  // The image's id is that of every container made from it.
  const marks = ["/.dockerenv", "/run/.containerenv"].map((path) => files.access(path).then(() => true, () => false))
  if ((await Promise.all(marks)).includes(true)) return undefined
  return await read("/etc/machine-id") || await read("/var/lib/dbus/machine-id") || undefined
}

const keptId = async (store: LicenseStore): Promise<string> => {
  const kept = await store.read()
  if (kept !== undefined && /^[0-9a-f]{32}$/.test(kept)) return kept
  const made = randomHex()
  await store.write(made)
  // Of two windows that make one at once, both take what was written last.
  return await store.read() ?? made
}

/**
 * What names this machine to the service: stable over restarts of app and machine, and hashed with the product's code, so that
 * what the system calls the machine does not leave it. Linux: `/etc/machine-id`; macOS: `IOPlatformUUID`; Windows: `MachineGuid`;
 * browsers, and what names no machine: a random id that is kept. Throws a TypeError where there is neither, as in a container
 * without a volume: bind that by `device: { is_container: true, ... }`.
 */
export const fingerprint = async ({ keep, productCode }: FingerprintOptions): Promise<string> => {
  const node = (globalThis.process as typeof process | undefined)?.getBuiltinModule === undefined ? undefined : process
  const id = node === undefined ? undefined : await machineId(node)
  const store = keep ?? (typeof localStorage === "object" ? localStorageStore("countersign-device") : undefined)
  if (id === undefined && store === undefined) {
    throw new TypeError(
      "This platform names no machine: hand in keep, where a random id is kept, or name the container"
    )
  }
  return sha256Hex(`${productCode}\n${id ?? await keptId(store!)}`)
}
