import { Cause, Context, Effect, Exit, Layer, Predicate } from "effect"
import {
  granted,
  hourOf,
  isOfLease,
  otherDevices,
  recordOf,
  several
} from "../../../domain/evidence/recording/DecidedUse.ts"
import type {
  DecidedCalls as Calls,
  DecidedUse,
  RecordedOperation
} from "../../../domain/evidence/recording/DecidedUse.ts"
import { bindingOf } from "../../../domain/licensing/entitlements/DeviceBinding.ts"
import type { RuntimeRequest } from "../../../domain/licensing/entitlements/RuntimeRequest.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { writeBehind } from "../../ground/platform/Supervised.ts"
import { toldOf } from "../licenses/DeviceBindings.ts"
import { insertDecidedCalls } from "./SightingSql.ts"

/** The most unknown devices of a license that are told apart in an hour: anybody with a key can name any number of them. */
const unknownEach = 100

/** A call that was decided by a snapshot. */
export interface DecidedCall {
  readonly operation: RecordedOperation
  readonly snapshot: Snapshot
  readonly request: RuntimeRequest
  /** The use of a feature, where its quota alone decided it. */
  readonly use?: DecidedUse | undefined
  /** The device, where the call has made it. */
  readonly deviceId?: string | undefined
  /** `granted`, or the code of the refusal; undefined is no decision and not recorded. */
  readonly result: string | undefined
  /** When it was decided, where that is not when the snapshot was read. */
  readonly at?: Date
}

/** Codes for which a call failed that was not decided. */
const undecided: ReadonlySet<string> = new Set([
  "IDEMPOTENCY_CONFLICT",
  "IDEMPOTENCY_IN_FLIGHT",
  "LICENSE_KEY_INVALID",
  "RATE_LIMITED",
  "VALIDATION_ERROR"
])

/** Reads the result of a decision: `granted`, or the code of the refusal; undefined where nothing was decided. */
export const resultOf = (decision: Exit.Exit<unknown, unknown>): string | undefined => {
  if (Exit.isSuccess(decision)) return granted
  const error = decision.cause.reasons.find(Cause.isFailReason)?.error
  const code = Predicate.hasProperty(error, "_tag") ? String(error._tag) : undefined
  return code === undefined || undecided.has(code) ? undefined : code
}

/** The pauses between calls about a floating seat, with the one before the last of them. */
const pausesWith = (before: Calls, { first_at }: Calls): Pick<Calls, "longest_pause" | "shortest_pause"> => {
  const pause = Math.max(0, first_at.getTime() - before.last_at.getTime())
  return {
    shortest_pause: Math.min(before.shortest_pause ?? pause, pause),
    longest_pause: Math.max(before.longest_pause ?? pause, pause)
  }
}

/** Calls that are counted until they are written. */
type Counted = { -readonly [Member in keyof Calls]: Calls[Member] }

/** Counts a call on top of those before. In place: a busy device makes hundreds of calls between two flushes. */
const add = (before: Counted, now: Calls): void => {
  if (isOfLease(now)) Object.assign(before, pausesWith(before, now))
  before.calls += now.calls
  before.last_at = now.last_at
  before.is_container = now.is_container
  if (now.app_version !== undefined) before.app_version = now.app_version
  if (now.os !== undefined) before.os = now.os
  if (before.user_id !== now.user_id) before.user_id = several
  if (before.feature_code !== now.feature_code) before.feature_code = several
  if (now.amount !== undefined) before.amount = (before.amount ?? 0) + now.amount
  if (now.remaining !== undefined) before.remaining = Math.min(before.remaining ?? now.remaining, now.remaining)
}

/**
 * The record of what was decided, from which a change of a policy is rehearsed: calls by license, hour, device, operation and
 * result, with the class of device that each decision read. Write-behind, as sightings: a device that calls all the time has a row
 * for an hour. The calls of the last second are lost when the process is killed.
 */
export class DecidedCalls extends Context.Service<DecidedCalls, {
  /** Counts a call. */
  readonly record: (call: DecidedCall) => void
}>()("countersign/services/licensing/sightings/DecidedCalls") {
  static readonly layer = Layer.effect(
    DecidedCalls,
    Effect.gen(function*() {
      const sql = yield* Database
      const { sha256Hex } = yield* Cryptography
      let waiting = new Map<string, Counted>()
      let hour = ""
      let unknown = new Map<string, Set<string>>()

      const someWait = yield* writeBehind({
        name: "Recording what was decided",
        lost: "Decided calls were not recorded",
        take: () => {
          // Nodes lock the rows in one order.
          const all = [...waiting].toSorted(([a], [b]) => a < b ? -1 : 1).map(([, calls]) => calls)
          waiting = new Map()
          return all
        },
        write: (rows) => insertDecidedCalls(sql, rows)
      })

      /** The name of a device that the license does not know: the digest of its binding, or that of the others. */
      const unknownDevice = (licenseId: string, request: RuntimeRequest, now: string): string => {
        if (hour !== now) unknown = new Map()
        hour = now
        const known = unknown.get(licenseId) ?? new Set<string>()
        const { key, kind } = bindingOf(request)
        const digest = sha256Hex(`${kind}\n${key}`).slice(0, 32)
        if (!known.has(digest) && known.size >= unknownEach) return otherDevices
        unknown.set(licenseId, known.add(digest))
        return digest
      }

      return DecidedCalls.of({
        record: ({ at: decidedAt, deviceId, operation, request, result, snapshot, use }) => {
          if (result === undefined) return
          const { license_id } = snapshot
          const now = decidedAt ?? snapshot.now
          const at = hourOf(now)
          const device = deviceId ?? snapshot.device_id ?? unknownDevice(license_id, request, at)
          const isVm = request.is_vm === true
          const record = recordOf(operation, now)
          const key = `${license_id}\n${record}\n${device}\n${operation}\n${result}\n${isVm}`
          const call: Counted = {
            license_id,
            hour: record,
            device,
            operation,
            result,
            is_vm: isVm,
            is_container: request.is_container === true,
            calls: 1,
            first_at: now,
            last_at: now,
            ...toldOf(request)
          }
          if (snapshot.user?.id !== undefined) call.user_id = snapshot.user.id
          if (use !== undefined) {
            call.feature_code = use.feature_code
            call.amount = use.amount
            if (use.remaining !== undefined) call.remaining = use.remaining
          }
          const before = waiting.get(key)
          if (before === undefined) waiting.set(key, call)
          else add(before, call)
          someWait()
        }
      })
    })
  )
}
