import { assert, describe, it } from "@effect/vitest"
import { findings } from "../../src/domain/Decision.ts"
import type { DecisionInput, RuntimeOperation } from "../../src/domain/Decision.ts"

/** A license that may do everything, asked by an activated device. */
const sound: Omit<DecisionInput, "operation"> = {
  status: "active",
  notStarted: false,
  productCode: "studio",
  requestedProductCode: undefined,
  bindingKind: "hardware",
  isVm: false,
  deviceStatus: "active",
  otherActiveDevices: 0,
  consumption: { entitled: true, remaining: undefined, amount: 1 },
  policy: { max_activations: 1, max_container_instances: null, allow_vm: true, allow_container: true }
}

const operations = ["activate", "validate", "check", "consume", "deactivate"] as const

const codes = (operation: RuntimeOperation, change: Partial<DecisionInput>): ReadonlyArray<string> =>
  findings({ ...sound, ...change, operation }).map(({ _tag }) => _tag)

/** One line for each situation: what every operation answers, with an empty cell for a yes. */
const table = `
  situation            | activate                  | validate             | check                | consume              | deactivate
  active               |                           |                      |                      |                      |
  grace_period         |                           |                      |                      |                      |
  suspended            | LICENSE_INACTIVE          | LICENSE_INACTIVE     | LICENSE_INACTIVE     | LICENSE_INACTIVE     |
  expired              | LICENSE_EXPIRED           | LICENSE_EXPIRED      | LICENSE_EXPIRED      | LICENSE_EXPIRED      |
  revoked              | LICENSE_INACTIVE          | LICENSE_INACTIVE     | LICENSE_INACTIVE     | LICENSE_INACTIVE     | LICENSE_INACTIVE
  not started          | LICENSE_INACTIVE          | LICENSE_INACTIVE     | LICENSE_INACTIVE     | LICENSE_INACTIVE     |
  other product        | PRODUCT_MISMATCH          | PRODUCT_MISMATCH     | PRODUCT_MISMATCH     | PRODUCT_MISMATCH     | PRODUCT_MISMATCH
  same product         |                           |                      |                      |                      |
  vm allowed           |                           |                      |                      |                      |
  vm not allowed       | VM_NOT_ALLOWED            | VM_NOT_ALLOWED       | VM_NOT_ALLOWED       | VM_NOT_ALLOWED       |
  no vm, not allowed   |                           |                      |                      |                      |
  container allowed    |                           |                      |                      |                      |
  container refused    | CONTAINER_NOT_ALLOWED     | CONTAINER_NOT_ALLOWED| CONTAINER_NOT_ALLOWED| CONTAINER_NOT_ALLOWED|
  never seen, a seat   |                           | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  never seen, full     | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  deactivated, a seat  |                           | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  deactivated, full    | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  reset, full          | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  lapsed, full         | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  blacklisted          | DEVICE_BLACKLISTED        | DEVICE_BLACKLISTED   | DEVICE_BLACKLISTED   | DEVICE_BLACKLISTED   | DEVICE_BLACKLISTED
  has its seat, full   |                           |                      |                      |                      |
  above a lowered cap  |                           |                      |                      |                      |
  no seats at all      | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  container by its cap | ACTIVATION_LIMIT_EXCEEDED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  container, own seats |                           | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED | DEVICE_NOT_ACTIVATED
  not entitled         |                           |                      |                      | FEATURE_NOT_ENTITLED |
  quota too small      |                           |                      |                      | FEATURE_QUOTA_EXCEEDED |
  quota just enough    |                           |                      |                      |                      |
`

const policy = (change: Partial<DecisionInput["policy"]>) => ({ policy: { ...sound.policy, ...change } })

const situations: Readonly<Record<string, Partial<DecisionInput>>> = {
  "active": {},
  "grace_period": { status: "grace_period" },
  "suspended": { status: "suspended" },
  "expired": { status: "expired" },
  "revoked": { status: "revoked" },
  "not started": { notStarted: true },
  "other product": { requestedProductCode: "viewer" },
  "same product": { requestedProductCode: "studio" },
  "vm allowed": { isVm: true },
  "vm not allowed": { isVm: true, ...policy({ allow_vm: false }) },
  "no vm, not allowed": policy({ allow_vm: false }),
  "container allowed": { bindingKind: "container" },
  "container refused": { bindingKind: "container", ...policy({ allow_container: false }) },
  "never seen, a seat": { deviceStatus: undefined },
  "never seen, full": { deviceStatus: undefined, otherActiveDevices: 1 },
  "deactivated, a seat": { deviceStatus: "deactivated" },
  "deactivated, full": { deviceStatus: "deactivated", otherActiveDevices: 1 },
  "reset, full": { deviceStatus: "reset", otherActiveDevices: 1 },
  "lapsed, full": { deviceStatus: "expired", otherActiveDevices: 1 },
  "blacklisted": { deviceStatus: "blacklisted" },
  "has its seat, full": { otherActiveDevices: 4, ...policy({ max_activations: 5 }) },
  "above a lowered cap": { otherActiveDevices: 9, ...policy({ max_activations: 2 }) },
  "no seats at all": { deviceStatus: undefined, ...policy({ max_activations: 0 }) },
  "container by its cap": {
    bindingKind: "container",
    deviceStatus: undefined,
    otherActiveDevices: 2,
    ...policy({ max_activations: 9, max_container_instances: 2 })
  },
  "container, own seats": {
    bindingKind: "container",
    deviceStatus: undefined,
    otherActiveDevices: 2,
    ...policy({ max_activations: 1, max_container_instances: 3 })
  },
  "not entitled": { consumption: { entitled: false, remaining: undefined, amount: 1 } },
  "quota too small": { consumption: { entitled: true, remaining: 2, amount: 3 } },
  "quota just enough": { consumption: { entitled: true, remaining: 3, amount: 3 } }
}

