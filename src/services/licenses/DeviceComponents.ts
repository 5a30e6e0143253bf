import { Effect } from "effect"
import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import type { DeviceBinding } from "../../domain/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../domain/entitlements/RuntimeRequest.ts"
import { changedComponents, sameDevice } from "../../domain/licenses/Components.ts"
import type { Candidate, ComponentMatch, Components, ComponentsChanged } from "../../domain/licenses/Components.ts"
import type { Device } from "../../domain/licenses/Device.ts"
import type { NewEvent } from "../events/Events.ts"
import { licenseActor } from "../events/Provenance.ts"
import type { Origin } from "../events/Provenance.ts"
import type { Database } from "../persistence/Database.ts"
import type { Cryptography } from "../platform/Cryptography.ts"
import { effectiveComponentMatch } from "../terms/TermsSql.ts"
import type { LicenseBinding } from "./DeviceBindings.ts"

/** A device that names its components. */
export interface NamedComponents extends LicenseBinding {
  readonly components: Components
}

/** By what a device is known that names its components, under terms by which they count. */
export interface KnownComponents {
  /** The binding that the device has: another one than it names, when its components are those of a known device. */
  readonly binding: DeviceBinding
  /** What is stored of it. */
  readonly before: Components
}

interface ComponentsRow {
  readonly license_id: string
  readonly rule: ComponentMatch
  readonly components: Components | null
  /** A device with components in common, if no device has the fingerprint. */
  readonly id: string | null
  readonly binding_key: string
  readonly named: number
  readonly matched: number
  readonly is_blocked: boolean
  readonly last_seen_at: Date
}

/**
 * Reads the stored components of the devices with these fingerprints or, where a license has no such device, those that
 * have components in common: of those with the same counts and the same block only the one that was seen last, so that
 * there are few however many devices a license has.
 */
const componentsQuery = `
  -- name: devices.list by components
  SELECT l.id AS license_id, ${effectiveComponentMatch} AS rule, coalesce(d.components, m.components) AS components,
    m.id, m.binding_key, m.named, m.matched, m.is_blocked, m.last_seen_at
  FROM unnest($1::text[], $2::text[], $3::text[]) AS q (license_id, key, components)
  JOIN licenses l ON l.id = q.license_id
  JOIN policies p ON p.id = l.policy_id
  LEFT JOIN devices d ON d.license_id = l.id AND d.binding_kind = 'hardware' AND d.binding_key = q.key
  LEFT JOIN LATERAL (
    SELECT DISTINCT ON (named, matched, is_blocked) * FROM (
      SELECT c.id, c.binding_key, c.components, c.last_seen_at, c.status = 'blacklisted' AS is_blocked,
        (SELECT count(*)::int FROM jsonb_object_keys(c.components)) AS named, count(*)::int AS matched
      FROM jsonb_each(q.components::jsonb) g CROSS JOIN LATERAL (
        SELECT * FROM devices
        WHERE license_id = q.license_id AND binding_kind = 'hardware' AND components IS NOT NULL
          AND components @> jsonb_build_object(g.key, g.value) OFFSET 0
      ) c GROUP BY c.id, c.binding_key, c.components, c.last_seen_at, c.status
    ) n ORDER BY named, matched, is_blocked, last_seen_at DESC, id
  ) m ON d.id IS NULL
  WHERE ${effectiveComponentMatch} IS NOT NULL`

const candidateOf = ({ id, is_blocked, last_seen_at, ...row }: ComponentsRow): Candidate & ComponentsRow => ({
  ...row,
  id: id!,
  is_blocked,
  last_seen_at,
  isBlocked: is_blocked,
  lastSeen: last_seen_at.getTime()
})

const nothingNamed: ReadonlyMap<string, KnownComponents> = new Map()

/**
 * By what devices are known that name their components, by license: at most one device of each license may be asked
 * about. Licenses whose terms have no `component_match` are left out. Without a question there is no query.
 */
