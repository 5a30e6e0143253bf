import { assert, describe, it } from "@effect/vitest"
import { Webhook } from "standardwebhooks"
import { makeProduct } from "../../fixtures/Commerce.ts"
import { faultTimeout, isLong } from "../../fixtures/FaultForm.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { chance } from "../../fixtures/Seeded.ts"
import type { Service } from "../../fixtures/Service.ts"
import { startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually } from "../../fixtures/Session.ts"
import { holdsTransactions } from "../../fixtures/TransactionWatch.ts"

/** So many that each node has some of them. */
const endpoints = 8
const rounds = isLong ? 4 : 2
/** What is written in a round, in the middle of which a node is killed. */
const written = isLong ? 150 : 30

/** An ordered endpoint, and the ids of what it has accepted, in order, repeats included. */
interface Ordered {
  readonly id: string
  readonly accepted: Array<string>
  /** The secrets that have been live. */
  readonly secrets: Array<string>
  /** How many deliveries of it were under way at once, at most. */
  most: number
  underWay: number
  /** Which secrets fit the last delivery. */
  signedBy: ReadonlyArray<string>
}

const fits = (secret: string, body: string, headers: Record<string, string>): boolean => {
  try {
    new Webhook(secret).verify(body, headers)
    return true
  } catch {
    return false
  }
}

describe("ordered endpoints of two nodes", () => {
  it("get every event in the order of the feed, whichever node is killed and while secrets change", async () => {
    const first = await startService({ as: "program" })
    const second = await startService({ databaseUrl: first.databaseUrl, as: "program" })
    await holdsTransactions(first.databaseUrl)
    const thinking = chance("ordered receivers")
    const receiver = await startReceiver()
    const at = new Map<string, Ordered>()
    const wrong: Array<string> = []
    receiver.respond = (response, { body, headers, path }) => {
      const endpoint = at.get(path)!
      const event = JSON.parse(body)
      endpoint.most = Math.max(endpoint.most, ++endpoint.underWay)
      // A node that is killed takes its delivery with it.
      response.once("close", () => endpoint.underWay--)
      endpoint.signedBy = endpoint.secrets.filter((secret) => fits(secret, body, headers as Record<string, string>))
      if (endpoint.signedBy.length === 0) wrong.push(`${path} ${event.id}`)
      setTimeout(() => {
        // Who does not live to read the answer has not delivered, and must come again.
        if (response.destroyed) return
        endpoint.accepted.push(event.id)
        response.writeHead(200).end()
      }, thinking.upTo(10))
    }
    for (let index = 0; index < endpoints; index++) {
      const { secret, webhook } = await first.data("POST", "/api/v1/webhooks", {
        name: `Ordered ${index}`,
        url: receiver.url.replace("/hooks", `/${index}`),
        event_types: ["product.created"],
        ordered: true
      })
      at.set(`/${index}`, { id: webhook.id, accepted: [], secrets: [secret], most: 0, underWay: 0, signedBy: [] })
    }
    const all = [...at.values()]

    const write = async (node: Service, count: number) => {
      for (let index = 0; index < count; index++) await makeProduct(node)
    }
    const accepted = () => Math.min(...all.map((endpoint) => new Set(endpoint.accepted).size))

    let total = 0
    const nodes: readonly [Service, Service] = [first, second]
    for (let round = 0; round < rounds; round++) {
      const [killed, left] = round % 2 === 0 ? nodes : [nodes[1], nodes[0]]
      const before = accepted()
      const writing = write(left, written)
      // Both nodes deliver, if both have lanes; the one that has them all is killed sooner or later.
      await eventually("deliveries are under way", () => accepted() > before + written / 10)
      await killed.kill("SIGKILL")
      for (const endpoint of all) {
        const { secret } = await left.data("PATCH", `/api/v1/webhooks/${endpoint.id}`, {
          rotate_secret: true,
          secret_overlap_seconds: 0
        })
        // What is in flight may still be signed with the one before.
        endpoint.secrets.push(secret)
      }
      await writing
      total += written
      await eventually("what was written meanwhile arrives", () => accepted() >= total)
      await killed.start()
    }

    // Who was done before the last change of secrets shall have one more that is signed by the new one.
    await write(first, 1)
    total += 1
    await eventually("what was written last arrives", () => accepted() >= total)
    const feed: ReadonlyArray<string> = (await first.feed("&event_type=product.created")).map(({ id }: Body) => id)
    assert.lengthOf(feed, total)
    for (const endpoint of all) {
      // A Set keeps the order in which things were first put into it.
      assert.deepStrictEqual([...new Set(endpoint.accepted)], feed, "the order of first acceptance is that of the feed")
      // What is sent again begins somewhere before, and goes on in order.
      const places = endpoint.accepted.map((id) => feed.indexOf(id))
      const jumps = places.filter((place, index) => index > 0 && place !== places[index - 1]! + 1)
      assert.isAtMost(jumps.length, rounds * 2, "a node that takes over begins again once")
      assert.strictEqual(endpoint.most, 1, "one at a time")
      assert.deepStrictEqual(endpoint.signedBy, endpoint.secrets.slice(-1))
    }
    assert.deepStrictEqual(wrong, [])
  }, faultTimeout)
})
