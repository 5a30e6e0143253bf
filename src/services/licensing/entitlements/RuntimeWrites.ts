import { Cause, Effect, Exit } from "effect"
import { Hex } from "effect/encoding"
import type {
  IdempotencyConflict,
  IdempotencyInFlight,
  LicenseKeyInvalid,
  RateLimited
} from "../../../domain/ground/wire/Errors.ts"
import type { RuntimeWrite as RuntimeWriteOperation } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { crowded, CurrentShare } from "../../ground/admission/FairShare.ts"
import { GroupTransactions, makeGroupCommit } from "../../ground/persistence/GroupCommit.ts"
import type { SignedAnswer } from "../../keys/security/Signing.ts"
import { Events } from "../../log/Events.ts"
import type { NewEvent } from "../../log/Events.ts"
import { RequestOrigin } from "../../log/Provenance.ts"
import type { Origin } from "../../log/Provenance.ts"
import { Idempotency, stillInFlight } from "../../people/access/Idempotency.ts"
import type { FreshAnswer, IdempotentRequest, Repeatable, StoredAnswer } from "../../people/access/Idempotency.ts"
import { DecidedCalls, resultOf } from "../sightings/DecidedCalls.ts"
import type { DecidedCall } from "../sightings/DecidedCalls.ts"
import { decided } from "./DecisionMetrics.ts"
import { EntitlementState, unknownKey } from "./EntitlementState.ts"
import type { RuntimeCredential } from "./EntitlementState.ts"

/** A write of an app that waits for its group. */
export interface RuntimeWrite<Request> {
  readonly credential: RuntimeCredential
  /** The hash of the license key in hex. */
  readonly keyName: string
  readonly request: Request
  readonly idempotent: IdempotentRequest
  readonly origin: Origin
  /** Turns a signed answer into the response that is stored and sent. */
  readonly write: (answer: SignedAnswer) => StoredAnswer
}

/** A write that was allowed. */
export interface Granted {
  readonly answer: Effect.Effect<SignedAnswer>
  /** Nothing was changed, so that running the write again does as well as storing its answer. */
  readonly isNoOp: boolean
  /** The device, where the write made it. */
  readonly deviceId?: string
}

/** The writes that a round of decisions leaves. */
interface Written {
  /** Statements that need not wait for each other. */
  readonly rows: Effect.Effect<void>
  readonly events: ReadonlyArray<NewEvent>
}

/** A write whose license is locked. */
export type HeldWrite<Request> = RuntimeWrite<Request> & { readonly licenseId: string }

/** The facts about each write of a round, and what their decisions have used up so far. */
interface Round<State, Known extends Snapshot = Snapshot> {
  /** In the order of the writes; undefined where the key is unknown. */
  readonly snapshots: ReadonlyArray<Known | undefined>
  readonly state: State
}

/** A runtime operation whose writes are committed in groups. `State` is what a round of decisions shares. */
export interface GroupedOperation<Request, State, E, Known extends Snapshot = Snapshot> {
  readonly operation: RuntimeWriteOperation
  /** The most writes of a group. */
  readonly maximum: number
  /** How many groups may be committed at once. */
  readonly concurrency: number
  /** Whether the answers that a caller stores are limited; see Idempotency. */
  readonly limitsAnswers: boolean
  /**
   * Names what a write changes, when a decision cannot tell how another one of the group leaves it: writes of one name
   * are decided in rounds, each on what the one before has written. Without it there is one round.
   */
  readonly subjectOf?: (write: HeldWrite<Request>) => string
  /**
   * Whether a write may change what any other write of its license is decided by. No other write of the license is in
   * its round.
   */
  readonly isAlone?: (request: Request) => boolean
  /** Reads what a round is decided by. */
  readonly read: (writes: ReadonlyArray<HeldWrite<Request>>) => Effect.Effect<Round<State, Known>>
  /**
   * Decides one write after the others of its round, and notes in the state what it takes. `room` takes a place for its
   * answer among those that the caller has stored: to be run before anything is noted, unless the answer is spare.
   */
  readonly decide: (
    write: HeldWrite<Request>,
    snapshot: Known,
    state: State,
    room: Effect.Effect<void, RateLimited>
  ) => Effect.Effect<Granted, E | RateLimited>
  /** Reads what was decided; set where decisions are recorded. */
  readonly recordedAs?: (
    request: Request,
    state: State,
    snapshot: Known
  ) => Pick<DecidedCall, "at" | "deviceId" | "operation" | "request" | "use">
  /** Run after the decisions of a round, for the rare case that they need more than {@link Written} can say. */
  readonly settle?: (state: State) => Effect.Effect<void>
  readonly written: (state: State) => Written
  /** Judges a stored answer again before it is replayed. */
  readonly judge: (credential: RuntimeCredential, request: Request) => Effect.Effect<void, E | LicenseKeyInvalid>
}

