import { assert, describe, it } from "@effect/vitest"
import { findings } from "../../../../src/domain/licensing/entitlements/Decision.ts"
import type { DecisionInput, RuntimeOperation } from "../../../../src/domain/licensing/entitlements/DecisionInput.ts"
import { decisionTable, runtimeOperations } from "../../../fixtures/decisionTable.ts"
import type { TableOperation } from "../../../fixtures/decisionTable.ts"

/** A license that may do everything, asked by a device with an activation seat and a floating one. */
const sound: Omit<DecisionInput, "operation"> = {
  status: "active",
  notStarted: false,
  cannotStart: false,
  productCode: "studio",
  requestedProductCode: undefined,
  bindingKind: "hardware",
  isVm: false,
  deviceStatus: "active",
  deviceFloating: false,
  otherActiveDevices: 0,
  otherLiveLeases: 0,
  lease: "live",
  consumption: { entitled: true, remaining: undefined, amount: 1 },
  policy: {
    max_activations: 1,
    max_container_instances: null,
    allow_vm: true,
    allow_container: true,
    max_floating_users: 1,
    allow_offline_activation: true,
    offline_grace_days: 30
  }
}

const codes = (operation: RuntimeOperation, change: Partial<DecisionInput>): ReadonlyArray<string> =>
  findings({ ...sound, ...change, operation }).map(({ _tag }) => _tag)

const policy = (change: Partial<DecisionInput["policy"]>) => ({ policy: { ...sound.policy, ...change } })

/** A device without a lease: never seen, or with a binding that ended. */
const away = (deviceStatus: DecisionInput["deviceStatus"]) => ({ deviceStatus, lease: "unknown" }) as const
const container = { bindingKind: "container" } as const

/** What the rules are given in each situation of the table. */
const situations: Readonly<Record<string, Partial<DecisionInput>>> = {
  "active": {},
  "grace_period": { status: "grace_period" },
  "suspended": { status: "suspended" },
  "expired": { status: "expired" },
  // Revoking ends leases and gives the seats back.
  "revoked": { status: "revoked", ...away("deactivated") },
  "not started": { notStarted: true },
  "suspended and expired": { status: "suspended" },
  "other product": { requestedProductCode: "viewer" },
  "same product": { requestedProductCode: "studio" },
  "other product, suspended": { requestedProductCode: "viewer", status: "suspended" },
  "vm allowed": { isVm: true },
  "vm not allowed": { isVm: true, ...policy({ allow_vm: false }) },
  "no vm, not allowed": policy({ allow_vm: false }),
  "container allowed": container,
  "container not allowed": { ...container, ...policy({ allow_container: false }) },
  "vm in container, neither": { ...container, isVm: true, ...policy({ allow_vm: false, allow_container: false }) },
  "hardware, no containers": policy({ allow_container: false }),
  "never seen, a seat": away(undefined),
  "never seen, full": { ...away(undefined), otherActiveDevices: 1 },
  "deactivated, a seat": away("deactivated"),
  "deactivated, full": { ...away("deactivated"), otherActiveDevices: 1 },
  "reset, a seat": away("reset"),
  "reset, full": { ...away("reset"), otherActiveDevices: 1 },
  "lapsed, a seat": { deviceStatus: "expired", lease: "expired" },
  "lapsed, full": { deviceStatus: "expired", lease: "expired", otherActiveDevices: 1 },
  "blacklisted": away("blacklisted"),
  "has its seat, full": { otherActiveDevices: 4, ...policy({ max_activations: 5 }) },
  "above a lowered cap": { otherActiveDevices: 9, ...policy({ max_activations: 2 }) },
  "no seats at all": { ...away(undefined), ...policy({ max_activations: 0 }) },
  "container by its cap": {
    ...container,
    ...away(undefined),
    otherActiveDevices: 2,
    ...policy({ max_activations: 9, max_container_instances: 2 })
  },
  "container, own seats": {
    ...container,
    ...away(undefined),
    otherActiveDevices: 2,
    ...policy({ max_activations: 1, max_container_instances: 3 })
  },
  "container, no cap, full": {
    ...container,
    ...away(undefined),
    otherActiveDevices: 2,
    ...policy({ max_activations: 2, max_container_instances: null })
  },
  "no lease": { lease: "unknown" },
  "lease ran out": { lease: "expired" },
  "floating seats full": { lease: "unknown", otherLiveLeases: 1 },
  "ran out, taken by another": { lease: "expired", otherLiveLeases: 1 },
  "holds one, full": { otherLiveLeases: 4, ...policy({ max_floating_users: 5 }) },
  "above a lowered float cap": { otherLiveLeases: 9, ...policy({ max_floating_users: 2 }) },
  "policy without floating": { lease: "unknown", ...policy({ max_floating_users: null }) },
  "no floating users": { lease: "unknown", ...policy({ max_floating_users: 0 }) },
  "bound by a lease alone": { deviceFloating: true },
  "by a lease alone, full": { deviceFloating: true, otherActiveDevices: 1 },
  "offline not allowed": policy({ allow_offline_activation: false }),
  "no offline days": policy({ offline_grace_days: 0 }),
  "offline, but suspended": { status: "suspended", ...policy({ allow_offline_activation: false }) },
  "not entitled": { consumption: { entitled: false, remaining: undefined, amount: 1 } },
  "switched off": { consumption: { entitled: false, remaining: 5, amount: 1 } },
  "entitlement has ended": { consumption: { entitled: false, remaining: 5, amount: 1 } },
  "quota too small": { consumption: { entitled: true, remaining: 2, amount: 3 } },
  "quota just enough": { consumption: { entitled: true, remaining: 3, amount: 3 } },
  "quota used up, expired": { status: "expired", consumption: { entitled: true, remaining: 0, amount: 1 } }
}

