import { assert, describe, it } from "@effect/vitest"
import type { Policy } from "../../../src/domain/catalog/Policy.ts"
import { granted, hourOf, several } from "../../../src/domain/explaining/DecidedCalls.ts"
import type { RecordedCalls, RecordedOperation } from "../../../src/domain/explaining/DecidedCalls.ts"
import { decidingRulesOf, findingsOf } from "../../../src/domain/explaining/JudgedCall.ts"
import { rehearsing } from "../../../src/domain/explaining/RehearsedLicense.ts"
import type { RehearsedOutcome } from "../../../src/domain/explaining/RehearsedLicense.ts"
import type { LoggedLicense, LoggedStep, RehearsedRecord } from "../../../src/domain/explaining/RehearsedRecord.ts"
import type { DeviceStatus } from "../../../src/domain/licenses/Device.ts"
import { chance } from "../../fixtures/Seeded.ts"

const start = Date.UTC(2026, 9, 1)
const minute = 60_000
const day = 1_440 * minute

const terms: Policy = {
  id: "pol_1",
  product_id: "prod_1",
  name: "P",
  code: "p",
  license_type: "subscription",
  max_activations: 2,
  max_container_instances: 1,
  floating_timeout_minutes: 10,
  grace_period_days: 2,
  validation_interval_minutes: 1440,
  require_heartbeat: false,
  allow_offline_activation: true,
  offline_grace_days: 30,
  allow_vm: true,
  allow_container: true,
  max_transfers: 3,
  metadata: {},
  created_at: "2026-01-01T00:00:00.000Z",
  updated_at: "2026-01-01T00:00:00.000Z"
}

const machines = [0, 1, 2, 3, 4].map((n) => ({ id: `dev_${n}`, isVm: n === 1 || n === 3, isContainer: n >= 3 }))

interface Step {
  readonly at: number
  readonly kind: RecordedOperation | "reset" | "blacklisted" | "end" | "suspend" | "reinstate"
  readonly machine: number
  readonly user: number
  readonly amount: number
}

/** The quota of the feature that is used by odd amounts; the other one has none. */
const quota = 3

/** A license in plain code: it plays calls under terms, and keeps the record and the log as the service does. */
class Twin {
  readonly codes: Array<string> = []
  readonly rows = new Map<string, RecordedCalls>()
  readonly log: Array<LoggedStep>
  readonly #policy: Policy
  readonly #hasUsers: boolean
  readonly #seats = new Map<string, DeviceStatus>()
  readonly #users = new Map<string, string>()
  #used = 0
  #license: LoggedLicense = { product_id: "prod_1", policy_id: "pol_1", state: "active" }