/** The reasons why a write in a group may fail, whatever it asks. */
export type GroupRefusal = LicenseKeyInvalid | IdempotencyConflict | IdempotencyInFlight | RateLimited

/** A function that has a write carried out in a group. */
export type SubmitWrite<Request, E> = (
  credential: RuntimeCredential,
  request: Request,
  idempotent: IdempotentRequest,
  write: (answer: SignedAnswer) => StoredAnswer
) => Effect.Effect<Repeatable, E | GroupRefusal>

/**
 * Commits writes that arrive together in one transaction (group commit): a license is locked once for all of them, and
 * what one of them would read and write by itself is read and written for all in three flights. Each is answered as if
 * it had come alone, after those before it, and its answer is stored in the same transaction under its idempotency key.
 */
export const makeRuntimeWrites = Effect.fnUntraced(function*<Request, State, E, Known extends Snapshot = Snapshot>(
  operation: GroupedOperation<Request, State, E, Known>
) {
  type Write = RuntimeWrite<Request>
  type Held = HeldWrite<Request>
  type Answered = Exit.Exit<FreshAnswer, E | LicenseKeyInvalid | RateLimited>
  type Decision = Exit.Exit<Granted, E | LicenseKeyInvalid | RateLimited>
  // An answer that is given again was decided and counted before.
  const counted = decided(operation.operation, (answer) => !(answer as Repeatable).replayed)
  const { decide, isAlone, judge, limitsAnswers, read, recordedAs, settle, subjectOf, written } = operation
  const calls = yield* DecidedCalls
  const events = yield* Events
  const idempotency = yield* Idempotency
  const states = yield* EntitlementState
  const transactions = yield* GroupTransactions

  /** Splits writes into those of this round and those of later ones. */
  const divide = (writes: ReadonlyArray<Held>) => {
    if (subjectOf === undefined) return { now: writes, later: [] }
    const subjects = new Set<string>()
    const now: Array<Held> = []
    const later: Array<Held> = []
    const alone = isAlone === undefined ? [] : writes.filter(({ request }) => isAlone(request))
    /** Licenses of which nothing more may be in this round: from the first write on that is alone. */
    const closed = new Set<string>()
    const begun = new Set<string>()
    for (const write of writes) {
      const { licenseId } = write
      const subject = subjectOf(write)
      const closes = alone.includes(write)
      const waits = subjects.has(subject) || closed.has(licenseId) || (closes && begun.has(licenseId))
      ;(waits ? later : now).push(write)
      subjects.add(subject)
      if (closes) closed.add(licenseId)
      else if (alone.length > 0) begun.add(licenseId)
    }
    return { now, later }
  }

  const decideAll = Effect.fnUntraced(function*(
    writes: ReadonlyArray<Held>,
    room: (request: IdempotentRequest) => Effect.Effect<void, RateLimited>
  ) {
    const decisions = new Map<IdempotentRequest, Decision>()
    const happened: Array<NewEvent> = []
    let rows: Effect.Effect<void> = Effect.void
    for (let left = writes; left.length > 0;) {
      yield* rows
      const { later, now } = divide(left)
      const { snapshots, state } = yield* read(now)
      for (const [index, write] of now.entries()) {
        const snapshot = snapshots[index]
        const decision: Decision = snapshot === undefined
          ? Exit.fail(unknownKey)
          : yield* Effect.exit(decide(write, snapshot, state, room(write.idempotent)))
        // A refusal concerns this write alone. A defect rolls the whole group back.
        if (Exit.isFailure(decision) && !Cause.hasFails(decision.cause)) {
          return yield* Effect.die(Cause.squash(decision.cause))
        }
        decisions.set(write.idempotent, decision)
        if (recordedAs !== undefined && snapshot !== undefined) {
          calls.record({
            deviceId: Exit.isSuccess(decision) ? decision.value.deviceId : undefined,
            ...recordedAs(write.request, state, snapshot),
            snapshot,
            result: resultOf(decision)
          })
        }
      }
      if (settle !== undefined) yield* settle(state)
      const result = written(state)
      rows = result.rows
      happened.push(...result.events)
      left = later
    }
    return {
      decisions,
      writes: Effect.all([rows, events.appendAll(happened)], { concurrency: "unbounded", discard: true })
    }
  })

  const commit = (writes: ReadonlyArray<Write>, { wait }: { readonly wait: boolean }) =>
    idempotency.onceEach(writes, {
      isLimited: limitsAnswers,
      hold: states.lockAll(writes.map(({ credential }) => credential), { wait }),
      answer: Effect.fnUntraced(function*(fresh, locked, room) {
        const licenses = new Map(locked.map(({ key_hash, license_id }) => [Hex.encode(key_hash), license_id]))
        const held: Array<Held> = []
        const rest: Array<Write> = []
        for (const write of fresh) {
          const licenseId = licenses.get(write.keyName)
          if (licenseId === undefined) rest.push(write)
          else held.push({ ...write, licenseId })
        }
        const elsewhere = rest.length === 0 ? [] : yield* states.known(rest.map(({ credential }) => credential))
        const isElsewhere = new Set(elsewhere.map(({ key_hash }) => Hex.encode(key_hash)))
        const { decisions, writes } = yield* decideAll(held, room)
        // The signing thread signs the answers of all at once.
        const exits = yield* Effect.forEach(fresh, (write): Effect.Effect<Answered | undefined> => {
          const decision = decisions.get(write.idempotent)
          if (decision === undefined) {
            return Effect.succeed(isElsewhere.has(write.keyName) ? undefined : Exit.fail(unknownKey))
          }
          return Exit.isFailure(decision)
            ? Effect.succeed(Exit.failCause(decision.cause))
            : Effect.map(
              decision.value.answer,
              (answer) => Exit.succeed<FreshAnswer>({ ...write.write(answer), isNoOp: decision.value.isNoOp })
            )
        }, { concurrency: "unbounded" })
        return { exits, writes }
      })
    })

  const submit = yield* makeGroupCommit<Write, Repeatable, E | GroupRefusal>({
    keyOf: ({ keyName }) => keyName,
    maximum: operation.maximum,
    concurrency: operation.concurrency,
    patientConcurrency: 2,
    // A group belongs to many callers, so no caller's fair share is charged for it.
    commit: (writes, patience) =>
      Effect.orDie(transactions.run(
        Effect.provideService(commit(writes, patience), CurrentShare, undefined),
        patience
      )),
    stopped: Exit.die(crowded("The service is shutting down."))
  })

  /** Idempotency keys of requests that are not answered yet. No two requests of one group may share a key. */
  const running = new Set<string>()

  const run: SubmitWrite<Request, E> = Effect.fnUntraced(function*(credential, request, idempotent, write) {
    const name = `${idempotent.principal}\n${idempotent.key}`
    if (running.has(name)) return yield* stillInFlight
    const origin = yield* RequestOrigin
    const keyName = Hex.encode(credential.keyHash)
    // Not interrupted when the caller hangs up: the key stays taken until the write is decided.
    const given = yield* Effect.suspend(() => {
      running.add(name)
      return submit({ credential, keyName, request, idempotent, origin, write }, () => running.delete(name))
    }).pipe(counted, Effect.uninterruptible)
    if (given.replayed) yield* judge(credential, request)
    return given
  })
  return run
})
