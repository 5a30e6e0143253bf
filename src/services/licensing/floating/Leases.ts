import { Context, Effect, Exit, Layer, Option, Result } from "effect"
import { granted, otherDevices } from "../../../domain/evidence/recording/DecidedUse.ts"
import { failing, LeaseExpired, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, LicenseKeyInvalid } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { LeaseStanding, Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import { Lease } from "../../../domain/licensing/entitlements/Lease.ts"
import type { LeaseRequest } from "../../../domain/licensing/entitlements/Lease.ts"
import type { CheckoutRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { makeQuestionGroups } from "../../ground/admission/QuestionGroups.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader, toWire } from "../../ground/persistence/RowToWire.ts"
import { makeSweepLocks } from "../../ground/persistence/SweepLocks.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import type { NewEvent } from "../../log/Events.ts"
import { licenseActor } from "../../log/Provenance.ts"
import { Answers } from "../entitlements/Answers.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import type { LeaseSnapshot } from "../entitlements/EntitlementStateSql.ts"
import { Replays } from "../entitlements/Replays.ts"
import { makeRuntimeWrites } from "../entitlements/RuntimeWrites.ts"
import type { SubmitWrite } from "../entitlements/RuntimeWrites.ts"
import { LeaseClosing } from "../licenses/LeaseClosing.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { lockLicense } from "../licenses/LicenseSql.ts"
import { DecidedCalls } from "../sightings/DecidedCalls.ts"
import type { DecidedCall } from "../sightings/DecidedCalls.ts"
import { makeCheckouts, makeLeaseTokens } from "./Checkouts.ts"
import {
  findInstant,
  findLease,
  leaseConditions,
  leasesDue,
  listExpired,
  listLeases,
  lockLeasesOfTokens,
  updateCheckedIn,
  updateExtended,
  updateExtendedMany,
  updateUnbound
} from "./LeaseSql.ts"
import type { Extension, OpenLease } from "./LeaseSql.ts"

/** The least pause between sweeps. Nothing waits for one: a seat is free as soon as its lease expires. */
const rest = "2 seconds"

/** The most licenses that one look finds. */
const batch = 200

/** The most leases that one transaction ends. */
const endedAtOnce = 200

/**
 * Closes expired leases, with one event each. Whether a seat is free is computed when it is read, so a late sweep
 * delays the event and nothing else.
 */
export class LeaseSweeper extends Context.Service<LeaseSweeper, {
  /** Closes all expired leases whose license is not busy; answers how many. */
  readonly sweep: Effect.Effect<number>
  /** Sweeps for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/licensing/floating/LeaseSweeper") {
  static readonly layer = Layer.effect(
    LeaseSweeper,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const endings = yield* LeaseClosing

      const locks = makeSweepLocks(sql)

      const sweep = Effect.gen(function*() {
        const passed = locks.passed()
        let ended = 0
        while (true) {
          const due = yield* listExpired(sql, passed.ids, batch)
          let count = 0
          const end = (licenseIds: ReadonlyArray<string>) =>
            Effect.map(endings.endSomeExpired(licenseIds, endedAtOnce), (leases) => {
              count += leases.length
            })
          const before = passed.ids.length
          if (due.length > 0) {
            yield* locks.each(due.map(({ license_id }) => license_id), passed, end)
          }
          ended += count
          // The rest of these licenses, which one transaction could not take, and further licenses are found by the next look.
          if (due.length < batch && count < endedAtOnce) return ended
          // Heartbeats extend all of these leases at this moment.
          if (count === 0 && passed.ids.length === before) return ended
        }
      }).pipe(Effect.withSpan("LeaseSweeper.sweep"))

      return LeaseSweeper.of({
        sweep,
        run: agenda.follow({
          name: "A sweep of the leases",
          topic: "leases",
          due: () => leasesDue(sql),
          look: swept("leases", sweep),
          rest,
          retry: rest
        })
      })
    })
  )
}

/** A call about a lease, as it is recorded: the lease says which device it is of, and a token that no lease has says nothing. */
const leaseCall = (
  operation: "checkin" | "heartbeat",
  { binding_kind, device_id, is_vm, lease_id }: LeaseSnapshot
): Pick<DecidedCall, "deviceId" | "operation" | "request"> =>
  lease_id === null
    ? { operation, deviceId: otherDevices, request: {} }
    : {
      operation,
      deviceId: device_id ?? otherDevices,
      request: { is_vm, is_container: binding_kind === "container" }
    }

/** The standing of the lease whose token the caller presented. */
const standingOf = (snapshot: LeaseSnapshot): LeaseStanding => {
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
const makeCheckins = Effect.gen(function*() {
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

/**
 * Answers a function that extends a live lease and answers when it then expires; undefined if the lease was changed
 * since it was read, or ran out. Outside of transactions, leases that are extended in one turn share a statement.
 */
const makeLeaseExtensions = Effect.gen(function*() {
  const sql = yield* Database

  const one = (extension: Extension): Effect.Effect<Date | undefined> =>
    Effect.map(updateExtended(sql, extension), ([row]) => row?.expires_at)

  const many = (extensions: ReadonlyArray<Extension>) =>
    Effect.map(
      updateExtendedMany(sql, extensions).fallible,
      (rows) => {
        const extended = new Map(rows.map((row) => [row.id, row]))
        return extensions.map(({ lease, next }) => {
          const row = extended.get(lease.id)
          // The other one of two heartbeats of a lease may have decided about the token.
          return row?.generation === lease.generation + (next === undefined ? 0n : 1n) ? row.expires_at : undefined
        })
      }
    )

  // One of them may be at fault for a failure, so each is then tried alone.
  const submit = yield* makeQuestionGroups<Extension, Date | undefined>((extensions) =>
    Effect.map(
      Effect.orElseSucceed(many(extensions), (): ReadonlyArray<undefined> => []),
      (expiries) => extensions.map((_, index) => Exit.succeed(expiries[index]))
    )
  )

  return Effect.fnUntraced(function*(extension: Extension) {
    const isInside = Option.isSome(yield* Effect.serviceOption(sql.transactionService))
    const together = isInside ? undefined : yield* submit(extension)
    // A group passes over a lease that somebody has locked, so that nobody in it waits for that.
    return together ?? (yield* one(extension))
  })
})

const readLease = rowReader(Lease)

/**
 * Floating seats: taken by a checkout, kept by heartbeats, given back by a checkin, and freed when the lease expires.
 * Seats are given out under the row lock of the license, and every deadline is judged on the database's clock.
 */
export class Leases extends Context.Service<Leases, {
  /**
   * Takes a seat and binds the device; k seats admit exactly k of any number of callers. A device that holds a seat, or
   * by the terms a process, keeps it and gets a new token.
   */
  readonly checkout: SubmitWrite<CheckoutRequest, Refusals["checkout"]>
  /** Keeps the seat for another period, and answers the token to use next. */
  readonly heartbeat: (
    credential: RuntimeCredential,
    request: LeaseRequest
  ) => Effect.Effect<SignedAnswer, Refusals["heartbeat"] | LicenseKeyInvalid>
  /** Gives the seat back, whatever state the license is in. */
  readonly checkin: SubmitWrite<LeaseRequest, Refusals["checkin"]>
  /** Lists leases, newest first; `live` selects those that hold a seat now, or with false those that do not. */
  readonly list: (
    licenseId: string,
    filters: { readonly live?: boolean },
    page: PageRequest
  ) => Effect.Effect<Page<Lease>, NotFound | InvalidCursor>
  /** Ends a lease on behalf of its holder. Repeatable. */
  readonly release: (licenseId: string, leaseId: string) => Effect.Effect<Lease, NotFound>
}>()("countersign/services/licensing/floating/Leases") {
  static readonly layer = Layer.effect(
    Leases,
    Effect.gen(function*() {
      const sql = yield* Database
      const answers = yield* Answers
      const calls = yield* DecidedCalls
      const endings = yield* LeaseClosing
      const extensions = yield* makeLeaseExtensions
      const licenses = yield* Licenses
      const snapshots = yield* EntitlementState
      const tokens = yield* makeLeaseTokens
      const checkout = yield* makeCheckouts
      const checkin = yield* makeCheckins

      /** Extends a live lease and replaces its token; undefined if the lease was changed since it was read. */
      const rotate = (snapshot: Snapshot, lease: OpenLease) => {
        const token = tokens.of(lease.id, lease.generation + 1n)
        return Effect.map(
          extensions({ lease, minutes: snapshot.floating_timeout_minutes, next: tokens.hash(token) }),
          (expiresAt) => expiresAt && { token, expiresAt }
        )
      }

      /** The same for a holder that missed the newest token: answers that token again. */
      const extend = (snapshot: Snapshot, lease: OpenLease) =>
        Effect.map(
          extensions({ lease, minutes: snapshot.floating_timeout_minutes, next: undefined }),
          (expiresAt) => expiresAt && { token: tokens.of(lease.id, lease.generation), expiresAt }
        )

      const heartbeat = Effect.fn("Leases.heartbeat")(function*(credential: RuntimeCredential, request: LeaseRequest) {
        const tokenHash = tokens.hash(request.lease_token)
        // A concurrent heartbeat with the same token may replace it first. Read again then, as a retry would.
        for (let attempt = 1; attempt <= 3; attempt++) {
          const snapshot = yield* snapshots.readLease(credential, tokenHash, request.user_token)
          const binding = { kind: snapshot.binding_kind, key: snapshot.binding_key }
          const decision = decide("heartbeat", snapshot, {}, {
            lease: standingOf(snapshot),
            bindingKind: binding.kind,
            isVm: snapshot.is_vm
          })
          const call = { ...leaseCall("heartbeat", snapshot), snapshot }
          if (Result.isFailure(decision)) {
            calls.record({ ...call, result: decision.failure._tag })
            return yield* decision.failure
          }
          const lease = { id: snapshot.lease_id!, generation: snapshot.lease_generation }
          const kept = yield* (snapshot.lease_token_current ? rotate(snapshot, lease) : extend(snapshot, lease))
          if (kept !== undefined) {
            calls.record({ ...call, result: granted })
            return yield* answers.lease(snapshot, { deviceId: snapshot.device_id!, binding, request }, kept)
          }
        }
        return yield* failing(LeaseExpired, "The lease expired before it could be extended. Check out a new one.")
      }, decided("heartbeat"))

      const list = Effect.fn("Leases.list")((
        licenseId: string,
        filters: { readonly live?: boolean },
        page: PageRequest
      ) =>
        Effect.andThen(
          licenses.get(licenseId),
          sortedPage({
            sql,
            list: "leases",
            products: "owned",
            filters: { licenseId, ...filters },
            page,
            conditions: leaseConditions(sql, licenseId, filters.live),
            rows: (clauses, limit) => listLeases(sql, clauses, limit),
            read: readLease
          })
        )
      )

      const release = Effect.fn("Leases.release")((licenseId: string, leaseId: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lockLicense(sql, licenseId)
            yield* endings.end({ licenseId, leaseId }, "released")
            const [row] = yield* findLease(sql, licenseId, leaseId)
            return row === undefined
              ? yield* failing(NotFound, "The license has no lease with this id.")
              : readLease(row)
          })
        )
      )

      return Leases.of({ checkout, heartbeat, checkin, list, release })
    })
  )
}
