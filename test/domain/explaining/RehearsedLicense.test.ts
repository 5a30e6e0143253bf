import { assert, describe, it } from "@effect/vitest"
import type { Policy } from "../../../src/domain/catalog/Policy.ts"
import { granted, hourOf } from "../../../src/domain/explaining/DecidedCalls.ts"
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
}

/** A license in plain code: it plays calls under terms, and keeps the record and the log as the service does. */
class Twin {
  readonly codes: Array<string> = []
  readonly rows = new Map<string, RecordedCalls>()
  readonly log: Array<LoggedStep>
  readonly #policy: Policy
  readonly #seats = new Map<string, DeviceStatus>()
  #license: LoggedLicense = { product_id: "prod_1", policy_id: "pol_1", state: "active" }

  constructor(policy: Policy) {
    this.#policy = policy
    this.log = [{ at: start - day, policy }, { at: start - day, license: this.#license }]
  }

  knows(machine: number): boolean {
    return this.#seats.has(machines[machine]!.id)
  }

  play({ at, kind, machine }: Step): void {
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
    const code = this.#decide(at, kind, machine)
    this.codes.push(code)
    this.#record(at, kind, machine, code)
    if (code === granted && kind === "activate" && before !== "active") seat("active", true)
    if (code === granted && kind === "deactivate") seat("deactivated", false)
  }

  #put(at: number, kind: "end" | "suspend" | "reinstate", machine: number): void {
    this.#license = kind === "end"
      ? { ...this.#license, expires_at: new Date(at + (machine - 2) * day).toISOString() }
      : { ...this.#license, state: kind === "suspend" ? "suspended" : "active" }
    this.log.push({ at, license: this.#license })
  }

  #decide(at: number, operation: RecordedOperation, machine: number): string {
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
        feature: undefined
      },
      decidingRulesOf({ license: this.#license, policy: this.#policy }),
      { operation, binding: { is_container: isContainer, is_vm: isVm } },
      new Date(at)
    )
    return first?.refusal.error.code ?? granted
  }

  #record(at: number, operation: RecordedOperation, machine: number, result: string): void {
    const { id: device, isContainer: is_container, isVm: is_vm } = machines[machine]!
    const now = new Date(at)
    const key = `${hourOf(now)} ${device} ${operation} ${result}`
    const before = this.rows.get(key)
    this.rows.set(key, {
      license_id: "lic_1",
      device,
      operation,
      result,
      is_vm,
      is_container,
      calls: (before?.calls ?? 0) + 1,
      first_at: before?.first_at ?? now,
      last_at: now
    })
  }
}

const run = (record: RehearsedRecord, change: Partial<Policy>): ReadonlyArray<RehearsedOutcome> => {
  const work = rehearsing(record, (policy) => ({ ...policy, ...change }))
  for (let turn = work.next();; turn = work.next()) if (turn.done === true) return turn.value
}

const kinds: ReadonlyArray<Step["kind"]> = [
  ...["activate", "activate", "activate", "validate", "validate", "check", "deactivate"] as const,
  ...["reset", "blacklisted", "end", "suspend", "reinstate"] as const
]

const changes: ReadonlyArray<Partial<Policy>> = [
  { max_activations: 1 },
  { max_activations: 4, max_container_instances: 3 },
  { allow_vm: false },
  { allow_container: false },
  { grace_period_days: 0 },
  { max_activations: 0, activation_overage: "allow" }
]

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
        machine: Math.floor(upTo(machines.length))
      }))
      const [own, twin] = [new Twin(terms), new Twin({ ...terms, ...change })]
      for (const step of steps) {
        // Nobody resets or blocks a device that there was not.
        if ((step.kind === "reset" || step.kind === "blacklisted") && !own.knows(step.machine)) continue
        own.play(step)
        twin.play(step)
      }
      const outcomes = run({ policyId: "pol_1", steps: own.log, calls: [...own.rows.values()], from: start }, change)
      const found = differ(outcomes.map(({ after, before, calls }) => [before, after, calls]))
      const expected = differ(own.codes.map((code, n) => [code, twin.codes[n], 1]))
      const shown = JSON.stringify({ change, steps, own: own.codes, twin: twin.codes, outcomes })
      assert.strictEqual(found.all, expected.all, shown)
      for (const kind of ["refused", "granted", "same"] as const) {
        assert.isAtMost(found[kind], expected[kind], shown)
        assert.isAtLeast(found[kind] + found.unknown, expected[kind], shown)
      }
      sums.all += found.all
      sums.unknown += found.unknown
    }
    if (pause === 120) assert.strictEqual(sums.unknown, 0, "no two calls are in one record")
    else assert.isBelow(sums.unknown / sums.all, 0.2)
  })
})
