import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { DecisionRow, TableOperation } from "../../fixtures/decisionTable.ts"
import { decisionTable, runtimeOperations } from "../../fixtures/decisionTable.ts"
import type { Answer, Issued, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"
import { someOf } from "../../fixtures/Share.ts"

let service: Service
let sql: Session

beforeAll(async () => {
  service = await startService()
  sql = await session(service.databaseUrl)
})

const day = 86_400_000
const from = (millis: number) => new Date(Date.now() + millis).toISOString()

interface Given extends Issued {
  readonly path: string
  readonly feature: Body
  readonly binding: object
}

/** How a situation of the table is brought about. */
interface Situation {
  /** What the policy says, in the end and from the start, beside one seat of each kind. */
  readonly policy?: object
  readonly license?: object
  readonly binding?: object
  /** What the device takes: both kinds of seat unless told otherwise. */
  readonly takes?: ReadonlyArray<"seat" | "lease">
  /** What the license grants of the feature; null: nothing. */
  readonly grant?: object | null
  readonly otherSeats?: number
  readonly otherLeases?: number
  readonly happens?: (given: Given) => Promise<unknown>
  /** What is asked beside the binding. */
  readonly ask?: object
  readonly amount?: number
}

const act = (action: string) => ({ path }: Given) => service.data("POST", `${path}/${action}`)
const edit = (change: object) => ({ path }: Given) => service.data("PATCH", path, change)
const own = async ({ path }: Given): Promise<Body> =>
  (await service.data("GET", `${path}/devices?limit=200`)).find(({ hostname }: Body) => hostname === "own")
const ofDevice = (action: string) => async (given: Given) =>
  service.data("POST", `${given.path}/devices/${(await own(given)).id}/${action}`)
const deactivate = ({ binding, key }: Given) => service.license("deactivate", key, binding)
const lapse = async (given: Given) =>
  sql.query("UPDATE leases SET expires_at = now() - interval '1 second' WHERE device_id = $1", [(await own(given)).id])

const past = edit({ expires_at: from(-5 * day) })
const typed = (license_type: string): Situation => ({ policy: { license_type } })
const container = { binding: { is_container: true, cluster_id: "c", pod_name: "own" } }
const vm = { binding: { fingerprint: "own", is_vm: true } }
const none = { takes: [] }
const otherProduct = { ask: { product_code: "another-product" } }

const situations: Readonly<Record<string, Situation>> = {
  "active": {},
  "grace_period": { policy: { grace_period_days: 6 }, happens: past },
  "suspended": { happens: act("suspend") },
  "expired": { policy: { grace_period_days: 4 }, happens: past },
  "revoked": { happens: act("revoke") },
  "not started": { happens: edit({ starts_at: from(day) }) },
  "suspended and expired": {
    happens: async (given) => {
      await act("suspend")(given)
      await past(given)
    }
  },
  "perpetual": typed("perpetual"),
  "time_limited": typed("time_limited"),
  "trial": typed("trial"),
  "consumption": typed("consumption"),
  "perpetual, expired": { ...typed("perpetual"), happens: past },
  "time_limited, expired": { ...typed("time_limited"), happens: past },
  "trial, expired": { ...typed("trial"), happens: past },
  "consumption, expired": { ...typed("consumption"), happens: past },
  "consumption, not assigned": { ...typed("consumption"), grant: null },
  "require_heartbeat": { policy: { require_heartbeat: true } },
  "maintenance has ended": {
    ...typed("perpetual"),
    license: { maintenance_expires_at: "2020-01-01T00:00:00Z" },
    ask: { app_version: "9.0" }
  },
  "other product": otherProduct,
  "other product, suspended": { ...otherProduct, happens: act("suspend") },
  "vm allowed": vm,
  "vm not allowed": { ...vm, policy: { allow_vm: false } },
  "no vm, not allowed": { policy: { allow_vm: false } },
  "container allowed": container,
  "container not allowed": { ...container, policy: { allow_container: false } },
  "vm in container, neither": {
    binding: { ...container.binding, is_vm: true },
    policy: { allow_vm: false, allow_container: false }
  },
  "hardware, no containers": { policy: { allow_container: false } },
  "never seen, a seat": none,
  "never seen, full": { ...none, otherSeats: 1 },
  "deactivated, a seat": { takes: ["seat"], happens: deactivate },
  "deactivated, full": { takes: ["seat"], happens: deactivate, otherSeats: 1 },
  "reset, a seat": { takes: ["seat"], happens: ofDevice("reset") },
  "reset, full": { takes: ["seat"], happens: ofDevice("reset"), otherSeats: 1 },
  "lapsed, a seat": { takes: ["lease"], happens: lapse },
  "lapsed, full": { takes: ["lease"], happens: lapse, otherSeats: 1 },
  "blacklisted": { happens: ofDevice("blacklist") },
  "has its seat, full": { otherSeats: 1, policy: { max_activations: 2 } },
  "above a lowered cap": { otherSeats: 3, policy: { max_activations: 2 } },
  "no seats at all": { ...none, policy: { max_activations: 0 } },
  "container by its cap": {
    ...container,
    ...none,
    otherSeats: 2,
    policy: { max_activations: 9, max_container_instances: 2 }
  },
  "container, own seats": {
    ...container,
    ...none,
    otherSeats: 2,
    policy: { max_activations: 1, max_container_instances: 3 }
  },
  "container, no cap, full": { ...container, ...none, otherSeats: 2, policy: { max_activations: 2 } },
  "no lease": { takes: ["seat"] },
  "lease ran out": { happens: lapse },
  "floating seats full": { takes: ["seat"], otherLeases: 1 },
  "ran out, taken by another": { happens: lapse, otherLeases: 1 },
  "holds one, full": { otherLeases: 1, policy: { max_floating_users: 2 } },
  "above a lowered float cap": { otherLeases: 3, policy: { max_floating_users: 2 } },
  "policy without floating": { takes: ["seat"], policy: { max_floating_users: null } },
  "no floating users": { takes: ["seat"], policy: { max_floating_users: 0 } },
  "bound by a lease alone": { takes: ["lease"] },
  "by a lease alone, full": { takes: ["lease"], otherSeats: 1 },
  "offline not allowed": { policy: { allow_offline_activation: false } },
  "no offline days": { policy: { offline_grace_days: 0 } },
  "offline, but suspended": { policy: { allow_offline_activation: false }, happens: act("suspend") },
  "not entitled": { grant: null },
  "switched off": { grant: { enabled: false, max_consumptions: 5 } },
  "entitlement has ended": { grant: { expires_at: "2020-01-01T00:00:00Z" } },
  "quota too small": { grant: { max_consumptions: 2 }, amount: 3 },
  "quota just enough": { grant: { max_consumptions: 3 }, amount: 3 },
  "quota used up, expired": { grant: { max_consumptions: 0 }, happens: past }
}

const roomy = { max_activations: 20, max_container_instances: 20, max_floating_users: 20 }
const tight = { max_activations: 1, max_container_instances: null, max_floating_users: 1 }

const succeeded = (answer: Answer) => {
  assert.strictEqual(answer.status, 200, answer.text)
  return answer.body.data
}

const others = (kind: string, count: number, isContainer: boolean) =>
  Array.from(
    { length: count },
    (_, index) =>
      isContainer ? { is_container: true, pod_name: `${kind}-${index}` } : { fingerprint: `${kind}-${index}` }
  )

/** What all licenses are of. */
interface Common extends Pick<Given, "product" | "feature"> {
  readonly makePolicy: (members: object) => Promise<Body>
  /** The policies that stay as they were made, by what they say. */
  readonly policies: Map<string, Promise<Body>>
}

const makeCommon = async (): Promise<Common> => {
  const product = await service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() })
  const feature = await service.data("POST", `/api/v1/products/${product.id}/features`, { name: "f", code: "f" })
  await service.data("POST", `/api/v1/products/${product.id}/versions`, { version: "9.0" })
  const makePolicy = (members: object) =>
    service.data("POST", `/api/v1/products/${product.id}/policies`, {
      name: "Annual",
      code: randomUUID(),
      license_type: "subscription",
      ...members
    })
  return { product, feature, makePolicy, policies: new Map() }
}

