import { containerMarks, isPlaceholderId } from "../../domain/licensing/licenses/PlaceholderId.ts"
import type { System } from "./System.ts"

const commands: Readonly<Record<string, readonly [command: string, args: ReadonlyArray<string>, id: RegExp]>> = {
  darwin: ["/usr/sbin/ioreg", ["-rd1", "-c", "IOPlatformExpertDevice"], /"IOPlatformUUID" = "([^"]+)"/],
  win32: [
    "reg.exe",
    ["query", "HKLM\\SOFTWARE\\Microsoft\\Cryptography", "/v", "MachineGuid", "/reg:64"],
    /MachineGuid\s+REG_SZ\s+(\S+)/
  ]
}

const isContainer = async ({ environment, exists, read }: System): Promise<boolean> => {
  const { files, rootMount } = containerMarks
  return containerMarks.environment.some((name) => environment[name] !== undefined) ||
    (await Promise.all(files.map(exists))).includes(true) ||
    rootMount.test(await read("/proc/self/mountinfo"))
}

const named = (id: string | undefined): string | undefined => id === undefined || isPlaceholderId(id) ? undefined : id

/**
 * The operating system's id of the machine; undefined where it does not, where it has only a placeholder, or for a
 * container: the image's id is that of every container made from it.
 */
export const machineId = async (system: System): Promise<string | undefined> => {
  const given = commands[system.platform]
  if (given !== undefined) {
    const [command, args, id] = given
    return named(id.exec(await system.run(command, args))?.[1])
  }
  if (await isContainer(system)) return undefined
  return named(await system.read("/etc/machine-id")) ?? named(await system.read("/var/lib/dbus/machine-id"))
}
