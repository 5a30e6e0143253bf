import { assert, describe, it } from "@effect/vitest"
import { createHmac } from "node:crypto"
import { inspect } from "node:util"
import type { Event } from "../../../src/client/api/index.ts"
import { CountersignError } from "../../../src/client/api/index.ts"
import type { Arrival, CountersignEvent, Feed, ReceiverOptions } from "../../../src/client/webhooks/index.ts"
import {
  DeliveryError,
  DeliveryRefused,
  fetchHandler,
  HandlerFailed,
  lambdaHandler,
  memoryInbox,
  Receiver
} from "../../../src/client/webhooks/index.ts"
import { RefusalReports } from "../../../src/client/webhooks/Receiver.ts"
import { deliveryHeaders, signingKeys } from "../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import { formatWebhookSecret } from "../../../src/domain/keys/security/WebhookSecret.ts"
import { eventually } from "../../fixtures/Session.ts"

const secret = formatWebhookSecret(new Uint8Array(32).fill(1))
const other = formatWebhookSecret(new Uint8Array(32).fill(2))

interface Claimed {
  readonly epoch?: number
  /** The epoch of the header, which is not signed. */
  readonly header?: number
  readonly secrets?: ReadonlyArray<string>
  readonly type?: string
  /** As of a service that signs no epoch. */
  readonly isOld?: boolean
}

/** A delivery of the event with this sequence, as the service makes it. */
const delivery = (sequence: number, claimed: Claimed = {}) => {
  const { epoch = 1, secrets = [secret], type = "license.suspended" } = claimed
  const event = { created_at: "2026-11-24T10:00:00.000Z", data: { id: "lic_1" }, event_type: type }
  const place = claimed.isOld === true ? { sequence } : { epoch, sequence }
  const rawBody = JSON.stringify({ ...event, id: `evt_${epoch}_${sequence}`, ...place, type })
  const timestamp = Math.floor(Date.now() / 1000)
  const headers = deliveryHeaders(
    { deliveryId: `dlv_${epoch}_${sequence}`, sequence, type, timestamp, rawBody, keys: secrets.map(signingKeys) },
    (key, data) => createHmac("sha256", key).update(data).digest(),
    { "X-Service-Event-Epoch": String(claimed.header ?? epoch) }
  )
  return [rawBody, headers] as const
}

const feedEvent = (sequence: number, type = "license.suspended"): Event =>
  ({ id: `evt_1_${sequence}`, sequence, event_type: type, created_at: "", data: { id: "lic_1" } }) as unknown as Event

/** A feed that has these events, and notes where it was read from. */
const feedOf = (events: ReadonlyArray<Event>, pageSize = 200) => {
  const asked: Array<number> = []
  const feed: Feed = {
    events: {
      list: ({ cursor = 0 }) => ({
        withResponse: async () => {
          asked.push(cursor)
          const after = events.filter(({ sequence }) => sequence > cursor)
          const data = after.slice(0, pageSize)
          const has_more = after.length > data.length
          return { data, page_info: { has_more, next_cursor: String(data.at(-1)?.sequence ?? cursor) } }
        }
      })
    }
  }
  return { feed, asked }
}

/** A receiver that notes what it handles. */
const noting = (options: Partial<ReceiverOptions> = {}) => {
  const handled: Array<readonly [sequence: number, source: Arrival["source"]]> = []
  const errors: Array<unknown> = []
  const receiver = new Receiver({
    secrets: secret,
    handle: (event: CountersignEvent, { source }) => void handled.push([event.sequence, source]),
    onError: (error) => void errors.push(error),
    retryMs: 0,
    ...options
  })
  return { receiver, handled, errors }
}

