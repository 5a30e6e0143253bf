import { Effect } from "effect"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { listBound } from "./DeviceComponentSql.ts"
import type { LicenseBinding } from "./DeviceComponentSql.ts"

/** The name of a binding of a license: no two have the same. */
export const bindingName = ({ binding, licenseId }: LicenseBinding): string =>
  `${licenseId}\n${binding.kind}\n${binding.key}`

/** Reads the devices that bindings have, by {@link bindingName}. */
export const knownDevices = (
  sql: Database,
  bindings: ReadonlyArray<LicenseBinding>
): Effect.Effect<ReadonlyMap<string, Device>> =>
  Effect.map(listBound(sql, bindings), (rows) => {
    const devices = rows.map((row) => toWire<Device>(row))
    return new Map(devices.map((device) => [
      bindingName({
        licenseId: device.license_id,
        binding: { kind: device.binding_kind, key: device.binding_key }
      }),
      device
    ]))
  })

/** The version of the app and the system that it runs on, as far as a call names them. Empty text names none. */
export interface Told {
  readonly app_version?: string
  readonly os?: string
}

/** Reads the version and the system that a call names. */
export const toldOf = (request: Pick<RuntimeRequest, "app_version" | "os">): Told => {
  const [version, system] = [request.app_version?.trim(), request.os?.trim()]
  return {
    ...(version === undefined || version === "" ? {} : { app_version: version }),
    ...(system === undefined || system === "" ? {} : { os: system })
  }
}

/** The device of a binding as a runtime call leaves it: active, with what the call tells of it. */
export const boundDevice = (
  { binding, licenseId }: LicenseBinding,
  request: RuntimeRequest,
  { at, before, id, ipAddress }: {
    readonly at: Date
    /** The device, if the license ever had it. */
    readonly before: Device | undefined
    readonly id: string
    readonly ipAddress: string | undefined
  }
): Device => {
  const instant = at.toISOString()
  const described = {
    hostname: request.hostname ?? before?.hostname,
    os: request.os ?? before?.os,
    ip_address: ipAddress ?? before?.ip_address
  }
  const { app_version = before?.app_version } = toldOf(request)
  const since = app_version === before?.app_version ? before?.app_version_since : instant
  const { fingerprint: _, ...rest } = before ?? {
    id,
    license_id: licenseId,
    binding_kind: binding.kind,
    binding_key: binding.key,
    is_container: request.is_container ?? false,
    ...optional("container_id", request.container_id),
    ...optional("cluster_id", request.cluster_id),
    ...optional("namespace", request.namespace),
    ...optional("pod_name", request.pod_name),
    first_seen_at: instant,
    metadata: {},
    created_at: instant
  } as Omit<Device, "is_vm" | "last_seen_at" | "status" | "updated_at">
  return {
    ...rest,
    // A device that is known by its components has another one than before.
    binding_key: binding.key,
    ...optional("fingerprint", request.fingerprint),
    ...optional("hostname", described.hostname),
    ...optional("os", described.os),
    ...optional("app_version", app_version),
    ...optional("app_version_since", since),
    ...optional("ip_address", described.ip_address),
    is_vm: request.is_vm ?? false,
    status: "active",
    last_seen_at: instant,
    updated_at: instant
  }
}

const optional = <Name extends string, Value>(name: Name, value: Value | undefined) =>
  (value === undefined ? {} : { [name]: value }) as { readonly [key in Name]?: Value }
