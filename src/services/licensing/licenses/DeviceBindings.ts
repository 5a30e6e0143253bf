import { Effect } from "effect"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { DeviceBinding } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import { changedComponents, sameDevice } from "../../../domain/licensing/licenses/Components.ts"
import type { Candidate, Components, ComponentsChanged } from "../../../domain/licensing/licenses/Components.ts"
import type { Device } from "../../../domain/licensing/licenses/Device.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import type { Cryptography } from "../../ground/platform/Cryptography.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import { listBound, listByComponents } from "./DeviceComponentSql.ts"
import type {
  ComponentsRow,
  DeviceChange,
  LicenseBinding,
  NamedComponents,
  SimilarDevice
} from "./DeviceComponentSql.ts"

/** By what a device is known that names its components, under terms by which they count. */
export interface KnownComponents {
  /** The binding that the device has: another one than it names, when its components are those of a known device. */
  readonly binding: DeviceBinding
  /** The part that is stored. */
  readonly before: Components
}

const isSimilar = (row: ComponentsRow): row is SimilarDevice => row.id !== null

const candidateOf = (row: SimilarDevice): Candidate & SimilarDevice => ({
  ...row,
  isBlocked: row.is_blocked,
  lastSeen: row.last_seen_at.getTime()
})

const nothingNamed: ReadonlyMap<string, KnownComponents> = new Map()

/**
 * By what devices are known that name their components, by license: at most one device of each license may be asked
 * about. Licenses whose terms have no `component_match` are left out. Without a question there is no query.
 */
export const knownComponents = (
  sql: Database,
  named: ReadonlyArray<NamedComponents>
): Effect.Effect<ReadonlyMap<string, KnownComponents>> =>
  named.length === 0 ? Effect.succeed(nothingNamed) : Effect.map(
    listByComponents(sql, named),
    (rows) => {
      const byLicense = Map.groupBy(rows, ({ license_id }) => license_id)
      return new Map(named.flatMap(({ binding, licenseId }) => {
        const found = byLicense.get(licenseId)
        if (found === undefined) return []
        const candidates = found.filter(isSimilar).map(candidateOf)
        const same = sameDevice(found[0]!.rule, candidates)
        const known: KnownComponents = same === undefined
          ? { binding, before: candidates.length === 0 ? found[0]!.components ?? {} : {} }
          : { binding: { kind: "hardware", key: same.binding_key }, before: same.components ?? {} }
        return [[licenseId, known] as const]
      }))
    }
  )

/** A request of a device of a license. */
interface DeviceRequest {
  readonly licenseId: string
  readonly request: RuntimeRequest
}

/** The components that a request names of a machine; nothing for a container, and for a request that names none. */
export const namedComponents = ({ licenseId, request }: DeviceRequest): ReadonlyArray<NamedComponents> => {
  const { components } = request
  return components === undefined || request.is_container === true || Object.keys(components).length === 0
    ? []
    : [{ licenseId, binding: bindingOf(request), components }]
}

/** By which binding the device of a request is known; `known` are those that {@link knownComponents} found. */
export const knownAs = (deviceRequest: DeviceRequest, known: ReadonlyMap<string, KnownComponents>): LicenseBinding => {
  const { licenseId, request } = deviceRequest
  const found = known.size === 0 || namedComponents(deviceRequest).length === 0 ? undefined : known.get(licenseId)
  return { licenseId, binding: found?.binding ?? bindingOf(request) }
}

/** A device whose components, or whose fingerprint, are others than they were. */
export interface ChangedDevice extends DeviceChange {
  readonly event: NewEvent
}

/**
 * The change of a device that is bound now; undefined when everything is as it was, and where components do not count.
 */
export const changeOf = (
  crypto: Cryptography["Service"],
  deviceRequest: DeviceRequest & { readonly origin: Origin },
  device: Device,
  found: ReadonlyMap<string, KnownComponents>
): ChangedDevice | undefined => {
  const { origin } = deviceRequest
  const known = found.size === 0 ? undefined : found.get(deviceRequest.licenseId)
  const components = namedComponents(deviceRequest)[0]?.components
  if (known === undefined || components === undefined) return undefined
  const changed = changedComponents(known.before, components)
  const isRebound = known.binding.key !== device.binding_key
  if (changed.length === 0 && !isRebound) return undefined
  const after: Device = {
    ...device,
    components: Object.keys(components).toSorted(),
    components_changed_at: device.updated_at
  }
  const data: ComponentsChanged = {
    license_id: device.license_id,
    device: after,
    components,
    changed,
    ...(isRebound ? { previous_fingerprint_hash: crypto.sha256Hex(known.binding.key) } : {})
  }
  return {
    device: after,
    components,
    isRebound,
    event: {
      type: "device.components_changed",
      resourceId: device.id,
      data,
      metadata: { license_id: device.license_id },
      actor: licenseActor(device.license_id),
      origin
    }
  }
}

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
