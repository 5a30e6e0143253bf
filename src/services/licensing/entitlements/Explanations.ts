import { Context, Effect, Layer, Schema } from "effect"
import { effectiveFeatures } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { effectiveRules } from "../../../domain/catalog/terms/EffectiveTerms.ts"
import { nothingRefused } from "../../../domain/catalog/terms/Measure.ts"
import { rulesOf } from "../../../domain/catalog/terms/Rules.ts"
import type { Rules } from "../../../domain/catalog/terms/Rules.ts"
import { selfServiceOf } from "../../../domain/catalog/terms/SelfService.ts"
import {
  codesIn,
  deviceIn,
  grantsIn,
  isLateUse,
  licenseIn,
  ownIn,
  periodIn,
  policyIn,
  withRunningPeriod
} from "../../../domain/evidence/audit/LastEvents.ts"
import type { LoggedDevice } from "../../../domain/evidence/audit/LastEvents.ts"
import type { NotFound, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField } from "../../../domain/ground/wire/FieldFindings.ts"
import { heldByOthers } from "../../../domain/licensing/entitlements/Activation.ts"
import type { RuntimeOperation } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import { standingOfLeases } from "../../../domain/licensing/entitlements/Lease.ts"
import { findingOf } from "../../../domain/licensing/explaining/Explanation.ts"
import type { ExplainRequest, Explanation } from "../../../domain/licensing/explaining/Explanation.ts"
import { judgeCall, judgedSubjects } from "../../../domain/licensing/explaining/JudgedCall.ts"
import type { LicenseStanding } from "../../../domain/licensing/explaining/JudgedCall.ts"
import { candidateFor, sameDevice } from "../../../domain/licensing/licenses/Components.ts"
import type { Device, DeviceStatus } from "../../../domain/licensing/licenses/Device.ts"
import type { License } from "../../../domain/licensing/licenses/License.ts"
import { stateOf } from "../../../domain/licensing/licenses/LicenseStatus.ts"
import { lateDays } from "../../../domain/licensing/metering/LateUse.ts"
import type { EventKind } from "../../../domain/log/EventKind.ts"
import { wholeLicenseKinds } from "../../../domain/log/EventKind.ts"
import { findPrunedUses } from "../../catalog/terms/OpenGrantSql.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { namedComponents } from "../licenses/DeviceBindings.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { makeUserStandings } from "../standings/UserStandings.ts"
import {
  findExplainedTime,
  findLastEvent,
  findLastFeatureEvent,
  findLastRunningUse,
  findLastSelfServiceReset,
  listFeatureCodes,
  listGivenFeatures,
  listLastDeviceEvents,
  listLeasesAt,
  readInstant
} from "./LicenseHistorySql.ts"
import type { DevicesThen, LicensePast, StandingQuestion } from "./LicenseStandingReader.ts"
import { heldAt, LicenseStandingReader, makeDevicesThen, statusOfDevice } from "./LicenseStandingReader.ts"
import { grantsAt, lastOf, logged } from "./LoggedEvents.ts"

/** A lease at an instant: whether it is of the device in question (`mine`), and whether it was live. */
const readLeaseAt = rowReader(
  Schema.Struct({ device_id: Schema.String, mine: Schema.Boolean, process_id: Schema.String, live: Schema.Boolean })
)

/** The metadata of a reset by the holder of the key. */
const readSelfService = Schema.decodeUnknownSync(
  Schema.fromJsonString(Schema.Struct({ period_start: Schema.String, self_service_resets: Schema.Finite }))
)

