import { Context, Effect, Layer, Schema } from "effect"
import type { Statement } from "effect/sql"
import { ownQuota } from "../../domain/catalog/Feature.ts"
import type { LicenseFeature } from "../../domain/catalog/Feature.ts"
import type { Policy } from "../../domain/catalog/Policy.ts"
import type { PolicyFeature } from "../../domain/catalog/PolicyFeature.ts"
import type { ProductCodes, ProductRecord } from "../../domain/catalog/Product.ts"
import type { Subscription } from "../../domain/commerce/Subscription.ts"
import { standingOfLeases } from "../../domain/entitlements/Lease.ts"
import type { EventKind } from "../../domain/events/EventKind.ts"
import { wholeLicenseKinds } from "../../domain/events/EventKind.ts"
import type { Commitments, Personal } from "../../domain/events/EventLeaf.ts"
import { disclose } from "../../domain/events/EventLeaf.ts"
import { candidateFor, sameDevice } from "../../domain/licenses/Components.ts"
import type { Components } from "../../domain/licenses/Components.ts"
import type { Device, DeviceStatus } from "../../domain/licenses/Device.ts"
import type { License } from "../../domain/licenses/License.ts"
import { effectiveFeatures, policyGrantOf } from "../../domain/terms/EffectiveFeatures.ts"
import type { LicenseGrant } from "../../domain/terms/EffectiveFeatures.ts"
import { effectiveRules } from "../../domain/terms/EffectiveTerms.ts"
import type { Rules } from "../../domain/terms/Rules.ts"
import { selfServiceOf } from "../../domain/terms/SelfService.ts"
import type { JsonObject } from "../../domain/wire/CanonicalJson.ts"
import type { ValidationError } from "../../domain/wire/Errors.ts"
import { invalidField } from "../../domain/wire/FieldFindings.ts"
import { readDropped } from "../events/DroppedEvents.ts"
import { namedComponents } from "../licenses/DeviceComponents.ts"
import { Database } from "../persistence/Database.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { stateOf, statusOfDevice } from "./LicenseStandingReader.ts"
import type { LicenseStanding, StandingQuestion } from "./LicenseStandingReader.ts"

/**
 * A row of the log. The data of the event is not decoded further, because it has the shape that an earlier release may
 * have given it.
 */
const LoggedRow = Schema.Struct({
  event_type: Schema.String,
  /** 64 bits wide: events that wait for their place have one above every sequence, too large for a number. */
  place: Schema.BigInt,
  data: Schema.String,
  personal: Schema.NullOr(Schema.Record(Schema.String, Schema.Struct({ salt: Schema.String, value: Schema.Json })))
})

const readLogged = Schema.decodeUnknownSync(LoggedRow, { onExcessProperty: "error" })

/** A lease at an instant: whether it is of the device in question (`mine`), and whether it was live. */
const readLeaseAt = rowReader(
  Schema.Struct({ mine: Schema.Boolean, process_id: Schema.String, live: Schema.Boolean })
)

/** What the metadata of a reset by the holder of the key says. */
const readSelfService = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ period_start: Schema.String, self_service_resets: Schema.Finite }))
)

interface Disclosable {
  readonly data: JsonObject
  readonly commitments?: Commitments
}

const logged = (row: object) => {
  const { data, event_type, personal, place } = readLogged(row)
  return {
    event_type,
    place,
    data: disclose<Disclosable>({ data: JSON.parse(data) as JsonObject }, inData(personal)).data
  }
}

const inData = (personal: Personal | null): Personal =>
  Object.fromEntries(Object.entries(personal ?? {}).filter(([pointer]) => pointer.startsWith("/data/")))

type Logged = ReturnType<typeof logged>

const codesOf = ({ data }: Logged): ProductCodes => data as unknown as ProductRecord

const millis = (instant: unknown): number | null => typeof instant === "string" ? Date.parse(instant) : null

/** What a license had of a feature, by the last event of its assignment and that of its use. */
const ownIn = (assigned: Logged | undefined, used: Logged | undefined): ReadonlyArray<LicenseGrant> => {
  const removed = assigned?.event_type === "license.feature_removed"
  const counted = used !== undefined && (assigned === undefined || used.place > assigned.place) ? used.data : undefined
  if (counted === undefined && (assigned === undefined || removed)) return []
  const own = removed ? undefined : assigned?.data as unknown as LicenseFeature | undefined
  const counter = (counted ?? own)!
  return [{
    id: String((counted ?? assigned!.data)["feature_id"]),
    code: String((counted ?? assigned!.data)["feature_code"]),
    assigned: own !== undefined && own.from !== "policy",
    enabled: own?.enabled ?? true,
    expires_at: millis(own?.expires_at),
    quota: own === undefined ? null : ownQuota(own) ?? null,
    period: own?.period ?? null,
    overage: own?.overage ?? null,
    consumed: Number(counter.total_consumptions),
    period_start: millis(counter.period_start),
    period_consumed: counter.period_consumptions === undefined ? null : Number(counter.period_consumptions),
    credits: own?.credits ?? null,
    credits_start: millis(own?.credits_start)
  }]
}