/**
 * The policy of a row's licenses: one of their own with room for all, to be changed once they have their seats. A row
 * that needs nothing that the policy is to refuse afterwards shares the one that says so from the start.
 */
const policyFor = (
  situation: Situation,
  common: Common
): { readonly isShared: boolean; readonly policy: Promise<Body> } => {
  const { otherLeases, otherSeats, policy = {} } = situation
  const isShared = otherLeases === undefined && otherSeats === undefined &&
    Object.keys(policy).every((member) => ["license_type", "grace_period_days"].includes(member))
  if (!isShared) return { isShared, policy: common.makePolicy(roomy) }
  const name = JSON.stringify(policy)
  const made = common.policies.get(name) ?? common.makePolicy({ ...tight, ...policy })
  common.policies.set(name, made)
  return { isShared, policy: made }
}

/** Asks an operation of a license; answers the code of a refusal, "" for a yes. */
type Ask = (operation: TableOperation) => Promise<string>

/** Gives a license what a situation begins with; answers how to ask each of these operations. */
const arrange = async (
  situation: Situation,
  common: Common,
  policy: Body,
  { license, license_key: key }: Body,
  asked: ReadonlyArray<TableOperation>
): Promise<Ask> => {
  const { amount = 1, ask = {}, grant = {}, takes = ["seat", "lease"] } = situation
  const binding = { hostname: "own", ...situation.binding ?? { fingerprint: "own" } }
  const path = `/api/v1/licenses/${license.id}`
  if (grant !== null && asked.includes("consume")) {
    await service.data("POST", `${path}/features`, { feature_id: common.feature.id, ...grant })
  }
  const given: Given = { ...common, policy, license, key, path, binding }
  if (takes.includes("seat")) succeeded(await service.license("activate", key, binding))
  let lease_token = `csl_${"0".repeat(43)}`
  if (takes.includes("lease")) {
    lease_token = succeeded(await service.license("floating/checkout", key, binding)).lease_token
  }
  const isContainer = "is_container" in binding
  for (const other of others("seat", situation.otherSeats ?? 0, isContainer)) {
    succeeded(await service.license("activate", key, other))
  }
  for (const other of others("lease", situation.otherLeases ?? 0, isContainer)) {
    succeeded(await service.license("floating/checkout", key, other))
  }
  await situation.happens?.(given)
  return async (operation) => {
    const floating = ["checkout", "heartbeat", "checkin"].includes(operation)
    const body = operation === "heartbeat" || operation === "checkin"
      ? { lease_token }
      : operation === "consume"
      ? { ...binding, ...ask, feature_code: "f", event_id: "e", amount }
      : { ...binding, ...ask }
    const answer = await service.license(floating ? `floating/${operation}` : operation, key, body)
    if (["heartbeat", "checkout"].includes(operation) && answer.status === 200) {
      lease_token = answer.body.data.lease_token
    }
    return answer.status === 200 ? "" : answer.body.error.code
  }
}

