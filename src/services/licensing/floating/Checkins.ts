import { Effect } from "effect"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { LeaseStanding, Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { Lease, LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import { Answers } from "../entitlements/Answers.ts"
import { EntitlementState } from "../entitlements/EntitlementState.ts"
import type { LeaseSnapshot } from "../entitlements/EntitlementStateSql.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { toWire } from "../../ground/persistence/RowToWire.ts"
import { leaseCall } from "./LeaseCalls.ts"
import { findInstant, lockLeasesOfTokens, updateCheckedIn, updateUnbound } from "./LeaseSql.ts"
import { makeLeaseTokens } from "./LeaseTokens.ts"

/** The standing of the lease whose token the caller presented. */
export const standingOf = (snapshot: LeaseSnapshot): LeaseStanding => {
  if (snapshot.lease_id === null || !snapshot.lease_token_live) return "unknown"
  const ended = snapshot.lease_end_reason
  if (ended !== null) return ended === "expired" || ended === "released" ? ended : "unknown"
  return snapshot.lease_expires_at.getTime() > snapshot.now.getTime() ? "live" : "expired"
}

/** The state that the checkins of a round share. */
interface CheckingIn {
  readonly at: Date
  readonly leases: ReadonlyMap<string, Lease>
  readonly ended: Map<string, Lease>
  readonly events: Array<NewEvent>
}

/** Makes the checkin of floating seats; those that arrive together share a transaction. */
export const makeCheckins = Effect.gen(function*() {
  const sql = yield* Database
  const answers = yield* Answers
  const replays = yield* Replays
  const states = yield* EntitlementState
  const tokens = yield* makeLeaseTokens

  return yield* makeRuntimeWrites<LeaseRequest, CheckingIn, Refusals["checkin"], LeaseSnapshot>({
    operation: "checkin",
    maximum: 64,
    concurrency: 2,
    limitsAnswers: true,
    recordedAs: (_request, { at }, snapshot) => ({ ...leaseCall("checkin", snapshot), at }),
    read: Effect.fnUntraced(function*(writes) {
      const questions = writes.map(({ credential, licenseId, request }) => ({
        credential,
        licenseId,
        tokenHash: tokens.hash(request.lease_token)
      }))
      // The lease is locked before it is judged: heartbeats do not lock the license, so one could extend it meanwhile.
      const [leases, snapshots, [instant]] = yield* Effect.all([
        lockLeasesOfTokens(sql, questions),
        states.readAllLeases(questions),
        findInstant(sql)
      ], { concurrency: "unbounded" })
      return {
        snapshots,
        state: {
          at: instant!.at,
          leases: new Map(leases.map((row) => toWire<Lease>(row)).map((lease) => [lease.id, lease])),
          ended: new Map(),
          events: []
        }
      }
    }),
    decide: Effect.fnUntraced(function*({ licenseId, origin, request }, snapshot, { at, ended, events, leases }, room) {
      const found = leases.get(snapshot.lease_id ?? "")
      // A lease that another one of the group gives back is known to nobody after that.
      const lease = found === undefined || ended.has(found.id) ? "unknown" : standingOf(snapshot)
      yield* Effect.fromResult(decide("checkin", snapshot, {}, { lease }))
      yield* room
      const given: Lease = { ...found!, status: "checked_in", ended_at: at.toISOString() }
      ended.set(given.id, given)
      events.push({
        type: "lease.checked_in",
        resourceId: given.id,
        data: given,
        metadata: { license_id: licenseId, device_id: given.device_id, reason: "checked_in" },
        actor: licenseActor(licenseId),
        origin
      })
      const binding = { kind: snapshot.binding_kind, key: snapshot.binding_key }
      return {
        answer: answers.lease(snapshot, { deviceId: given.device_id, binding, request }, {
          token: undefined,
          expiresAt: at
        }),
        isNoOp: false
      }
    }),
    written: ({ at, ended, events }) => ({
      rows: ended.size === 0 ? Effect.void : Effect.all([
        updateCheckedIn(sql, at, [...ended.keys()]),
        updateUnbound(sql, [...ended.values()].map(({ device_id }) => device_id))
      ], { concurrency: "unbounded", discard: true }),
      events
    }),
    judge: (credential, request) => replays.judgeLease("checkin", credential, request)
  })
})