describe("each situation by itself", () => {
  const [, ...rows] = table.trim().split("\n").map((line) => line.split("|").map((cell) => cell.trim()))

  it("stands in the table once", () => {
    assert.sameMembers(rows.map(([name]) => name!), Object.keys(situations))
  })

  it.each(rows.map(([name = "", ...expected]) => ({ name, expected })))("$name", ({ expected, name }) => {
    for (const [index, operation] of operations.entries()) {
      const deciding = codes(operation, situations[name]!)[0] ?? ""
      assert.strictEqual(deciding, expected[index], operation)
    }
  })
})

describe("trap 2: a permissive early return skips a check", () => {
  /** Faults in the order of rank in which they decide, by hand; each independent of the others. */
  const faults = [
    ["PRODUCT_MISMATCH", (input: DecisionInput) => ({ ...input, requestedProductCode: "viewer" })],
    ["LICENSE_INACTIVE", (input: DecisionInput) => ({ ...input, status: "suspended" as const })],
    ["LICENSE_INACTIVE", (input: DecisionInput) => ({ ...input, notStarted: true })],
    ["VM_NOT_ALLOWED", (input: DecisionInput) => ({
      ...input,
      isVm: true,
      policy: { ...input.policy, allow_vm: false }
    })],
    ["CONTAINER_NOT_ALLOWED", (input: DecisionInput) => ({
      ...input,
      bindingKind: "container" as const,
      policy: { ...input.policy, allow_container: false }
    })],
    ["ACTIVATION_LIMIT_EXCEEDED", (input: DecisionInput) => ({
      ...input,
      deviceStatus: undefined,
      otherActiveDevices: 1
    })]
  ] as const

  it("any set of faults is found whole, in order of rank, by activate", () => {
    for (let set = 0; set < 2 ** faults.length; set++) {
      const present = faults.filter((_, index) => (set & (1 << index)) !== 0)
      const input = present.reduce<DecisionInput>((input, [, apply]) => apply(input), {
        ...sound,
        operation: "activate"
      })
      assert.deepStrictEqual(codes("activate", input), present.map(([code]) => code))
    }
  })

  it("over every status, binding, device and flag, a yes needs all of them right", () => {
    let asked = 0
    for (const operation of operations) {
      for (const status of ["active", "grace_period", "suspended", "expired", "revoked"] as const) {
        for (const deviceStatus of [undefined, "active", "deactivated", "blacklisted", "reset", "expired"] as const) {
          for (let flags = 0; flags < 2 ** 7; flags++) {
            const is = (bit: number) => (flags & (1 << bit)) !== 0
            const input = {
              ...sound,
              operation,
              status,
              deviceStatus,
              notStarted: is(0),
              requestedProductCode: is(1) ? "viewer" : "studio",
              isVm: is(2),
              bindingKind: is(3) ? "container" as const : "hardware" as const,
              otherActiveDevices: is(4) ? 1 : 0,
              policy: { ...sound.policy, allow_vm: is(5), allow_container: is(6) }
            }
            const serves = (status === "active" || status === "grace_period") && !is(0)
            const admitted = !is(1) && (operation === "deactivate"
              ? status !== "revoked" && deviceStatus === "active"
              : serves && (!is(2) || is(5)) && (!is(3) || is(6)) &&
                (operation === "activate"
                  ? deviceStatus === "active" || (deviceStatus !== "blacklisted" && !is(4))
                  : deviceStatus === "active"))
            assert.strictEqual(findings(input).length === 0, admitted, JSON.stringify(input))
            asked++
          }
        }
      }
    }
    assert.strictEqual(asked, 5 * 5 * 6 * 128)
  })
})

describe("what a refusal says", () => {
  it("why the license is inactive", () => {
    const detail = (change: Partial<DecisionInput>) =>
      findings({ ...sound, ...change, operation: "validate" })[0]?.error.detail
    assert.strictEqual(detail({ status: "revoked" }), "revoked")
    assert.strictEqual(detail({ status: "suspended" }), "suspended")
    assert.strictEqual(detail({ notStarted: true }), "not_started")
  })

  it("how many seats there are", () => {
    const [finding] = findings({ ...sound, operation: "activate", deviceStatus: undefined, otherActiveDevices: 1 })
    assert.strictEqual(finding?.error.detail, "1 of 1 in use")
  })
})