describe("a receiver", () => {
  it("handles what is genuine once, however often and at whatever time it comes", async () => {
    const { handled, receiver } = noting()
    const [body, headers] = delivery(1)
    const answers = await Promise.all(Array.from({ length: 20 }, () => receiver.receive(body, headers)))
    assert.isTrue(answers.every(({ status }) => status === 204))
    assert.strictEqual((await receiver.receive(new TextEncoder().encode(body), new Headers(headers))).status, 204)
    assert.deepStrictEqual(handled, [[1, "delivery"]])
  })

  it("takes the place of a first delivery from what is signed, whatever epoch its header claims", async () => {
    for (const [header, isOld, place] of [[999_999_999, false, 7], [2, false, 7], [1, true, 7]] as const) {
      const inbox = memoryInbox()
      const { receiver } = noting({ inbox })
      assert.strictEqual((await receiver.receive(...delivery(7, { header, isOld }))).status, 204)
      assert.strictEqual(await inbox.readPlace(), place)
    }
    const inbox = memoryInbox()
    const { receiver } = noting({ inbox })
    await receiver.receive(...delivery(7, { epoch: 2, header: 1 }))
    assert.strictEqual(await inbox.readPlace(), 10 ** 13 + 7)
    // A service that signs none says it in the header alone.
    const older = memoryInbox()
    await noting({ inbox: older }).receiver.receive(...delivery(7, { epoch: 2, isOld: true }))
    assert.strictEqual(await older.readPlace(), 10 ** 13 + 7)
  })

  it("does nothing for what is not, and says why", async () => {
    const { errors, handled, receiver } = noting({ maxBytes: 1000 })
    const [body, headers] = delivery(1)
    const forged = body.replace("lic_1", "lic_2")
    assert.deepStrictEqual(await receiver.receive(forged, headers), { status: 400, body: "signature_mismatch" })
    assert.deepStrictEqual(await receiver.receive(body, {}), { status: 400, body: "missing_header" })
    assert.strictEqual((await receiver.receive(body, delivery(1, { secrets: [other] })[1])).status, 400)
    assert.deepStrictEqual(await receiver.receive(" ".repeat(1001), headers), { status: 413, body: "too_large" })
    const refused = ["missing_header", "signature_mismatch", "too_large"]
    assert.deepStrictEqual([handled, errors.map((error) => (error as DeliveryRefused).code).toSorted()], [[], refused])
  })

  it("tells of what it refuses, once a minute for each reason, and of no secret", async () => {
    const { errors, receiver } = noting()
    for (let at = 0; at < 3; at++) await receiver.receive(...delivery(at, { secrets: [other] }))
    const [body, { "X-Service-Signature": signature, ...headers }] = delivery(1)
    await receiver.receive(body, { ...headers, "X-Service-Signature": signature!.replace(/^t=\d/, "t=0") })
    const told = errors.map((error) => error as DeliveryRefused)
    assert.isTrue(told.every((error) => error instanceof DeliveryRefused && error.cause instanceof DeliveryError))
    assert.deepStrictEqual(told.map(({ code }) => code), ["signature_mismatch", "timestamp_out_of_tolerance"])
    assert.match(
      told[0]!.message,
      /^A delivery was refused \(signature_mismatch\)\. .*use the signing secret of this endpoint/
    )
    for (const shown of told.map((error) => inspect(error, { depth: 9, showHidden: true }))) {
      for (const hidden of [secret, other, "evt_1"]) assert.notInclude(shown, hidden)
    }
    const refusals = new RefusalReports()
    const counts = [0, 1, 59_999, 60_000, 60_001, -3_600_000].map((at) =>
      refusals.countToReport("signature_mismatch", at)
    )
    assert.deepStrictEqual(counts, [1, 0, 0, 3, 0, 2])
    assert.strictEqual(refusals.countToReport("missing_header", 60_001), 1)
    assert.match(
      new DeliveryRefused("signature_mismatch", 3).message,
      /^3 deliveries were refused \(signature_mismatch\)/
    )
  })

  it("says so where a body was parsed before, whoever calls it", async () => {
    const { errors, receiver } = noting()
    const [body, headers] = delivery(1)
    const request = new Request("http://127.0.0.1/", { method: "POST", body, headers })
    await request.json()
    assert.strictEqual((await fetchHandler(receiver)(request)).status, 500)
    const parsed = JSON.parse(body)
    assert.strictEqual((await receiver.receive(parsed, headers)).status, 500)
    const event = { httpMethod: "POST", headers, body: parsed }
    assert.strictEqual((await lambdaHandler(receiver)(event)).statusCode, 500)
    assert.match(String(errors[0]), /\(body_parsed\).*bodyParser: false/)
    assert.lengthOf(errors, 1)
  })

  it("answers what is too large without waiting for the rest of it", async () => {
    const { receiver } = noting({ maxBytes: 10 })
    const endless = new ReadableStream<Uint8Array>({
      pull: (controller) => controller.enqueue(new Uint8Array(20)),
      cancel: () => new Promise(() => {})
    })
    const request = new Request("http://127.0.0.1/", { method: "POST", body: endless, duplex: "half" } as RequestInit)
    assert.strictEqual((await fetchHandler(receiver)(request)).status, 413)
  })

  it("knows both secrets of a rotation, also when they are looked up", async () => {
    const { handled, receiver } = noting({ secrets: () => Promise.resolve([other, secret]) })
    await receiver.receive(...delivery(1))
    await receiver.receive(...delivery(2, { secrets: [other] }))
    assert.lengthOf(handled, 2)
  })

  it("is not made with what can be no secret, and has what it is given later delivered again", async () => {
    for (const wrong of [null, undefined, [secret, null], "", [], "short"]) {
      assert.throws(() => noting({ secrets: wrong as string }), TypeError)
    }
    const { errors, handled, receiver } = noting({ secrets: async () => [secret, null] as unknown as Array<string> })
    assert.deepStrictEqual(await receiver.receive(...delivery(1)), { status: 500, body: "failed" })
    assert.instanceOf(errors[0], TypeError)
    assert.deepStrictEqual(handled, [])
  })

  it("has an event delivered again whose handler failed", async () => {
    let isBroken = true
    const { errors, receiver } = noting({
      handle: () => {
        if (isBroken) throw new Error("the database is away")
      }
    })
    assert.deepStrictEqual(await receiver.receive(...delivery(1)), { status: 500, body: "failed" })
    assert.match(String(errors[0]), /the database is away/)
    isBroken = false
    assert.strictEqual((await receiver.receive(...delivery(1))).status, 204)
    assert.lengthOf(errors, 1)
  })

  it("lets one of several copies at once try after another has failed", async () => {
    let attempts = 0
    const { receiver } = noting({
      handle: async () => {
        await Promise.resolve()
        attempts += 1
        if (attempts === 1) throw new Error("once")
      }
    })
    const answers = await Promise.all(Array.from({ length: 5 }, () => receiver.receive(...delivery(1))))
    assert.deepStrictEqual(answers.map(({ status }) => status).toSorted(), [204, 204, 204, 204, 500])
    assert.strictEqual(attempts, 2)
  })

  it("remembers as many events as its memory may hold", async () => {
    const { handled, receiver } = noting({ inbox: memoryInbox({ capacity: 2 }) })
    for (const sequence of [1, 2, 3, 3, 2, 1]) await receiver.receive(...delivery(sequence))
    assert.deepStrictEqual(handled.map(([sequence]) => sequence), [1, 2, 3, 1])
  })
})

