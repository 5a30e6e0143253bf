import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { hostname } from "node:os"
import { deviceName, ownName } from "../../../src/client/device/DeviceName.ts"
import { machineId } from "../../../src/client/device/MachineId.ts"
import { nodeProcess, systemOf } from "../../../src/client/device/System.ts"
import type { System } from "../../../src/client/device/System.ts"

/** A system with these files, which prints this for every command. */
const system = (
  { environment = {}, files = {}, platform = "linux", printed = "" }: {
    readonly files?: Readonly<Record<string, string>>
    readonly environment?: Readonly<Record<string, string>>
    readonly platform?: string
    readonly printed?: string
  }
): System => ({
  platform,
  environment,
  read: async (path) => (files[path] ?? "").trim(),
  exists: async (path) => files[path] !== undefined,
  run: async () => printed
})

const id = "3d1219c7c4c5404aaa1f6d2a48adfda4"
const etc = "/etc/machine-id"
const dbus = "/var/lib/dbus/machine-id"

describe("what the operating system calls the machine", () => {
  it("is the machine id of Linux, or D-Bus's where that is only a placeholder", async () => {
    assert.strictEqual(await machineId(system({ files: { [etc]: `${id}\n` } })), id)
    for (const placeholder of ["uninitialized", "0".repeat(32), ""]) {
      assert.strictEqual(await machineId(system({ files: { [etc]: placeholder, [dbus]: id } })), id)
      assert.isUndefined(await machineId(system({ files: { [etc]: placeholder } })))
    }
  })

  it("is the UUID of macOS and the GUID of Windows, unless the firmware has none", async () => {
    const uuid = "4C4C4544-0051-3610-8052-B7C04F4A4E33"
    const ioreg = (value: string) =>
      machineId(system({ platform: "darwin", printed: `    "IOPlatformUUID" = "${value}"\n` }))
    const registry = (value: string) =>
      machineId(system({ platform: "win32", printed: `    MachineGuid    REG_SZ    ${value}\r\n` }))
    for (const asked of [ioreg, registry]) {
      assert.strictEqual(await asked(uuid), uuid)
      assert.isUndefined(await asked("00000000-0000-0000-0000-000000000000"))
      assert.isUndefined(await asked("FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF"))
    }
    assert.isUndefined(await machineId(system({ platform: "win32" })))
  })

  const containerd =
    "1 2 0:3 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containerd/io.containerd.snapshotter"
  it.each<readonly [string, Parameters<typeof system>[0]]>([
    ["Docker", { files: { "/.dockerenv": "" } }],
    ["Podman", { files: { "/run/.containerenv": "" } }],
    ["Kubernetes with a token", { files: { "/var/run/secrets/kubernetes.io": "" } }],
    ["Kubernetes without one", { environment: { KUBERNETES_SERVICE_HOST: "10.0.0.1" } }],
    ["ECS", { environment: { ECS_CONTAINER_METADATA_URI_V4: "http://169.254.170.2/v4/x" } }],
    ["containerd", { files: { "/proc/self/mountinfo": `0 1 0:1 / /proc rw - proc proc rw\n${containerd}\n` } }]
  ])("is not the image's id in a container: %s", async (_, { environment = {}, files = {} }) => {
    assert.isUndefined(await machineId(system({ environment, files: { ...files, [etc]: id } })))
  })

  it("is the machine's id on a live system, whose root is an overlay too", async () => {
    const live = "1 2 0:3 / / rw,relatime - overlay overlay rw,lowerdir=/run/archiso/airootfs,upperdir=/run/cow\n"
    assert.strictEqual(await machineId(system({ files: { [etc]: id, "/proc/self/mountinfo": live } })), id)
  })

  it("is read from this machine", async () => {
    const own = systemOf(nodeProcess()!)
    assert.strictEqual(await own.read(process.execPath + ".none"), "")
    assert.strictEqual(await own.run(process.execPath, ["-p", "6 * 7"]), "42\n")
    assert.strictEqual(await own.run(process.execPath, ["-e", "process.exit(1)"]), "")
    assert.strictEqual(await own.exists(process.execPath), true)
    assert.strictEqual(await own.read(import.meta.filename), readFileSync(import.meta.filename, "utf8").trim())
  })
})

describe("a device's name", () => {
  it("is the host's, with its system", () => {
    const { hostname: name, os } = ownName(nodeProcess())
    assert.strictEqual(name, hostname())
    assert.match(os!, /^\S+ \S/)
  })

  it("is no longer than the service takes, and nothing that nobody sees", () => {
    const { hostname: name, os } = deviceName(`a\u0000b\u200b\n${"x".repeat(252)}😀`, "y".repeat(500))
    assert.strictEqual(name, `ab${"x".repeat(252)}`)
    assert.strictEqual(os?.length, 128)
    assert.deepStrictEqual(deviceName(" \n", undefined), {})
  })
})
