import { assert, describe, it } from "@effect/vitest"
import type { Policy } from "../../../../src/domain/catalog/Policy.ts"
import { granted, isOfLease } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { QuotaChange, QuotaTerms, RehearsedRecord } from "../../../../src/domain/evidence/recording/DecidedUse.ts"
import type { RehearsedOutcome } from "../../../../src/domain/evidence/rehearsals/RehearsedDecision.ts"
import { rehearsing } from "../../../../src/domain/evidence/rehearsals/RehearsedLicense.ts"
import { LicenseTwin, machines, minute, start, terms } from "../../../fixtures/LicenseTwin.ts"
import type { Step } from "../../../fixtures/LicenseTwin.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { takesAll } from "../../../fixtures/Share.ts"

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

/** Terms of floating seats, and their changes. */
const floating: Policy = { ...terms, max_activations: 1, max_floating_users: 2 }

const floatingChanges: ReadonlyArray<(policy: Policy) => Policy> = [
  (policy) => ({ ...policy, max_floating_users: 1 }),
  (policy) => ({ ...policy, max_floating_users: 3 }),
  (policy) => ({ ...policy, floating_overage: "allow" }),
  (policy) => ({ ...policy, floating_timeout_minutes: 3 }),
  (policy) => ({ ...policy, floating_timeout_minutes: 30 }),
  (policy) => ({ ...policy, floating_timeout_minutes: 30, max_floating_users: 1 }),
  (policy) => ({ ...policy, allow_vm: false }),
  (policy) => ({ ...policy, max_activations: 2 }),
  ({ max_floating_users: _floating, ...policy }) => policy
]

const floatingKinds: ReadonlyArray<Step["kind"]> = [
  ...["checkout", "checkout", "heartbeat", "heartbeat", "heartbeat", "checkin", "validate"] as const,
  ...[
    "checkout",
    "heartbeat",
    "heartbeat",
    "release",
    "reset",
    "activate",
    "deactivate",
    "suspend",
    "reinstate"
  ] as const
]

/** Terms of seats for people who sign in, and their changes. */
const seats: Policy = { ...terms, allow_container: true, max_activations: 3, max_users: 2 }

const userChanges: ReadonlyArray<(policy: Policy) => Policy> = [
  (policy) => ({ ...policy, max_users: 1 }),
  (policy) => ({ ...policy, max_users: 3 }),
  (policy) => ({ ...policy, max_users: 0 }),
  (policy) => ({ ...policy, max_users: 1, max_activations: 2 }),
  (policy) => ({ ...policy, max_users: 5, max_devices_per_user: 1 }),
  (policy) => ({ ...policy, grace_period_days: 5 }),
  (policy) => ({ ...policy, grace_period_days: 0, max_users: 1 }),
  (policy) => ({ ...policy, max_activations: 1 })
]

const signedInKinds: ReadonlyArray<Step["kind"]> = [
  ...[
    "activate",
    "activate",
    "activate",
    "activate",
    "validate",
    "validate",
    "validate",
    "check",
    "deactivate"
  ] as const,
  ...["join", "join", "join", "remove", "reset", "end", "suspend", "reinstate"] as const
]

const quotaKinds: ReadonlyArray<Step["kind"]> = [
  ...["activate", "activate", "consume", "consume", "consume", "consume", "consume", "consume", "consume"] as const,
  ...["validate", "deactivate", "reset", "end", "suspend", "reinstate"] as const
]

const quotaTerms: ReadonlyArray<QuotaTerms> = [
  { quota: 9, overage: null, period: "day" },
  { quota: 12, overage: null, period: null },
  { quota: 10, overage: "20%", period: "day" },
  { quota: null, overage: null, period: "day" },
  { quota: 8, overage: "allow", period: "day" }
]

const quotaChanges: ReadonlyArray<QuotaChange> = [
  { quota: 5 },
  { quota: 15 },
  { quota: null },
  { quota: 6, overage: "50%" },
  { overage: "allow" },
  { quota: 0 },
  { quota: 9, overage: null }
]

/** The share of unknown calls of floating licenses, by the minutes between two calls. */
const mostUnknown: Readonly<Record<number, number>> = { 1: 0.16, 3: 0.045, 20: 0.002, 120: 0.001 }

/** How many licenses are compared. */
const turns = takesAll ? 150 : 60

