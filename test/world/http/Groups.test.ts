import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { explanations, figuresOf, untouched } from "../../fixtures/LicenseModel.ts"
import type { Answered, Ask, Limits, ModelState, Told } from "../../fixtures/LicenseModel.ts"
import { chance } from "../../fixtures/Seeded.ts"
import type { Answer, Issued } from "../../fixtures/Service.ts"
import { Service, startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { session } from "../../fixtures/Session.ts"

const chances = chance("groups")
const below = (limit: number): number => Math.floor(chances.upTo(limit)) % limit
const oneOf = <A>(some: ReadonlyArray<A>): A => some[below(some.length)]!

let here: Service
let there: Service
let database: Session

beforeAll(async () => {
  here = await startService()
  there = await startService({ databaseUrl: here.databaseUrl })
  database = await session(here.databaseUrl)
})

/** A license under test, and the states that its model may be in. */
interface Modelled {
  readonly issued: Issued
  readonly limits: Limits
  readonly tokens: Array<string>
  states: ReadonlyArray<ModelState>
}

const modelled = async (): Promise<Modelled> => {
  const limits = { activations: 1 + below(3), floating: 1 + below(3), quota: 4 + below(12) }
  const issued = await here.issue({
    policy: { max_activations: limits.activations, max_floating_users: limits.floating }
  })
  const { id } = await here.data("POST", `/api/v1/products/${issued.product.id}/features`, { name: "X", code: "x" })
  await here.data("POST", `/api/v1/licenses/${issued.license.id}/features`, {
    feature_id: id,
    max_consumptions: limits.quota
  })
  return { issued, limits, tokens: [], states: [untouched] }
}

const operations = [
  "activate",
  "activate",
  "deactivate",
  "checkout",
  "checkout",
  "checkin",
  "heartbeat",
  "consume"
] as const

const asked = ({ tokens }: Modelled, operation: Ask["operation"]): Ask => {
  const device = `device-${below(4)}`
  if (operation === "consume") return { operation, device, amount: 1 + below(3) }
  return operation === "checkin" || operation === "heartbeat"
    ? { operation, device, token: tokens.length === 0 ? "none" : oneOf(tokens.slice(-3)) }
    : { operation, device }
}

const put = (node: Service, { issued: { key } }: Modelled, { amount, device, operation, token }: Ask, name: string) => {
  const headers = { "idempotency-key": name }
  switch (operation) {
    case "checkin":
    case "heartbeat":
      return node.license(`floating/${operation}`, key, { lease_token: token }, headers)
    case "checkout":
      return node.license("floating/checkout", key, { fingerprint: device }, headers)
    case "consume":
      return node.license("consume", key, { fingerprint: device, feature_code: "x", amount, event_id: name }, headers)
    default:
      return node.license(operation, key, { fingerprint: device }, headers)
  }
}

const toldBy = ({ body, status }: Answer): Told => ({
  outcome: status === 200 ? "200" : body.error.code,
  token: body.data?.lease_token,
  consumed: body.data?.features?.[0]?.consumed
})

/** What the service shows of a license, and its rows of devices and leases. */
const shown = async ({ issued: { license } }: Modelled) => {
  const path = `/api/v1/licenses/${license.id}`
  const [{ active_device_count }, features, active, leases] = await Promise.all([
    here.data("GET", path),
    here.data("GET", `${path}/features`),
    database.query(
      "SELECT binding_key || ' ' || floating AS of FROM devices WHERE license_id = $1 AND status = 'active'",
      [
        license.id
      ]
    ),
    database.query(
      `SELECT d.binding_key || ' ' || e.generation AS of FROM leases e JOIN devices d ON d.id = e.device_id
       WHERE e.license_id = $1 AND e.ended_at IS NULL`,
      [license.id]
    )
  ])
  const sorted = (rows: ReadonlyArray<Body>) => rows.map((row) => row.of).toSorted()
  return {
    consumed: features[0].total_consumptions,
    seats: active_device_count,
    active: sorted(active),
    leases: sorted(leases)
  }
}

/** Holds answers that came at once against the model, and what is there after them. */
const explain = async (one: Modelled, answers: ReadonlyArray<Answered>, round: string) => {
  const states = explanations(one.states, one.limits, answers)
  assert.isNotEmpty(states, `${round}: no order explains ${JSON.stringify({ ...one.limits, answers }, undefined, 1)}`)
  const found = await shown(one)
  one.states = states.filter((state) => JSON.stringify(figuresOf(state)) === JSON.stringify(found))
  assert.isNotEmpty(one.states, `${round}: ${JSON.stringify({ found, states: states.map(figuresOf), answers })}`)
  for (const { told: { token } } of answers) if (token !== undefined) one.tokens.push(token)
}

describe("writes of apps that come together", () => {
  it("are answered as if they had come one after the other, whatever their groups, on two nodes", async () => {
    const licenses = await Promise.all(Array.from({ length: 3 }, modelled))
    for (let round = 1; round <= 10; round++) {
      const answers = await Promise.all(licenses.map((one) => {
        // Many of one kind, so that they share a group, or a mixture.
        const most = below(2) === 0 ? oneOf(operations) : undefined
        return Promise.all(Array.from({ length: 6 }, async () => {
          const ask = asked(one, most ?? oneOf(operations))
          return { ask, told: toldBy(await put(oneOf([here, there]), one, ask, randomUUID())) }
        }))
      }))
      await Promise.all(licenses.map((one, index) => explain(one, answers[index]!, `round ${round}`)))
    }
  })

  it("happen once for an Idempotency-Key, on whichever node it is sent, and are told alike", async () => {
    const one = await modelled()
    for (let round = 1; round <= 6; round++) {
      const asks = Array.from({ length: 3 }, () => ({
        ask: { operation: oneOf(["activate", "checkout"] as const), device: `device-${below(4)}` },
        name: randomUUID()
      }))
      const answers = await Promise.all(
        asks.map(({ ask, name }) => Promise.all([here, there, here, there].map((node) => put(node, one, ask, name))))
      )
      await explain(
        one,
        answers.flatMap((alike, index) => {
          const decided = alike.filter(({ body }) => body.error?.code !== "IDEMPOTENCY_IN_FLIGHT")
          const granted = decided.filter(({ status }) => status === 200)
          const stored = granted.filter(({ headers }) => headers["idempotency-replayed"] === "true")
          const fresh = decided.filter((answer) => !stored.includes(answer))
          for (const replay of stored) {
            assert.include(granted.filter((answer) => answer !== replay).map(({ text }) => text), replay.text)
          }
          return fresh.map((answer) => ({ ask: asks[index]!.ask, told: toldBy(answer) }))
        }),
        `round ${round}`
      )
    }
  })

  it("are done whole or not at all where the node is killed, and a retry of each does the rest", async () => {
    const node = await startService({ databaseUrl: here.databaseUrl, as: "program" })
    const one = await modelled()
    await put(node, one, { operation: "activate", device: "device-0" }, randomUUID()).then((answer) =>
      explain(one, [{ ask: { operation: "activate", device: "device-0" }, told: toldBy(answer) }], "first")
    )
    const asks = Array.from({ length: 8 }, () => ({
      ask: { operation: oneOf(["activate", "checkout"] as const), device: `device-${below(5)}` },
      name: randomUUID()
    }))
    const cut = Promise.all(
      asks.map(({ ask, name }) => put(node, one, ask, name).catch(() => undefined))
    )
    await new Promise((resolve) => setTimeout(resolve, below(12)))
    await node.kill("SIGKILL")
    const before = await cut
    const after: Array<Answer> = []
    for (const { ask, name } of asks) after.push(await put(here, one, ask, name))
    const done: Array<Answered> = []
    const retried: Array<Answered> = []
    for (const [index, { ask }] of asks.entries()) {
      const answer = after[index]!
      const first = before[index]
      const replayed = answer.headers["idempotency-replayed"] === "true"
      if (first?.status === 200 && replayed) assert.strictEqual(answer.text, first.text)
      if (replayed) done.push({ ask, told: toldBy(answer) })
      else {
        if (first !== undefined) done.push({ ask, told: toldBy(first) })
        retried.push({ ask, told: toldBy(answer) })
      }
    }
    const between = explanations(one.states, one.limits, done)
    assert.isNotEmpty(between, `no order explains ${JSON.stringify({ ...one.limits, done })}`)
    one.states = between
    await explain(one, retried, "after the kill")
  })
})