/** A device as it was, with its components. */
interface LoggedDevice {
  readonly device: Device
  readonly components: Components
}

/** The device that one with another fingerprint is, by the components that it names under the rules of the time. */
const knownBy = (
  { component_match }: Rules,
  asking: StandingQuestion["asking"],
  devices: ReadonlyArray<LoggedDevice>
): Device | undefined => {
  const [named] = asking === undefined ? [] : namedComponents(asking)
  if (component_match === undefined || named === undefined) return undefined
  const same = sameDevice(
    component_match,
    devices.map(({ components, device }) => candidateFor(named.components, device, components))
  )
  return devices.find(({ device }) => device.id === same?.id)?.device
}

/**
 * A device by its last event, and by that of the last change of its components, which tells the fingerprint but not the
 * seat: a device that is bound for a lease alone is active as long as that lives.
 */
const deviceIn = (last: ReadonlyArray<Logged>): LoggedDevice => {
  const isRebound = ({ event_type }: Logged) => event_type === "device.components_changed"
  const shown = ({ data, event_type }: Logged) =>
    (event_type.startsWith("device.") && event_type !== "device.components_changed"
      ? data
      : data["device"]) as unknown as Device
  const [state, rebound] = [last.find((event) => !isRebound(event)), last.find(isRebound)]
  if (rebound === undefined) return { device: shown(state!), components: {} }
  const status = state === undefined ? "deactivated" : shown(state).status
  return {
    device: { ...shown(state === undefined || rebound.place > state.place ? rebound : state), status },
    components: rebound.data["components"] as Components
  }
}

/** The kinds that tell what a policy grants of a feature, and what a license has of it. */
const ofPolicy = ["policy.feature_assigned", "policy.feature_removed"] as const
const ofLicense = ["license.feature_assigned", "license.feature_removed", "license.usage_reset"] as const

const archived = (until: Date) =>
  invalidField(
    "at",
    "archived",
    `must be after ${until.toISOString()}: earlier events were archived`
  )

const before = (member: string) =>
  invalidField("at", "before_creation", `is too early: the ${member} did not exist then`)

/**
 * Rebuilds the standing of a license at an instant from the event log. Each event carries its resource as the change
 * left it, so the last event before the instant says what was true then. Events without a place yet are the newest.
 */