/** The device that one with another fingerprint is, by the components that it names under the rules of the time. */
const knownBy = (
  { component_match }: Rules,
  deviceRequest: StandingQuestion["deviceRequest"],
  devices: ReadonlyArray<LoggedDevice>
): Device | undefined => {
  const [named] = deviceRequest === undefined ? [] : namedComponents(deviceRequest)
  if (component_match === undefined || named === undefined) return undefined
  const same = sameDevice(
    component_match,
    devices.map(({ components, device }) => candidateFor(named.components, device, components))
  )
  return devices.find(({ device }) => device.id === same?.id)?.device
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

const pruned = (until: Date) =>
  invalidField(
    "at",
    "pruned",
    `must be after ${until.toISOString()}: what grants had left before is not known, because usage events were deleted by age`
  )

const lateMillis = lateDays * 86_400_000

const before = (member: string) =>
  invalidField("at", "before_creation", `is too early: the ${member} did not exist then`)

/**
 * Rebuilds the standing of a license at an instant from the event log. Each event carries its resource as the change
 * left it, so the last event before the instant says what was true then. Events without a place yet are the newest.
 */
class LicenseHistory extends Context.Service<LicenseHistory, {
  readonly read: (question: StandingQuestion) => Effect.Effect<LicensePast, ValidationError>
}>()("countersign/services/licensing/entitlements/LicenseHistory") {
  static readonly layer = Layer.effect(
    LicenseHistory,
    Effect.gen(function*() {
      const sql = yield* Database

      const ownership = makeDevicesThen(sql)

      const last = (resourceId: string, kinds: ReadonlyArray<EventKind>, at: Date) =>
        Effect.map(findLastEvent(sql, resourceId, kinds, at), lastOf)

      const devicesAt = (licenseId: string, at: Date) =>
        Effect.map(listLastDeviceEvents(sql, licenseId, at), (rows) => {
          const byDevice = Map.groupBy(rows, ({ device_id }) => device_id)
          return [...byDevice.values()].flatMap((found) =>
            deviceIn(found.map(({ device_id: _id, ...row }) => logged(row))) ?? []
          )
        })

      const leasesAt = Effect.fnUntraced(function*(
        question: StandingQuestion,
        rules: Rules,
        deviceId: string | undefined
      ) {
        const leases = (yield* listLeasesAt(sql, { ...question, deviceId })).map(readLeaseAt)
        const found = standingOfLeases(leases.filter(({ mine }) => mine), rules, question.call)
        const living = leases.filter(({ live }) => live)
        const live = living.length
        const leased = new Set(living.map(({ device_id }) => device_id))
        // A device that was only ever bound for leases has no events of its own.
        return {
          ...found,
          leased,
          deviceId: deviceId ?? leases.find(({ mine }) => mine)?.device_id,
          others: found.lease === "live" ? live - 1 : live
        }
      })

      /**
       * The feature that had a code then, of those that the license or its policy had been given: events about those name
       * the code of their own time. Of several that had it, one after the other, it is the one that was given last.
       */
      const featureNamed = Effect.fnUntraced(function*(code: string, givers: ReadonlyArray<string>, at: Date) {
        const given = yield* listGivenFeatures(sql, givers, [...ofPolicy, ...ofLicense], at)
        const renamed = yield* listFeatureCodes(sql, given.map(({ id }) => id), at)
        const codes = new Map(renamed.map((feature) => [feature.id, feature.code]))
        return given
          .toSorted((a, b) => Number(b.place - a.place))
          .find((feature) => (codes.get(feature.id) ?? feature.code) === code)?.id
      })

      /** Refuses an instant since which uses may be deleted: a reported one may stand days before it was counted. */
      const refusePruned = Effect.fnUntraced(function*(at: Date) {
        const [row] = yield* findPrunedUses(sql)
        if (row === undefined) return
        const until = new Date(row.until.getTime() + lateMillis)
        if (at < until) return yield* pruned(until)
      })

      const featureOf = Effect.fnUntraced(function*(
        { at, featureCode, licenseId }: StandingQuestion,
        license: License
      ) {
        if (featureCode === undefined) return undefined
        const featureId = yield* featureNamed(featureCode, [license.policy_id, licenseId], at)
        if (featureId === undefined) return undefined
        const lastAbout = (resourceId: string, kinds: ReadonlyArray<EventKind>) =>
          Effect.map(findLastFeatureEvent(sql, { at, featureId, kinds, resourceId }), lastOf)
        const granted = yield* lastAbout(license.policy_id, ofPolicy)
        const assigned = yield* lastAbout(licenseId, ofLicense)
        const lastUse = yield* lastAbout(licenseId, ["license.usage_recorded"])
        const used = lastUse === undefined || !isLateUse(lastUse) ? lastUse : withRunningPeriod(lastUse, [
          assigned,
          lastOf(yield* findLastRunningUse(sql, { at, featureId, licenseId }))
        ])
        const { grants, pools } = yield* grantsAt(sql, { customerId: license.customer_id, licenseId, featureId, at })
        if (grants.length + pools.length > 0) yield* refusePruned(at)
        const subscribed = license.subscription_id === undefined
          ? undefined
          : yield* last(license.subscription_id, ["subscription.created", "subscription.updated"], at)
        const period = subscribed && periodIn(subscribed)
        const [feature] = effectiveFeatures(
          grantsIn(granted),
          ownIn(assigned, used, { id: featureId, code: featureCode, grants }),
          {
            now: at.getTime(),
            licenseStart: Date.parse(license.starts_at ?? license.created_at),
            subscription: period && {
              start: Date.parse(period.current_period_start),
              end: Date.parse(period.current_period_end)
            }
          },
          pools
        )
        return feature
      })

      /** The self-service at that time: by the rules of then, and the last seat that was released by it. */
      const selfServiceAt = Effect.fnUntraced(function*(
        { at, binding, licenseId, takeSeatOf }: StandingQuestion,
        rules: Rules,
        devices: ReadonlyArray<Device>,
        { offline, owners }: DevicesThen
      ) {
        if (takeSeatOf === undefined) return undefined
        const owner = owners.get(takeSeatOf)
        const isOwned = owner !== undefined && (yield* ownership.statusOf(licenseId, owner, at)) === "active"
        const [row] = yield* findLastSelfServiceReset(sql, licenseId, at)
        const last = row && readSelfService(row.metadata)
        const count = { start: last && Date.parse(last.period_start), resets: last?.self_service_resets ?? 0 }
        return {
          ...selfServiceOf(rules, count, at.getTime()),
          holdsSeat: devices.some(({ binding_kind, id, status }) =>
            id === takeSeatOf && binding_kind === binding?.kind && status === "active"
          ),
          ownerId: isOwned ? owner : undefined,
          heldUntil: offline.get(takeSeatOf)
        }
      })

      const read = Effect.fn("LicensePast.read")(function*(question: StandingQuestion) {
        const { at, binding, licenseId } = question
        const { until } = yield* readDropped(sql)
        if (until !== undefined && at < until) return yield* archived(until)
        const found = yield* last(licenseId, wholeLicenseKinds, at)
        if (found === undefined) return yield* before("license")
        const license = licenseIn(found)
        const underPolicy = yield* last(license.policy_id, ["policy.created", "policy.updated"], at)
        if (underPolicy === undefined) return yield* before("policy")
        const policy = policyIn(underPolicy)
        const product = yield* last(license.product_id, ["product.created", "product.updated"], at)
        if (product === undefined) return yield* before("product")

        const further = yield* Effect.forEach(
          license.product_ids ?? [],
          (id) => last(id, ["product.created", "product.updated"], at)
        )

        const known = yield* devicesAt(licenseId, at)
        const devices = known.map(({ device }) => device)
        const rules = effectiveRules({
          policy,
          overrides: license.overrides,
          withoutGrace: undefined
        })
        const device = binding &&
          (devices.find(({ binding_key, binding_kind }) =>
            binding_kind === binding.kind && binding_key === binding.key
          ) ?? knownBy(rules, question.deviceRequest, known))
        const leases = yield* leasesAt(question, rules, device?.id)
        const then = yield* ownership.read(rules, licenseId, at)
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
          policy,
          products: [product, ...further].flatMap((found) => found === undefined ? [] : [codesIn(found)]),
          device,
          deviceStatus: statusOfDevice(stored && { status: stored }, deviceFloating, leases.isAnyLive),
          deviceFloating,
          otherActiveDevices: license.status === "revoked"
            ? 0
            : devices.filter((other) =>
              other !== device && other.binding_kind === binding?.kind && other.status === "active"
            ).length,
          heldSeats: heldByOthers(heldAt(devices, then), binding?.kind, device?.id),
          otherLiveLeases: leases.others,
          lease: leases.lease,
          selfService: yield* selfServiceAt(question, rules, devices, then),
          feature: yield* featureOf(question, license),
          userThen: ownership.userThen({ ...question, ...then, ...leases, devices })
        } satisfies LicensePast
      })

      return LicenseHistory.of({ read })
    })
  )
}