/** Brings a situation about for each of these lists of operations, on a license of its own. */
const arrangeAll = async (
  situation: Situation,
  common: Common,
  lists: ReadonlyArray<ReadonlyArray<TableOperation>>
): Promise<ReadonlyArray<Ask>> => {
  const { isShared, policy: made } = policyFor(situation, common)
  const policy = await made
  const { results } = await service.data("POST", "/api/v1/licenses/bulk", {
    defaults: { product_id: common.product.id, policy_id: policy.id },
    licenses: lists.map(() => situation.license ?? {})
  })
  const arranged = await Promise.all(
    lists.map((asked, index) => arrange(situation, common, policy, results[index], asked))
  )
  if (!isShared) await service.data("PATCH", `/api/v1/policies/${policy.id}`, { ...tight, ...situation.policy })
  return arranged
}

/**
 * The operations by the license that they are asked of, in this order. Those share one that leave each other's answers as
 * they are: what is refused, what only looks, and what gives a device again what it has; and in the end the device gives
 * back its lease, and then its seat where it has one.
 */
const together = (
  expected: DecisionRow["expected"],
  hasSeat: boolean
): ReadonlyArray<ReadonlyArray<TableOperation>> => {
  const again: ReadonlyArray<TableOperation> = [
    ...(expected.heartbeat === "" ? ["checkout" as const] : []),
    ...(expected.validate === "" ? ["activate" as const] : [])
  ]
  const last = hasSeat && expected.deactivate === "" ? ["deactivate" as const] : []
  const changing = (["activate", "checkout", "deactivate"] as const).filter((operation) =>
    ![...again, ...last].includes(operation)
  )
  const refused = changing.filter((operation) => expected[operation] !== "")
  return [
    [...refused, "check", "validate", "consume", "offline", "heartbeat", ...again, "checkin", ...last],
    ...changing.filter((operation) => expected[operation] === "").map((operation) => [operation])
  ]
}

const rows = decisionTable.filter(({ situation }) => situation !== "same product")

describe("the service answers as the table of decisions says", () => {
  let common: Common

  beforeAll(async () => {
    common = await makeCommon()
  })

  it("in every situation and of every operation", () => {
    assert.sameMembers(Object.keys(situations), rows.map(({ situation }) => situation))
    for (const hasSeat of [true, false]) {
      for (const { expected } of rows) assert.sameMembers(together(expected, hasSeat).flat(), [...runtimeOperations])
    }
  })

  it.each(someOf("situations", rows, 20))("$situation", async ({ expected, situation }) => {
    const given = situations[situation]!
    const hasSeat = given.takes?.includes("seat") ?? true
    const lists = together(expected, hasSeat)
    const arranged = await arrangeAll(given, common, lists)
    const answers = await Promise.all(
      lists.map(async (operations, index) => {
        const ask = arranged[index]!
        const found: Array<readonly [string, string]> = []
        for (const operation of operations) {
          if (expected[operation] !== undefined) found.push([operation, await ask(operation)])
        }
        return found
      })
    )
    const wanted = Object.fromEntries(Object.entries(expected).filter(([, code]) => code !== undefined))
    assert.deepStrictEqual(Object.fromEntries(answers.flat()), wanted)
  })

  it("same product", async () => {
    const issued = await service.issue({ policy: { max_floating_users: 1 } })
    const binding = { fingerprint: "own", product_code: issued.product.code }
    for (const operation of ["activate", "validate", "check", "offline", "floating/checkout", "deactivate"]) {
      succeeded(await service.license(operation, issued.key, binding))
    }
  })
})