/** What no rule looks at: a row of these is asked of the service alone, which holds it to the same table. */
const notForRules = [
  "perpetual",
  "time_limited",
  "trial",
  "consumption",
  "perpetual, expired",
  "time_limited, expired",
  "trial, expired",
  "consumption, expired",
  "consumption, not assigned",
  "require_heartbeat",
  "maintenance has ended"
]

describe("each situation by itself", () => {
  it("stands in the table once", () => {
    const rows = decisionTable.map(({ situation }) => situation)
    assert.sameMembers(rows, [...Object.keys(situations), ...notForRules])
    assert.strictEqual(new Set(rows).size, rows.length)
    assert.lengthOf(runtimeOperations, 9)
  })

  it.each(decisionTable.filter(({ situation }) => !notForRules.includes(situation)))(
    "$situation",
    ({ expected, situation }) => {
      for (const operation of runtimeOperations) {
        if (expected[operation] === undefined) continue
        assert.strictEqual(codes(operation, situations[situation]!)[0] ?? "", expected[operation], operation)
      }
    }
  )
})

describe("trap 2: a permissive early return skips a check", () => {
  type Fault = readonly [string, (input: DecisionInput) => DecisionInput]

  /** Faults that concern whoever runs, in the order of rank in which they decide; each independent of the others. */
  const running: ReadonlyArray<Fault> = [
    ["PRODUCT_MISMATCH", (input) => ({ ...input, requestedProductCode: "viewer" })],
    ["LICENSE_INACTIVE", (input) => ({ ...input, status: "suspended" })],
    ["LICENSE_INACTIVE", (input) => ({ ...input, notStarted: true })],
    ["VM_NOT_ALLOWED", (input) => ({ ...input, isVm: true, policy: { ...input.policy, allow_vm: false } })],
    [
      "CONTAINER_NOT_ALLOWED",
      (input) => ({ ...input, ...container, policy: { ...input.policy, allow_container: false } })
    ]
  ]
  const unbound: Fault = ["DEVICE_NOT_ACTIVATED", (input) => ({ ...input, deviceStatus: "deactivated" })]
  const consumption = (change: object) => (input: DecisionInput) => ({
    ...input,
    consumption: { ...input.consumption!, ...change }
  })
  /** Those that concern one operation, which rank below. */
  const own: ReadonlyArray<readonly [RuntimeOperation, ReadonlyArray<Fault>]> = [
    [
      "activate",
      [["ACTIVATION_LIMIT_EXCEEDED", (input) => ({ ...input, deviceStatus: undefined, otherActiveDevices: 1 })]]
    ],
    ["validate", [unbound]],
    ["check", [unbound]],
    ["consume", [
      unbound,
      ["FEATURE_NOT_ENTITLED", consumption({ entitled: false })],
      ["FEATURE_QUOTA_EXCEEDED", consumption({ remaining: 0 })]
    ]],
    ["offline", [
      unbound,
      ["OFFLINE_NOT_ALLOWED", (input) => ({ ...input, policy: { ...input.policy, allow_offline_activation: false } })]
    ]],
    ["checkout", [["FLOATING_LIMIT_EXCEEDED", (input) => ({ ...input, lease: "unknown", otherLiveLeases: 1 })]]],
    ["heartbeat", [["LEASE_EXPIRED", (input) => ({ ...input, lease: "expired" })]]]
  ]

  it.each(own)("any set of faults is found whole, in order of rank, by %s", (operation, ownFaults) => {
    const faults = [...running, ...ownFaults]
    for (let set = 0; set < 2 ** faults.length; set++) {
      const present = faults.filter((_, index) => (set & (1 << index)) !== 0)
      const input = present.reduce<DecisionInput>((input, [, apply]) => apply(input), { ...sound, operation })
      assert.deepStrictEqual(codes(operation, input), present.map(([code]) => code))
    }
  })

  it("over every operation, status, device, lease and flag, a yes needs all of them right", ({ onTestFinished }) => {
    // A finding is an error; nobody reads where hundreds of thousands of them were made.
    const { stackTraceLimit } = Error
    Error.stackTraceLimit = 0
    onTestFinished(() => {
      Error.stackTraceLimit = stackTraceLimit
    })
    const statuses = ["active", "grace_period", "suspended", "expired", "revoked"] as const
    const devices = [undefined, "active", "deactivated", "blacklisted", "reset", "expired"] as const
    const leases = ["live", "expired", "unknown"] as const
    const flags = 13
    const total = runtimeOperations.length * statuses.length * devices.length * leases.length * 2 ** flags
    const admittedBy = new Map<TableOperation, number>()
    // Every 17th of millions, which is prime to each factor, so that all pairs of values meet.
    for (let at = 0; at < total; at += 17) {
      let rest = at
      const take = <A>(values: ReadonlyArray<A>): A => {
        const value = values[rest % values.length]!
        rest = Math.floor(rest / values.length)
        return value
      }
      const is = () => take([false, true])
      const operation = take(runtimeOperations)
      const [status, device, lease] = [take(statuses), take(devices), take(leases)]
      const [early, foreign, vm, inContainer, full, floatsFull] = [is(), is(), is(), is(), is(), is()]
      const endless = is()
      const [vmAllowed, containerAllowed, offlineAllowed, floating] = [is(), is(), is(), is()]
      const [entitled, enough] = [is(), is()]
      const found = codes(operation, {
        status,
        deviceStatus: device,
        lease,
        notStarted: early,
        cannotStart: endless,
        requestedProductCode: foreign ? "viewer" : "studio",
        isVm: vm,
        bindingKind: inContainer ? "container" : "hardware",
        otherActiveDevices: full ? 1 : 0,
        otherLiveLeases: floatsFull ? 1 : 0,
        deviceFloating: floating,
        consumption: { entitled, remaining: enough ? 2 : 1, amount: 2 },
        policy: {
          ...sound.policy,
          allow_vm: vmAllowed,
          allow_container: containerAllowed,
          allow_offline_activation: offlineAllowed
        }
      })
      const runs = (status === "active" || status === "grace_period") && !early && !foreign &&
        device !== "blacklisted" && (!vm || vmAllowed) && (!inContainer || containerAllowed)
      const bound = runs && device === "active"
      const admitted: Readonly<Record<TableOperation, boolean>> = {
        activate: runs && !endless && ((device === "active" && !floating) || !full),
        validate: bound,
        check: bound,
        consume: bound && entitled && enough,
        offline: bound && offlineAllowed && !floating,
        deactivate: !foreign && status !== "revoked" && device === "active",
        checkout: runs && !endless && (lease === "live" || !floatsFull),
        heartbeat: runs && lease === "live",
        checkin: lease === "live"
      }
      if ((found.length === 0) !== admitted[operation]) assert.fail(`${at}, ${operation}: ${found.join()}`)
      if (found.length === 0) admittedBy.set(operation, (admittedBy.get(operation) ?? 0) + 1)
    }
    // Each operation was admitted often enough for the above to have shown something.
    for (const operation of runtimeOperations) assert.isAbove(admittedBy.get(operation) ?? 0, 40, operation)
  })
})

describe("what a refusal says", () => {
  it("why the license is inactive", () => {
    const detail = (change: Partial<DecisionInput>) =>
      findings({ ...sound, ...change, operation: "validate" })[0]?.error.detail
    assert.strictEqual(detail({ status: "revoked" }), "revoked")
    assert.strictEqual(detail({ status: "suspended" }), "suspended")
    assert.strictEqual(detail({ notStarted: true }), "not_started")
    assert.isUndefined(detail({ cannotStart: true }))
    const [unstartable] = findings({ ...sound, cannotStart: true, operation: "activate" })
    assert.strictEqual(unstartable?.error.detail, "out_of_range")
  })

  it("how many seats there are", () => {
    const [finding] = findings({ ...sound, operation: "activate", deviceStatus: undefined, otherActiveDevices: 1 })
    assert.strictEqual(finding?.error.detail, "1 of 1 in use")
  })
})