export const knownComponents = (
  sql: Database,
  asked: ReadonlyArray<NamedComponents>
): Effect.Effect<ReadonlyMap<string, KnownComponents>> =>
  asked.length === 0 ? Effect.succeed(nothingNamed) : Effect.map(
    sql.unsafe<ComponentsRow>(componentsQuery, [
      asked.map(({ licenseId }) => licenseId),
      asked.map(({ binding }) => binding.key),
      asked.map(({ components }) => JSON.stringify(components))
    ]),
    (rows) => {
      const byLicense = Map.groupBy(rows, ({ license_id }) => license_id)
      return new Map(asked.flatMap(({ binding, licenseId }) => {
        const found = byLicense.get(licenseId)
        if (found === undefined) return []
        const candidates = found.filter(({ id }) => id !== null).map(candidateOf)
        const same = sameDevice(found[0]!.rule, candidates)
        const known: KnownComponents = same === undefined
          ? { binding, before: candidates.length === 0 ? found[0]!.components ?? {} : {} }
          : { binding: { kind: "hardware", key: same.binding_key }, before: same.components ?? {} }
        return [[licenseId, known] as const]
      }))
    }
  )

/** A request of a device of a license. */
interface Asking {
  readonly licenseId: string
  readonly request: RuntimeRequest
}

/** The components that a request names of a machine; nothing for a container, and for a request that names none. */
export const namedComponents = ({ licenseId, request }: Asking): ReadonlyArray<NamedComponents> => {
  const { components } = request
  return components === undefined || request.is_container === true || Object.keys(components).length === 0
    ? []
    : [{ licenseId, binding: bindingOf(request), components }]
}

/** By which binding the device of a request is known; `known` are those that {@link knownComponents} found. */
export const knownAs = (asking: Asking, known: ReadonlyMap<string, KnownComponents>): LicenseBinding => {
  const { licenseId, request } = asking
  const found = known.size === 0 || namedComponents(asking).length === 0 ? undefined : known.get(licenseId)
  return { licenseId, binding: found?.binding ?? bindingOf(request) }
}

/** A device whose components, or whose fingerprint, are others than they were. */
export interface ChangedDevice {
  readonly device: Device
  readonly components: Components
  readonly event: NewEvent
  /** Whether it has another fingerprint than before. */
  readonly isRebound: boolean
}

/**
 * The change of a device that is bound now; undefined when everything is as it was, and where components do not count.
 */
export const changeOf = (
  crypto: Cryptography["Service"],
  asking: Asking & { readonly origin: Origin },
  device: Device,
  found: ReadonlyMap<string, KnownComponents>
): ChangedDevice | undefined => {
  const { origin } = asking
  const known = found.size === 0 ? undefined : found.get(asking.licenseId)
  const components = namedComponents(asking)[0]?.components
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
      personal: ["/data/device/hostname", "/data/device/ip_address"],
      actor: licenseActor(device.license_id),
      origin
    }
  }
}

/** Gives devices their new fingerprints, before they are bound. The licenses are locked. */
export const rebind = (sql: Database, changes: ReadonlyArray<ChangedDevice>): Effect.Effect<void> => {
  const rebound = changes.filter(({ isRebound }) => isRebound)
  return rebound.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update rebound
       UPDATE devices d SET binding_key = v.key FROM unnest($1::text[], $2::text[]) AS v (id, key) WHERE d.id = v.id`,
      [rebound.map(({ device }) => device.id), rebound.map(({ device }) => device.binding_key)]
    )
  )
}

/** Stores the components of devices, after they are bound. */
export const storeComponents = (sql: Database, changes: ReadonlyArray<ChangedDevice>): Effect.Effect<void> =>
  changes.length === 0 ? Effect.void : Effect.asVoid(
    sql.unsafe(
      `-- name: devices.update components
       UPDATE devices d SET components = v.components::jsonb, components_changed_at = v.at
       FROM unnest($1::text[], $2::text[], $3::timestamptz[]) AS v (id, components, at) WHERE d.id = v.id`,
      [
        changes.map(({ device }) => device.id),
        changes.map(({ components }) => JSON.stringify(components)),
        changes.map(({ device }) => new Date(device.updated_at))
      ]
    )
  )