  /** People who sign in are there only where the terms of the first license, which the calls are made on, have them. */
  constructor(policy: Policy, hasUsers: boolean) {
    this.#policy = policy
    this.#hasUsers = hasUsers
    this.log = [{ at: start - day, policy }, { at: start - day, license: this.#license }]
  }

  knows(machine: number): boolean {
    return this.#seats.has(machines[machine]!.id)
  }

  play(step: Step): void {
    const { at, kind, machine } = step
    const { id, isContainer, isVm } = machines[machine]!
    const seat = (status: DeviceStatus, isActivation: boolean) => {
      this.#seats.set(id, status)
      const license = status === "active" || status === "deactivated" ? { license: this.#license } : {}
      const shown = { id, kind: isContainer ? "container" as const : "hardware" as const, isVm, status, isActivation }
      // The time of an event is that of its transaction, which began before the decision, or ends after it.
      this.log.push({ at: at + (machine % 2 === 0 ? 3 : -3), ...license, seat: shown })
    }
    if (kind === "reset" || kind === "blacklisted") return this.#seats.has(id) ? seat(kind, false) : undefined
    if (kind === "end" || kind === "suspend" || kind === "reinstate") return this.#put(at, kind, machine)
    const before = this.#seats.get(id)
    // Most people use their own machine.
    const userId = this.#hasUsers ? `user_${step.user === machines.length ? machine % 3 : step.user}` : undefined
    const remaining = quota - this.#used
    const allowed = this.#decide(at, kind, machine, userId)
    const isOver = kind === "consume" && step.amount % 2 === 1 && step.amount > remaining
    const code = allowed === granted && isOver ? "FEATURE_QUOTA_EXCEEDED" : allowed
    this.codes.push(code)
    this.#record(step, code, { userId: this.#policy.max_users === undefined ? undefined : userId, remaining })
    if (code === granted && kind === "consume" && step.amount % 2 === 1) this.#used += step.amount
    if (code === granted && kind === "activate" && userId !== undefined) this.#users.set(id, userId)
    if (code === granted && kind === "activate" && before !== "active") seat("active", true)
    if (code === granted && kind === "deactivate") seat("deactivated", false)
  }

  #put(at: number, kind: "end" | "suspend" | "reinstate", machine: number): void {
    this.#license = kind === "end"
      ? { ...this.#license, expires_at: new Date(at + (machine - 2) * day).toISOString() }
      : { ...this.#license, state: kind === "suspend" ? "suspended" : "active" }
    this.log.push({ at, license: this.#license })
  }

  #decide(at: number, operation: RecordedOperation, machine: number, userId: string | undefined): string {
    const { id, isContainer, isVm } = machines[machine]!
    const active = machines.filter((other) =>
      other.id !== id && other.isContainer === isContainer && this.#seats.get(other.id) === "active"
    )
    const [first] = findingsOf(
      {
        license: this.#license,
        state: this.#license.state,
        products: [{ code: "p" }],
        deviceStatus: this.#seats.get(id),
        deviceFloating: false,
        otherActiveDevices: active.length,
        otherLiveLeases: 0,
        lease: "unknown",
        selfService: undefined,
        user: this.#policy.max_users === undefined
          ? undefined
          : userId === undefined
          ? { id: undefined, problem: "missing", hasDevice: false, otherDevices: 0 }
          : {
            id: userId,
            problem: undefined,
            hasDevice: this.#users.get(id) === userId,
            otherDevices:
              machines.filter((other) =>
                other.id !== id && this.#seats.get(other.id) === "active" && this.#users.get(other.id) === userId
              ).length
          },
        feature: undefined
      },
      decidingRulesOf({ license: this.#license, policy: this.#policy }),
      { operation, binding: { is_container: isContainer, is_vm: isVm } },
      new Date(at)
    )
    return first?.refusal.error.code ?? granted
  }

  #record(
    { amount, at, kind, machine }: Step,
    result: string,
    { remaining, userId }: { readonly userId: string | undefined; readonly remaining: number }
  ): void {
    const { id: device, isContainer: is_container, isVm: is_vm } = machines[machine]!
    const now = new Date(at)
    const operation = kind as RecordedOperation
    const key = `${hourOf(now)} ${device} ${operation} ${result}`
    const before = this.rows.get(key)
    const isUse = operation === "consume"
    const asked = {
      user_id: userId ?? null,
      feature_code: isUse ? amount % 2 === 1 ? "limited" : "free" : null,
      amount: isUse ? amount : null,
      remaining: isUse && amount % 2 === 1 ? remaining : null
    }
    const least = [before?.remaining ?? Infinity, asked.remaining ?? Infinity]
    this.rows.set(key, {
      license_id: "lic_1",
      device,
      operation,
      result,
      is_vm,
      is_container,
      calls: (before?.calls ?? 0) + 1,
      first_at: before?.first_at ?? now,
      last_at: now,
      user_id: before === undefined || before.user_id === asked.user_id ? asked.user_id : several,
      feature_code: before === undefined || before.feature_code === asked.feature_code ? asked.feature_code : several,
      amount: isUse ? (before?.amount ?? 0) + amount : null,
      remaining: Math.min(...least) === Infinity ? null : Math.min(...least)
    })
  }
}

const run = (record: RehearsedRecord, change: (policy: Policy) => Policy): ReadonlyArray<RehearsedOutcome> => {
  const work = rehearsing(record, change)
  for (let turn = work.next();; turn = work.next()) if (turn.done === true) return turn.value
}

const kinds: ReadonlyArray<Step["kind"]> = [
  ...["activate", "activate", "activate", "validate", "validate", "check", "deactivate"] as const,
  ...["consume", "consume", "consume"] as const,
  ...["reset", "blacklisted", "end", "suspend", "reinstate"] as const
]

const changes: ReadonlyArray<(policy: Policy) => Policy> = [
  (policy) => ({ ...policy, max_activations: 1 }),
  (policy) => ({ ...policy, max_activations: 4, max_container_instances: 3 }),
  (policy) => ({ ...policy, allow_vm: false }),
  (policy) => ({ ...policy, allow_container: false }),
  (policy) => ({ ...policy, grace_period_days: 0 }),
  (policy) => ({ ...policy, max_activations: 0, activation_overage: "allow" }),
  (policy) => ({ ...policy, max_devices_per_user: 1 }),
  (policy) => ({ ...policy, max_devices_per_user: 3, max_activations: 1 }),
  ({ max_users: _users, ...policy }) => policy
]

/** The terms of every other license: people sign in. */
const named: Policy = { ...terms, max_activations: 3, max_users: 3, max_devices_per_user: 2 }

const differ = (pairs: ReadonlyArray<readonly [before: string, after: string | undefined, calls: number]>) => {
  const found = { all: 0, refused: 0, granted: 0, same: 0, unknown: 0 }
  for (const [before, after, calls] of pairs) {
    found.all += calls
    const kind = (before === granted) === (after === granted) ? "same" : after === granted ? "granted" : "refused"
    found[after === undefined ? "unknown" : kind] += calls
  }
  return found
}

describe("a rehearsed license", () => {
  // A call every 3 minutes, so that records have several, and every 2 hours, so that none has.
  it.each([3, 120])("is answered as a twin under the changed terms, with a call every %i minutes", (pause) => {
    const { upTo } = chance(`rehearsed ${pause}`)
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < 300; turn++) {
      const change = changes[turn % changes.length]!
      const steps = Array.from({ length: 40 }, (_, n): Step => ({
        at: start + n * pause * minute,
        kind: kinds[Math.floor(upTo(kinds.length))]!,
        machine: Math.floor(upTo(machines.length)),
        user: upTo(10) < 9 ? machines.length : Math.floor(upTo(3)),
        amount: 1 + Math.floor(upTo(4))
      }))
      const base = turn % 2 === 0 ? terms : named
      const hasUsers = base === named
      const [own, twin] = [new Twin(base, hasUsers), new Twin(change(base), hasUsers)]
      for (const step of steps) {
        // Nobody resets or blocks a device that there was not.
        if ((step.kind === "reset" || step.kind === "blacklisted") && !own.knows(step.machine)) continue
        own.play(step)
        twin.play(step)
      }
      const outcomes = run({ policyId: "pol_1", steps: own.log, calls: [...own.rows.values()], from: start }, change)
      const found = differ(outcomes.map(({ after, before, calls }) => [before, after, calls]))
      const expected = differ(own.codes.map((code, n) => [code, twin.codes[n], 1]))
      const shown = JSON.stringify({ change: String(change), steps, own: own.codes, twin: twin.codes, outcomes })
      assert.strictEqual(found.all, expected.all, shown)
      for (const kind of ["refused", "granted", "same"] as const) {
        assert.isAtMost(found[kind], expected[kind], shown)
        assert.isAtLeast(found[kind] + found.unknown, expected[kind], shown)
      }
      sums.all += found.all
      sums.unknown += found.unknown
    }
    // Where no two calls are in one record, only quotas may decide either way.
    if (pause === 120) assert.isBelow(sums.unknown / sums.all, 0.01)
    else assert.isBelow(sums.unknown / sums.all, 0.2)
  })
})
