import { assert, beforeAll, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import type { Provider } from "../../../src/domain/sales/providers/Provider.ts"
import { post, secretOf, signatureOf } from "../../fixtures/ProviderSender.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body, Session } from "../../fixtures/Session.ts"
import { hold, session } from "../../fixtures/Session.ts"
import { someOf, takeTurns } from "../../fixtures/Share.ts"
import { testDatabaseOf, testToken } from "../../fixtures/TestEnvironment.ts"

takeTurns()

const outcomes = ["received", "repeated", "refused_connection", "refused_signature", "refused_body"] as const
type Outcome = (typeof outcomes)[number]

let service: Service
let database: Session

/** A connection to each provider, and its secret. */
const connected = new Map<Provider, { readonly connection: Body; readonly secret: string }>()
const of = (provider: Provider) => connected.get(provider)!

const connect = async (provider: Provider, secret: string | undefined, token?: string): Promise<Body> =>
  service.data(
    "POST",
    "/api/v1/billing/connections",
    { provider, name: provider, ...(secret === undefined ? {} : { secret }) },
    token === undefined ? {} : { token }
  )

beforeAll(async () => {
  service = await startService()
  database = await session(service.databaseUrl)
  for (const provider of ["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const) {
    const secret = secretOf(provider)
    connected.set(provider, { secret, connection: await connect(provider, secret) })
  }
})

const now = () => Math.floor(Date.now() / 1000)

const stripe = (more: object = {}, object: object = { id: "prod_1", object: "product" }) => ({
  id: `evt_${randomUUID()}`,
  object: "event",
  api_version: "2026-10-28.endive",
  created: now(),
  livemode: true,
  type: "product.updated",
  data: { object },
  ...more
})

/** An event of a type that nobody knows, in the form of each provider. */
const unknown: Readonly<Record<Provider, () => object>> = {
  stripe: () => stripe({ type: "moon.risen" }),
  paddle: () => ({
    event_id: `evt_${randomUUID()}`,
    event_type: "moon.risen",
    occurred_at: new Date().toISOString(),
    data: {}
  }),
  lemon_squeezy: () => ({
    meta: { event_name: "moon_risen" },
    data: { type: "moons", id: randomUUID(), attributes: { updated_at: new Date().toISOString(), test_mode: false } }
  }),
  fastspring: () => ({
    events: [{ id: randomUUID(), live: true, type: "moon.risen", created: Date.now(), data: { phase: "full" } }]
  }),
  chargebee: () => ({ id: `ev_${randomUUID()}`, occurred_at: now(), event_type: "moon_risen", content: {} })
}

/** What the service has counted, by outcome. */
const counts = async (): Promise<Readonly<Record<Outcome, number>>> => {
  const { text } = await service.call("GET", "/metrics")
  const lines = text.split("\n").filter((line) => line.startsWith("countersign_billing_events_total{"))
  const of = (outcome: Outcome) =>
    lines.filter((line) => line.includes(`outcome="${outcome}"`)).reduce(
      (sum, line) => sum + Number(line.split(" ")[1]),
      0
    )
  return Object.fromEntries(outcomes.map((outcome) => [outcome, of(outcome)])) as Record<Outcome, number>
}

/** Does something; answers its answer, and what was counted meanwhile. */
const counted = async (act: () => Promise<Answer>) => {
  const before = await counts()
  const answer = await act()
  const after = await counts()
  const changes = outcomes.map((outcome) => [outcome, after[outcome] - before[outcome]] as const)
  return { answer, counted: Object.fromEntries(changes.filter(([, change]) => change !== 0)) }
}

const stored = async (): Promise<number> =>
  (await database.query("SELECT count(*)::int AS count FROM billing_events"))[0]!.count

/** Sends a body to the connection of a provider, signed as that provider signs. */
const send = (provider: Provider, body: string, at?: number): Promise<Answer> =>
  post(service, of(provider).connection, body, signatureOf[provider](of(provider).secret, body, at))

describe("the inbox refuses", () => {
  const body = JSON.stringify(stripe())
  const signed = (at?: number) => signatureOf.stripe(of("stripe").secret, body, at)
  const toStripe = (headers: Readonly<Record<string, string>>) => () =>
    post(service, of("stripe").connection, body, headers)
  const bodyOf = (provider: Provider, json: unknown) => () =>
    send(provider, typeof json === "string" ? json : JSON.stringify(json))
  const signature = { status: 400, code: "INVALID_HEADER", outcome: "refused_signature" } as const
  const unreadable = { status: 422, code: "VALIDATION_ERROR", outcome: "refused_body" } as const
  const gone = { status: 404, code: "NOT_FOUND", outcome: "refused_connection" } as const

  // The act is made when the connections are there.
  const refusals: ReadonlyArray<
    readonly [
      string,
      () => Promise<Answer>,
      typeof signature | typeof unreadable | typeof gone | Body,
      string | undefined
    ]
  > = [
    ["a request that is not signed", () => toStripe({})(), signature, "signature_missing"],
    [
      "the signature of another provider",
      () => toStripe(signatureOf.paddle(of("stripe").secret, body))(),
      signature,
      "signature_missing"
    ],
    [
      "a signature of another form",
      () => toStripe({ "stripe-signature": "t=1,v1=abc" })(),
      signature,
      "signature_malformed"
    ],
    [
      "a scheme that proves nothing",
      () => toStripe({ "stripe-signature": signed()["stripe-signature"]!.replace("v1=", "v0=") })(),
      signature,
      "signature_malformed"
    ],
    [
      "a signature under another secret",
      () => toStripe(signatureOf.stripe("another_secret", body))(),
      signature,
      "signature_mismatch"
    ],
    [
      "the signature of another body",
      () => toStripe(signatureOf.stripe(of("stripe").secret, `${body} `))(),
      signature,
      "signature_mismatch"
    ],
    [
      "an event that was signed for another connection",
      () => post(service, of("paddle").connection, body, signatureOf.paddle(of("stripe").secret, body)),
      signature,
      "signature_mismatch"
    ],
    ["a signature that is six minutes old", () => toStripe(signed(now() - 360))(), signature, "signature_too_old"],
    [
      "a signature of Paddle that is six minutes old",
      () => send("paddle", JSON.stringify(unknown.paddle()), now() - 360),
      signature,
      "signature_too_old"
    ],
    ["a signature of six minutes ahead", () => toStripe(signed(now() + 360))(), signature, "signature_in_future"],
    [
      "another password of Chargebee",
      () => post(service, of("chargebee").connection, "{}", signatureOf.chargebee("countersign:another", "{}")),
      signature,
      "signature_mismatch"
    ],
    [
      "what is signed for a connection that has no secret",
      async () => post(service, await connect("stripe", undefined), body, signed()),
      signature,
      "no_secret"
    ],
    ["a body that is no JSON", () => bodyOf("stripe", "{")(), unreadable, "not_an_event"],
    ["a body that is empty", () => bodyOf("stripe", "")(), unreadable, "not_an_event"],
    ["a body that is no event of Stripe", () => bodyOf("stripe", unknown.paddle())(), unreadable, "not_an_event"],
    ["a body that is none of Paddle", () => bodyOf("paddle", stripe())(), unreadable, "not_an_event"],
    ["a body that is none of Lemon Squeezy", () => bodyOf("lemon_squeezy", stripe())(), unreadable, "not_an_event"],
    ["a body without events of FastSpring", () => bodyOf("fastspring", { events: [] })(), unreadable, "not_an_event"],
    ["a body that is none of Chargebee", () => bodyOf("chargebee", { id: "ev_1" })(), unreadable, "not_an_event"],
    [
      "a thin event",
      () => bodyOf("stripe", { id: "evt_1", object: "v2.core.event", type: "v1.customer.created" })(),
      unreadable,
      "thin_payload"
    ],
    [
      "an event of a connected account, which is another merchant",
      () => bodyOf("stripe", stripe({ account: "acct_1" }))(),
      unreadable,
      "connected_account"
    ],
    [
      "events of FastSpring that only name their objects",
      () =>
        bodyOf("fastspring", {
          events: [{ id: "e1", live: true, type: "subscription.activated", created: 1, data: { id: "S1" } }]
        })(),
      unreadable,
      "not_expanded"
    ],
    ["an event of Stripe's test mode", () => bodyOf("stripe", stripe({ livemode: false }))(), unreadable, "test_event"],
    [
      "an event of Lemon Squeezy's test mode",
      () => {
        const lemon = unknown.lemon_squeezy() as Body
        return send(
          "lemon_squeezy",
          JSON.stringify({
            ...lemon,
            data: { ...lemon.data, attributes: { ...lemon.data.attributes, test_mode: true } }
          })
        )
      },
      unreadable,
      "test_event"
    ],
    [
      "a body of FastSpring of which one event is a test",
      () => {
        const [live] = (unknown.fastspring() as Body).events
        return send("fastspring", JSON.stringify({ events: [live, { ...live, id: randomUUID(), live: false }] }))
      },
      unreadable,
      "test_event"
    ],
    [
      "a body of more than 256 KiB",
      () => bodyOf("stripe", stripe({}, { id: "prod_1", text: "a".repeat(256 * 1024) }))(),
      { status: 413, code: "PAYLOAD_TOO_LARGE", outcome: "refused_body" },
      undefined
    ],
    ["a connection that never was", () => post(service, { id: "bcn_none" }, body, signed()), gone, undefined],
    [
      "a connection that was deleted",
      async () => {
        const connection = await connect("stripe", of("stripe").secret)
        const path = `/api/v1/billing/connections/${connection.id}`
        assert.strictEqual((await service.call("DELETE", path)).status, 204)
        return post(service, connection, body, signed())
      },
      gone,
      undefined
    ]
  ]

  it.each(someOf("refusals of the inbox", refusals, 12))("%s", async (_, act, { code, outcome, status }, detail) => {
    const before = await stored()
    const { answer, counted: changes } = await counted(act)
    assert.strictEqual(answer.status, status, answer.text)
    assert.strictEqual(answer.body.error.code, code)
    if (detail !== undefined) assert.strictEqual(answer.body.error.detail, detail)
    assert.deepStrictEqual(changes, { [outcome]: 1 })
    assert.strictEqual(await stored(), before, "it is not stored")
  })

  it("an event of live mode in the test environment, and takes one of test mode there", async () => {
    testDatabaseOf(service)
    const secret = secretOf("stripe")
    const connection = await connect("stripe", secret, testToken)
    const sent = (livemode: boolean) => {
      const raw = JSON.stringify(stripe({ livemode }))
      return post(service, connection, raw, signatureOf.stripe(secret, raw), "/test")
    }
    const refused = await sent(true)
    assert.strictEqual(refused.status, 422, refused.text)
    assert.strictEqual(refused.body.error.detail, "live_event")
    assert.deepStrictEqual((await sent(false)).body.data, { received: 1, repeated: 0 })
  })
})

describe("the inbox takes", () => {
  it.each(["stripe", "paddle", "lemon_squeezy", "fastspring", "chargebee"] as const)(
    "a type of %s that nobody knows, once, and a replay of the same request changes nothing",
    async (provider) => {
      const raw = JSON.stringify(unknown[provider]())
      const headers = signatureOf[provider](of(provider).secret, raw)
      const sent = () => post(service, of(provider).connection, raw, headers)
      const before = await stored()
      const first = await counted(sent)
      assert.deepStrictEqual(first.answer.body.data, { received: 1, repeated: 0 })
      assert.deepStrictEqual(first.counted, { received: 1 })
      const again = await counted(sent)
      assert.deepStrictEqual(again.answer.body.data, { received: 0, repeated: 1 })
      assert.deepStrictEqual(again.counted, { repeated: 1 })
      assert.strictEqual(await stored(), before + 1)
    }
  )

  it("a signature that is four minutes old, and one of four minutes ahead", async () => {
    for (const at of [now() - 240, now() + 240]) {
      const answer = await send("stripe", JSON.stringify(stripe()), at)
      assert.strictEqual(answer.status, 200, answer.text)
    }
  })

  it("a body of 50 KB", async () => {
    const answer = await send("stripe", JSON.stringify(stripe({}, { id: "prod_1", text: "a".repeat(50_000) })))
    assert.deepStrictEqual(answer.body.data, { received: 1, repeated: 0 })
  })

  it("what is new of a body of several events", async () => {
    const [first] = (unknown.fastspring() as Body).events
    const [second] = (unknown.fastspring() as Body).events
    await send("fastspring", JSON.stringify({ events: [first] }))
    const both = await counted(() => send("fastspring", JSON.stringify({ events: [first, second] })))
    assert.deepStrictEqual(both.answer.body.data, { received: 1, repeated: 1 })
    assert.deepStrictEqual(both.counted, { received: 1, repeated: 1 })
  })

  it("what comes together with an event that cannot be stored", async () => {
    const sender = async () => {
      const secret = secretOf("stripe")
      const connection = await connect("stripe", secret)
      const event = stripe()
      const raw = JSON.stringify(event)
      return {
        send: () => post(service, connection, raw, signatureOf.stripe(secret, raw)),
        /** Somebody else stores the same event, and does not come to an end. */
        held: () =>
          hold(
            service.databaseUrl,
            `INSERT INTO billing_events (connection_id, event_id, type, occurred_at, body, is_routed)
             VALUES ($1, $2, 't', '2027', '{}', true)`,
            [connection.id, event.id]
          )
      }
    }
    const [first, second, third, fourth] = [await sender(), await sender(), await sender(), await sender()]
    const [ofFirst, ofSecond, ofThird] = [await first.held(), await second.held(), await third.held()]
    // Statements of one session wait for each other, so that a single one of them waits for a lock.
    const early = [first.send(), second.send()]
    await ofFirst.blocked(1)
    // What comes meanwhile is stored together.
    const late = third.send()
    const other = fourth.send()
    await counts()
    await ofFirst.release()
    await ofSecond.release()
    assert.deepStrictEqual((await other).body.data, { received: 1, repeated: 0 })
    await ofThird.rollback()
    for (const answer of await Promise.all([...early, late])) assert.include([200, 503], answer.status, answer.text)
  })
})