/** The calls that know a device by its components. */
const knownByComponents: ReadonlySet<RuntimeOperation | undefined> = new Set(["activate", "checkout"])

/** Explains how a runtime call would be decided, now or at another instant, without making it. */
export class Explanations extends Context.Service<Explanations, {
  readonly explain: (id: string, request: ExplainRequest) => Effect.Effect<Explanation, NotFound | ValidationError>
}>()("countersign/services/licensing/entitlements/Explanations") {
  static readonly layer = Layer.effect(
    Explanations,
    Effect.gen(function*() {
      const sql = yield* Database
      const licenses = yield* Licenses
      const past = yield* LicenseHistory
      const present = yield* LicenseStandingReader
      const users = yield* makeUserStandings

      /** How the user stands whom the call would name, or stood then; undefined where the terms have none. */
      const userOf = Effect.fnUntraced(function*(
        { device, license, policy }: LicenseStanding,
        { binding }: ExplainRequest,
        now: Date,
        then: LicensePast["userThen"] | undefined
      ) {
        const { hold_offline_seats, max_users } = effectiveRules({
          policy: rulesOf(policy),
          overrides: license.overrides,
          withoutGrace: undefined
        })
        if (max_users === undefined || binding === undefined) return undefined
        const token = binding.user_token
        const asked = { license_id: license.id, device_id: device?.id ?? null, now, token, hold_offline_seats }
        const [user] = yield* users.standings([asked], then)
        return user
      })

      const explain = Effect.fn("Explanations.explain")(function*(id: string, request: ExplainRequest) {
        const [time] = yield* findExplainedTime(sql, request.at)
        const { at, is_past } = readInstant(time!)
        const question = {
          licenseId: id,
          at,
          binding: request.binding && bindingOf(request.binding),
          deviceRequest: request.binding !== undefined && knownByComponents.has(request.operation)
            ? { licenseId: id, request: request.binding }
            : undefined,
          takeSeatOf: request.take_seat_of,
          call: { operation: request.operation, process_id: request.process_id },
          featureCode: request.feature_code
        }
        if (is_past) yield* licenses.get(id)
        const before = is_past ? yield* past.read(question) : undefined
        const standing = before ?? (yield* present.read(question))
        const refused = standing.feature && nothingRefused(standing.feature.meter, request.amount ?? 1)
        if (refused !== undefined) return yield* refused
        const user = yield* userOf(standing, request, at, before?.userThen)
        const { found, operation, status, terms } = judgeCall({ ...standing, user }, request, at)
        return {
          license_id: id,
          operation,
          at: at.toISOString(),
          source: is_past ? "log" : "current",
          is_allowed: found.length === 0,
          status,
          ...(found[0] === undefined ? {} : { deciding_rule: found[0].rule }),
          findings: found.map(findingOf),
          judged: judgedSubjects(request),
          // The status at the instant that was asked about; the stored one is of the time when it was written.
          license: { ...standing.license, status },
          policy: standing.policy,
          terms,
          ...(standing.device === undefined ? {} : { device: standing.device })
        } satisfies Explanation
      })

      return Explanations.of({ explain })
    })
  ).pipe(Layer.provide(LicenseHistory.layer), Layer.provide(LicenseStandingReader.layer))
}