describe("a gap", () => {
  it("is healed from the feed, which is read from the last place without one", async () => {
    const { asked, feed } = feedOf(Array.from({ length: 9 }, (_, index) => feedEvent(index + 1)), 3)
    const { errors, handled, receiver } = noting({ feed, patienceMs: 0 })
    for (const sequence of [3, 4, 8]) await receiver.receive(...delivery(sequence))
    await eventually("it is healed", () => handled.length === 7)
    assert.deepStrictEqual(handled.slice(0, 3), [[3, "delivery"], [4, "delivery"], [8, "delivery"]])
    assert.deepStrictEqual(handled.slice(3), [[5, "feed"], [6, "feed"], [7, "feed"], [9, "feed"]])
    assert.strictEqual(asked[0], 4)
    // What comes late after all is known.
    for (const sequence of [5, 6, 7, 9]) await receiver.receive(...delivery(sequence))
    assert.lengthOf(handled, 7)
    assert.deepStrictEqual(errors, [])
  })

  it("is none where deliveries are only out of order and come in time", async () => {
    const { asked, feed } = feedOf([])
    const { handled, receiver } = noting({ feed, patienceMs: 3_600_000 })
    for (const sequence of [1, 3, 2, 4]) await receiver.receive(...delivery(sequence))
    receiver.close()
    assert.deepStrictEqual([handled.length, asked], [4, []])
  })

  it("has events of other types than the endpoint's, which are passed over", async () => {
    const events = [feedEvent(2, "product.created"), feedEvent(3), feedEvent(4, "customer.created")]
    const { feed } = feedOf(events)
    const { handled, receiver } = noting({ feed, types: ["license.suspended"], patienceMs: 3_600_000 })
    await receiver.receive(...delivery(1))
    await receiver.heal()
    assert.deepStrictEqual(handled, [[1, "delivery"], [3, "feed"]])
    receiver.close()
  })

  it("has the events of a family that the endpoint takes", async () => {
    const { feed } = feedOf([feedEvent(2, "license.renewed"), feedEvent(3, "customer.created"), feedEvent(4)])
    const { handled, receiver } = noting({ feed, types: ["license.*"], patienceMs: 3_600_000 })
    await receiver.receive(...delivery(1))
    await receiver.heal()
    assert.deepStrictEqual(handled, [[1, "delivery"], [2, "feed"], [4, "feed"]])
    receiver.close()
  })

  it("is tried again when the feed cannot be read", async () => {
    let isAway = true
    const { asked, feed } = feedOf([feedEvent(2)])
    const away: Feed = {
      events: {
        list: (query) => ({
          withResponse: () =>
            isAway
              ? Promise.reject(new CountersignError({ code: "NETWORK_ERROR", message: "away" }))
              : feed.events.list(query).withResponse()
        })
      }
    }
    const { errors, handled, receiver } = noting({ feed: away, patienceMs: 0 })
    for (const sequence of [1, 3]) await receiver.receive(...delivery(sequence))
    await eventually("it failed", () => errors.length === 1)
    isAway = false
    await receiver.receive(...delivery(5))
    await eventually("it is healed", () => handled.some(([sequence]) => sequence === 2))
    assert.isNotEmpty(asked)
  })

  it("is healed at the first start from where the receiver is told to begin, whatever epoch a delivery claims", async () => {
    const { asked, feed } = feedOf([feedEvent(1), feedEvent(2), feedEvent(3)])
    const { handled, receiver } = noting({ feed, startAfter: 1, patienceMs: 3_600_000 })
    // The header of the epoch is not signed.
    const [body, headers] = delivery(3)
    const claimed = { ...headers, "X-Service-Event-Epoch": "9" }
    assert.strictEqual((await receiver.receive(body, claimed)).status, 204)
    await receiver.heal()
    assert.deepStrictEqual(handled, [[3, "delivery"], [2, "feed"]])
    assert.deepStrictEqual(asked, [1])
    const forgetful = noting({ feed })
    await forgetful.receiver.heal()
    assert.isEmpty(forgetful.handled)
    receiver.close()
  })

  it("is healed behind an event that can never be handled, which is told of after as many tries as are allowed", async () => {
    const { asked, feed } = feedOf([feedEvent(2), feedEvent(3), feedEvent(4)], 1)
    const tried: Array<number> = []
    const failed: Array<unknown> = []
    const inbox = memoryInbox()
    const { errors, receiver } = noting({
      feed,
      inbox,
      patienceMs: 3_600_000,
      maxTries: 2,
      handle: ({ sequence }) => {
        tried.push(sequence)
        if (sequence === 3) throw new Error("for ever")
      },
      onFailed: ({ id }, error) => void failed.push([id, String(error)])
    })
    await receiver.receive(...delivery(1))
    await receiver.heal()
    assert.deepStrictEqual(tried, [1, 2, 3, 3, 4])
    assert.deepStrictEqual(failed, [["evt_1_3", "Error: for ever"]])
    // At the next start nothing is left of it, and a delivery of it is still handled.
    await receiver.heal()
    assert.deepStrictEqual(tried, [1, 2, 3, 3, 4])
    assert.deepStrictEqual(asked, [1, 2, 3, 4])
    assert.deepStrictEqual(await receiver.receive(...delivery(3)), { status: 500, body: "failed" })
    assert.lengthOf(errors, 1)
    receiver.close()
  })

  it("tells onError of what could not be handled, where nothing else is told; three tries are allowed", async () => {
    const { feed } = feedOf([feedEvent(2), feedEvent(3)])
    let tries = 0
    const { errors, receiver } = noting({
      feed,
      patienceMs: 3_600_000,
      handle: ({ sequence }) => {
        if (sequence !== 2) return
        tries += 1
        throw new Error("for ever")
      }
    })
    await receiver.receive(...delivery(1))
    await receiver.heal()
    assert.strictEqual(tries, 3)
    const [failure, ...others] = errors
    assert.instanceOf(failure, HandlerFailed)
    assert.strictEqual(failure.event.id, "evt_1_2")
    assert.match(failure.message, /evt_1_2 \(license\.suspended, sequence 2\)/)
    assert.match(String(failure.cause), /for ever/)
    assert.isEmpty(others)
    receiver.close()
  })

  it("is left where it is when the inbox fails, or what is told of an event that failed", async () => {
    const { asked, feed } = feedOf([feedEvent(2)])
    for (
      const options of [
        { inbox: { ...memoryInbox(), readPlace: async () => 1, once: () => Promise.reject(new Error("no table")) } },
        {
          inbox: { ...memoryInbox(), readPlace: async () => 1 },
          handle: () => Promise.reject(new Error("for ever")),
          onFailed: () => Promise.reject(new Error("no table"))
        }
      ]
    ) {
      const places: Array<number> = []
      const inbox = { ...options.inbox, writePlace: async (cursor: number) => void places.push(cursor) }
      const { receiver } = noting({ feed, ...options, inbox })
      const failure = await receiver.heal().catch((error: unknown) => error)
      assert.match(String(failure), /no table/)
      assert.isEmpty(places)
    }
    assert.deepStrictEqual(asked, [1, 1])
  })

  it.each([["CURSOR_AHEAD", "restored"], ["CURSOR_BEHIND", "archived"]] as const)(
    "that the feed cannot fill (%s) is told, and the feed is read where it goes on",
    async (code, reason) => {
      const { feed } = feedOf([feedEvent(20)])
      const jumping: Feed = {
        events: {
          list: (query) => ({
            withResponse: () =>
              query.cursor === 5
                ? Promise.reject(
                  new CountersignError({ code, message: "elsewhere", detail: "Go on with cursor=19." })
                )
                : feed.events.list(query).withResponse()
          })
        }
      }
      const jumps: Array<unknown> = []
      const { handled, receiver } = noting({ feed: jumping, onJump: (jump) => void jumps.push(jump) })
      await receiver.receive(...delivery(5))
      await receiver.heal()
      assert.deepStrictEqual(jumps, [{ reason, detail: "Go on with cursor=19." }])
      assert.deepStrictEqual(handled, [[5, "delivery"], [20, "feed"]])
    }
  )
})