/** The calls of apps that check out, send a heartbeat every 4 minutes, end in a moment of their own, and ask again where no seat is free. */
const sessions = (upTo: (most: number) => number): ReadonlyArray<Step> => {
  const played = new LicenseTwin(floating, false)
  const apps = machines.map((_, machine) => ({ machine, at: start + upTo(60) * minute, until: 0 }))
  const steps: Array<Step> = []
  while (steps.length < 200) {
    const [app] = apps.toSorted((a, b) => a.at - b.at)
    if (app === undefined) break
    const isOut = app.until === 0
    // Some apps crash, and give nothing back.
    const kind = isOut ? "checkout" : app.at < app.until ? "heartbeat" : upTo(4) < 1 ? "validate" : "checkin"
    const step = { at: Math.floor(app.at), kind, machine: app.machine, user: machines.length, amount: 2 } as const
    steps.push(step)
    played.play(step)
    if (isOut && played.codes.at(-1) === granted) app.until = app.at + upTo(180) * minute
    else if (kind !== "heartbeat") app.until = 0
    app.at += (app.until === 0 ? 5 + upTo(kind === "checkout" ? 5 : 90) : 4) * minute + upTo(2_000)
  }
  return steps
}

/** Plays steps on a license and its twin, and compares the rehearsal with what the twin answered. */
const compared = (
  steps: ReadonlyArray<Step>,
  base: Policy,
  change: (policy: Policy) => Policy,
  { quota, quotaChange, seated = [0, 1, 2] }: {
    readonly seated?: ReadonlyArray<number>
    readonly quota?: QuotaTerms
    readonly quotaChange?: QuotaChange
  } = {}
) => {
  const hasUsers = base.max_users !== undefined
  const own = new LicenseTwin(base, hasUsers, { seated, ...(quota === undefined ? {} : { quota }) })
  const twin = new LicenseTwin(change(base), hasUsers, {
    seated,
    ...(quota === undefined ? {} : { quota: { ...quota, ...quotaChange } })
  })
  for (const step of steps) {
    // Nobody acts on a device that there was not, or ends a lease that there was not.
    if ((step.kind === "reset" || step.kind === "blacklisted") && !own.knows(step.machine)) continue
    if (step.kind === "remove" && own.userOf(step.user) === undefined) continue
    if (step.kind === "release" && !own.isLive(step.machine, step.at)) continue
    if (
      step.kind !== "release" && isOfLease({ operation: step.kind as "checkin" }) && step.kind !== "checkout" &&
      !own.holds(step.machine)
    ) continue
    own.play(step)
    twin.play(step)
  }
  const { leases, log, rows, uses, users } = own
  const quotas = quota === undefined || quotaChange === undefined
    ? []
    : [{ code: "limited", steps: [{ at: 0, terms: quota }], change: quotaChange, uses, corrected: [], isTold: true }]
  const record = { policyId: "pol_1", steps: log, calls: [...rows.values()], from: start, leases, users, quotas }
  const outcomes = run(record, change)
  const found = differ(outcomes.map(({ after, before, calls }) => [before, after, calls]))
  const expected = differ(own.codes.map((code, n) => [code, twin.codes[n], 1]))
  const shown = JSON.stringify({
    change: String(change),
    steps,
    users,
    quota,
    quotaChange,
    uses,
    own: own.codes,
    twin: twin.codes,
    outcomes,
    leases: own.leases
  })
  assert.strictEqual(found.all, expected.all, shown)
  for (const kind of ["refused", "granted", "same"] as const) {
    assert.isAtMost(found[kind], expected[kind], shown)
    assert.isAtLeast(found[kind] + found.unknown, expected[kind], shown)
  }
  return found
}