export class LicenseHistory extends Context.Service<LicenseHistory, {
  readonly read: (question: StandingQuestion) => Effect.Effect<LicenseStanding, ValidationError>
}>()("countersign/services/entitlements/LicenseHistory") {
  static readonly layer = Layer.effect(
    LicenseHistory,
    Effect.gen(function*() {
      const sql = yield* Database

      // Metered use is most of the log and not needed here. The planner takes the partial index without it only if this
      // condition has the very words of the index.
      const ofState = sql.literal(`event_type NOT IN ('license.usage_recorded', 'license.quota_reached',
        'lease.checked_out', 'lease.checked_in', 'lease.expired', 'offline.issued')`)
      const columns = sql.literal("event_type, resource_id, metadata, data, personal, created_at")

      const among = (kinds: ReadonlyArray<EventKind>) => sql`event_type = ANY(${kinds}::text[])`

      /**
       * The events of resources, as a FROM item; `place` orders them. Of the events that were dropped there are those
       * that nothing before the oldest kept event took the place of.
       */
      const log = (which: Statement.Fragment, resourceIds: Statement.Fragment) =>
        sql`(
          SELECT e.* FROM (${resourceIds}) about CROSS JOIN LATERAL (
            SELECT sequence AS place, ${columns} FROM events
            WHERE resource_key = right(about.id, 7) AND resource_id = about.id AND ${which}
            OFFSET 0
          ) e
          UNION ALL
          SELECT place, event_type, resource_id, metadata, data, NULL, created_at FROM event_anchors
          WHERE resource_id IN (${resourceIds}) AND ${which}
          UNION ALL
          SELECT 9000000000000000000 + ordinal, ${columns} FROM event_outbox
          WHERE resource_id IN (${resourceIds}) AND ${which}
        ) e`

      const last = Effect.fnUntraced(function*(resourceId: string, kinds: ReadonlyArray<EventKind>, at: Date) {
        const rows = yield* sql`
          -- name: events.find last of resource
          SELECT event_type, place, data, personal
          FROM ${log(sql`${ofState} AND ${among(kinds)}`, sql`SELECT ${resourceId}::text AS id`)}
          WHERE created_at <= ${at}
          ORDER BY place DESC LIMIT 1`
        return rows[0] && logged(rows[0])
      })

      const devicesOf = Effect.fnUntraced(function*(licenseId: string, at: Date) {
        const rows = yield* sql<{ readonly device_id: string }>`
          -- name: events.list devices of license
          SELECT DISTINCT ON (device_id, is_rebound) event_type, place, data, personal, device_id FROM (
            SELECT metadata::jsonb ->> 'device_id' AS device_id, * FROM ${
          log(ofState, sql`SELECT ${licenseId}::text AS id`)
        }
            WHERE event_type IN ('license.activated', 'license.deactivated')
            UNION ALL
            SELECT resource_id AS device_id, * FROM ${
          log(ofState, sql`SELECT id FROM devices WHERE license_id = ${licenseId}`)
        }
          ) d CROSS JOIN LATERAL (SELECT event_type = 'device.components_changed') r (is_rebound)
          WHERE created_at <= ${at} ORDER BY device_id, is_rebound, place DESC`
        const byDevice = Map.groupBy(rows, ({ device_id }) => device_id)
        return [...byDevice.values()].map((found) => deviceIn(found.map(({ device_id: _id, ...row }) => logged(row))))
      })

      /** Leases are read from their table: a lease that ended stays ended, so its row says when it was live. */
      const leasesAt = Effect.fnUntraced(function*(
        { at, binding, call, licenseId }: StandingQuestion,
        rules: Rules,
        deviceId: string | undefined
      ) {
        // A device may have had another fingerprint then. One that was only ever bound for leases has no events.
        const rows = yield* sql`
          -- name: leases.list taken at
          SELECT CASE WHEN ${deviceId ?? null}::text IS NULL
            THEN d.binding_kind = ${binding?.kind ?? ""} AND d.binding_key = ${binding?.key ?? ""}
            ELSE d.id = ${deviceId ?? ""} END AS mine,
            e.process_id, least(e.ended_at, e.expires_at) > ${at} AS live
          FROM leases e JOIN devices d ON d.id = e.device_id
          WHERE e.license_id = ${licenseId} AND e.checked_out_at <= ${at}
            AND (e.ended_at IS NULL OR e.ended_at > ${at})
          ORDER BY e.id DESC`
        const leases = rows.map(readLeaseAt)
        const found = standingOfLeases(leases.filter(({ mine }) => mine), rules, call)
        const live = leases.filter(({ live }) => live).length
        return { ...found, others: found.lease === "live" ? live - 1 : live }
      })

      /**
       * The feature that had a code then, of those that the license or its policy had been given: events about those name
       * the code of their own time. Of several that had it, one after the other, it is the one that was given last.
       */
      const featureNamed = Effect.fnUntraced(function*(code: string, givers: ReadonlyArray<string>, at: Date) {
        const given = yield* sql<{ readonly id: string; readonly code: string; readonly place: bigint }>`
          -- name: events.list granted features
          SELECT DISTINCT ON (id) data::jsonb ->> 'feature_id' AS id, data::jsonb ->> 'feature_code' AS code, place
          FROM ${log(among([...ofPolicy, ...ofLicense]), sql`SELECT unnest(${givers}::text[]) AS id`)}
          WHERE created_at <= ${at} ORDER BY id, place DESC`
        const renamed = yield* sql<{ readonly id: string; readonly code: string }>`
          -- name: events.list renamed features
          SELECT DISTINCT ON (resource_id) resource_id AS id, data::jsonb ->> 'code' AS code
          FROM ${log(among(["feature.updated"]), sql`SELECT unnest(${given.map(({ id }) => id)}::text[]) AS id`)}
          WHERE created_at <= ${at} ORDER BY resource_id, place DESC`
        const codes = new Map(renamed.map((feature) => [feature.id, feature.code]))
        return given
          .toSorted((a, b) => Number(b.place - a.place))
          .find((feature) => (codes.get(feature.id) ?? feature.code) === code)?.id
      })

      const featureOf = Effect.fnUntraced(function*(
        { at, featureCode, licenseId }: StandingQuestion,
        license: License
      ) {
        if (featureCode === undefined) return undefined
        const featureId = yield* featureNamed(featureCode, [license.policy_id, licenseId], at)
        if (featureId === undefined) return undefined
        const lastOf = Effect.fnUntraced(function*(resourceId: string, kinds: ReadonlyArray<EventKind>) {
          const rows = yield* sql`
            -- name: events.find last of feature
            SELECT event_type, place, data, personal FROM ${log(among(kinds), sql`SELECT ${resourceId}::text AS id`)}
            WHERE created_at <= ${at} AND data::jsonb ->> 'feature_id' = ${featureId}
            ORDER BY place DESC LIMIT 1`
          return rows[0] && logged(rows[0])
        })
        const granted = yield* lastOf(license.policy_id, ofPolicy)
        const assigned = yield* lastOf(licenseId, ofLicense)
        const used = yield* lastOf(licenseId, ["license.usage_recorded"])
        const period = license.subscription_id === undefined
          ? undefined
          : yield* last(license.subscription_id, ["subscription.created", "subscription.updated"], at)
        const subscription = period?.data as unknown as Subscription | undefined
        const [feature] = effectiveFeatures(
          granted?.event_type === "policy.feature_assigned"
            ? [policyGrantOf(granted.data as unknown as PolicyFeature)]
            : [],
          ownIn(assigned, used),
          {
            now: at.getTime(),
            licenseStart: Date.parse(license.starts_at ?? license.created_at),
            subscription: subscription && {
              start: Date.parse(subscription.current_period_start),
              end: Date.parse(subscription.current_period_end)
            }
          }
        )
        return feature
      })

      /** What self-service there was: by the rules of the time, and the last seat that was given back in it. */
      const selfServiceAt = Effect.fnUntraced(function*(
        { at, binding, licenseId, takeSeatOf }: StandingQuestion,
        rules: Rules,
        devices: ReadonlyArray<Device>
      ) {
        if (takeSeatOf === undefined) return undefined
        const rows = yield* sql<{ readonly metadata: string }>`
          -- name: events.find last self-service reset
          SELECT metadata
          FROM ${log(sql`event_type = 'device.reset'`, sql`SELECT id FROM devices WHERE license_id = ${licenseId}`)}
          WHERE created_at <= ${at} AND metadata::jsonb ->> 'self_service' = 'true' ORDER BY place DESC LIMIT 1`
        const last = rows[0] && readSelfService(rows[0].metadata)
        const count = { start: last && Date.parse(last.period_start), resets: last?.self_service_resets ?? 0 }
        return {
          ...selfServiceOf(rules, count, at.getTime()),
          holdsSeat: devices.some(({ binding_kind, id, status }) =>
            id === takeSeatOf && binding_kind === binding?.kind && status === "active"
          )
        }
      })

      const read = Effect.fn("LicensePast.read")(function*(question: StandingQuestion) {
        const { at, binding, licenseId } = question
        const { until } = yield* readDropped(sql)
        if (until !== undefined && at < until) return yield* archived(until)
        const found = yield* last(licenseId, wholeLicenseKinds, at)
        if (found === undefined) return yield* before("license")
        const { custom_field: _field, device: _device, ...rest } = found.data
        const license = rest as unknown as License
        const policy = yield* last(license.policy_id, ["policy.created", "policy.updated"], at)
        if (policy === undefined) return yield* before("policy")
        const product = yield* last(license.product_id, ["product.created", "product.updated"], at)
        if (product === undefined) return yield* before("product")

        const further = yield* Effect.forEach(
          license.product_ids ?? [],
          (id) => last(id, ["product.created", "product.updated"], at)
        )

        const known = yield* devicesOf(licenseId, at)
        const devices = known.map(({ device }) => device)
        const rules = effectiveRules({
          policy: policy.data as unknown as Policy,
          overrides: license.overrides,
          withoutGrace: undefined
        })
        const device = binding &&
          (devices.find(({ binding_key, binding_kind }) =>
            binding_kind === binding.kind && binding_key === binding.key
          ) ?? knownBy(rules, question.asking, known))
        const leases = yield* leasesAt(question, rules, device?.id)
        // A checkout writes no event of the device, so a live lease says that it is active. A revocation writes
        // one event, of the license alone, and frees the seats of all its devices.
        const deviceFloating = leases.isAnyLive && device?.status !== "active"
        const stored: DeviceStatus | undefined = license.status === "revoked" && device?.status === "active"
          ? "deactivated"
          : deviceFloating
          ? "active"
          : device?.status
        return {
          license,
          state: stateOf(license),
          policy: policy.data as unknown as Policy,
          products: [codesOf(product), ...further.flatMap((found) => found === undefined ? [] : [codesOf(found)])],
          device,
          deviceStatus: statusOfDevice(stored && { status: stored }, deviceFloating, leases.isAnyLive),
          deviceFloating,
          otherActiveDevices: license.status === "revoked"
            ? 0
            : devices.filter((other) =>
              other !== device && other.binding_kind === binding?.kind && other.status === "active"
            ).length,
          otherLiveLeases: leases.others,
          lease: leases.lease,
          selfService: yield* selfServiceAt(question, rules, devices),
          feature: yield* featureOf(question, license)
        } satisfies LicenseStanding
      })

      return LicenseHistory.of({ read })
    })
  )
}