describe("a rehearsed license", () => {
  // A call every 3 minutes, so that records have several, and every 2 hours, so that none has.
  it.each([3, 120])("is answered as a twin under the changed terms, with a call every %i minutes", (pause) => {
    const { upTo } = chance(`rehearsed ${pause}`)
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < 2 * turns; turn++) {
      const change = changes[turn % changes.length]!
      const steps = Array.from({ length: 40 }, (_, n): Step => ({
        at: start + n * pause * minute,
        kind: kinds[Math.floor(upTo(kinds.length))]!,
        machine: Math.floor(upTo(machines.length)),
        user: upTo(10) < 9 ? machines.length : Math.floor(upTo(3)),
        amount: 1 + Math.floor(upTo(4))
      }))
      const found = compared(steps, turn % 2 === 0 ? terms : named, change)
      sums.all += found.all
      sums.unknown += found.unknown
    }
    // Where no two calls are in one record, only quotas may decide either way.
    if (pause === 120) assert.isBelow(sums.unknown / sums.all, 0.01)
    else assert.isBelow(sums.unknown / sums.all, 0.1)
  })

  // Every other license has more people than seats.
  it.each([3, 120])("knows who is signed in, with a call every %i minutes", (pause) => {
    const { upTo } = chance(`signed in ${pause}`)
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < turns; turn++) {
      const people = 2 + Math.floor(upTo(4))
      const steps = Array.from({ length: 40 }, (_, n): Step => {
        const machine = Math.floor(upTo(machines.length))
        return {
          at: start + n * pause * minute,
          kind: signedInKinds[Math.floor(upTo(signedInKinds.length))]!,
          machine,
          user: upTo(10) < 7 ? machine % people : Math.floor(upTo(people)),
          amount: 2
        }
      })
      const seated = Array.from({ length: turn % 3 }, (_, person) => person)
      const found = compared(steps, seats, userChanges[turn % userChanges.length]!, { seated })
      sums.all += found.all
      sums.unknown += found.unknown
    }
    assert.isBelow(sums.unknown / sums.all, 0.3)
  })

  it("knows that calls to a suspended license keep no floating seat", () => {
    const kinds: ReadonlyArray<readonly [minutes: number, kind: Step["kind"]]> = [
      [0, "checkout"],
      [1, "suspend"],
      [2, "heartbeat"],
      [3, "heartbeat"],
      [4, "reinstate"],
      [5, "checkout"],
      [10, "suspend"],
      [20, "heartbeat"],
      [21, "reinstate"],
      [36, "heartbeat"]
    ]
    const steps = kinds.map(([minutes, kind]): Step => ({
      at: start + minutes * minute,
      kind,
      machine: 0,
      user: machines.length,
      amount: 2
    }))
    const found = compared(steps, floating, (policy) => ({ ...policy, floating_timeout_minutes: 30 }))
    assert.deepInclude(found, { granted: 0, refused: 0 })
  })

  it.each([3, 120])("knows what another quota would have left, with a call every %i minutes", (pause) => {
    const { upTo } = chance(`quota ${pause}`)
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < turns; turn++) {
      const most = 1 + Math.floor(upTo(3))
      const steps = Array.from({ length: 60 }, (_, n): Step => ({
        at: start + n * pause * minute,
        kind: quotaKinds[Math.floor(upTo(quotaKinds.length))]!,
        machine: Math.floor(upTo(machines.length)),
        user: machines.length,
        // Odd amounts are of the feature that has a quota.
        amount: 2 * Math.floor(upTo(most)) + (upTo(9) < 1 ? 2 : 1)
      }))
      const quota = quotaTerms[turn % quotaTerms.length]!
      const change = turn % 3 === 0
        ? (policy: Policy) => ({ ...policy, max_activations: 1 })
        : (policy: Policy) => policy
      const quotaChange = quotaChanges[turn % quotaChanges.length]!
      const found = compared(steps, { ...terms, max_activations: 3 }, change, { quota, quotaChange })
      sums.all += found.all
      sums.unknown += found.unknown
    }
    assert.isBelow(sums.unknown / sums.all, pause === 120 ? 0.01 : 0.1)
  })

  it.each([1, 3, 20, 120])("knows who held floating seats, with a call about every %i minutes", (pause) => {
    const { upTo } = chance(`floating ${pause}`)
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < turns; turn++) {
      const count = 1 + Math.floor(upTo(machines.length))
      const steps = Array.from({ length: 60 }, (_, n): Step => ({
        at: start + n * pause * minute + Math.floor(upTo(50_000)),
        kind: floatingKinds[Math.floor(upTo(floatingKinds.length))]!,
        machine: Math.floor(upTo(count)),
        user: machines.length,
        amount: 2
      }))
      const found = compared(steps, floating, floatingChanges[turn % floatingChanges.length]!)
      sums.all += found.all
      sums.unknown += found.unknown
    }
    // Where no record has several calls, all is known. What stays unknown else are calls of which a record has only that they were between.
    if (pause === 120) assert.strictEqual(sums.unknown, 0)
    const share = sums.unknown / sums.all
    assert.isBelow(share, mostUnknown[pause]!, `${sums.unknown} of ${sums.all}`)
  })

  it("knows who held floating seats of apps that keep theirs by heartbeats, and wait for one", () => {
    const { upTo } = chance("floating sessions")
    const sums = { all: 0, unknown: 0 }
    for (let turn = 0; turn < turns; turn++) {
      const change = floatingChanges[turn % floatingChanges.length]!
      const found = compared(sessions(upTo), floating, change)
      sums.all += found.all
      sums.unknown += found.unknown
    }
    assert.isBelow(sums.unknown / sums.all, 0.03, `${sums.unknown} of ${sums.all}`)
  })
})
