import { assert, describe, it } from "@effect/vitest"
import { Deferred, Effect, Layer } from "effect"
import { Agent, createServer, request } from "node:http"
import type { AddressInfo } from "node:net"
import { connect } from "node:net"
import { Exchanges, hasBody } from "../../../src/http/ground/edge/Exchanges.ts"
import { makeScrapeHandler } from "../../../src/runtime/door/DirectDoors.ts"
import { Admission } from "../../../src/services/ground/admission/Admission.ts"
import { Identifiers } from "../../../src/services/ground/persistence/Identifiers.ts"
import { MetricsExposition } from "../../../src/services/ground/platform/Ports.ts"
import { layerSettings } from "../../fixtures/Delivery.ts"
import { atEnd, eventually } from "../../fixtures/Session.ts"

const plain = new TextEncoder().encode("up 1\n".repeat(20_000))
const packed = new TextEncoder().encode("packed")

/** A port with a reading that is taken when the test says so, and so many places for answers that are not compressed. */
const open = async (places = 8) => {
  const reading = Deferred.makeUnsafe<void>()
  const services = Layer.mergeAll(
    Layer.succeed(
      MetricsExposition,
      MetricsExposition.of({
        read: Effect.as(Deferred.await(reading), { text: plain, gzip: Effect.succeed(packed) })
      })
    ),
    Layer.succeed(
      Admission,
      {
        large: () => {
          if (places === 0) return undefined
          places -= 1
          return () => void (places += 1)
        },
        count: () => {}
      } as unknown as Admission["Service"]
    ),
    Layer.succeed(Exchanges, { of: () => undefined } as unknown as Exchanges["Service"]),
    Layer.succeed(Identifiers, { next: () => "req_of_a_test" } as unknown as Identifiers["Service"]),
    layerSettings
  )
  const handle = await Effect.runPromise(Effect.provide(makeScrapeHandler, services) as Effect.Effect<any>)
  let came = 0
  const server = createServer((request, response) => {
    came += 1
    if (handle(request, response, request.url!.split("?")[0]!) === false) response.writeHead(418).end()
  })
  atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  const { port } = server.address() as AddressInfo
  const ask = (
    { address = "127.0.0.1", headers = {}, method = "GET", path = "/metrics" }: {
      readonly address?: string
      readonly headers?: Readonly<Record<string, string>>
      readonly method?: string
      readonly path?: string
    } = {}
  ) =>
    new Promise<
      { readonly status: number; readonly headers: NodeJS.Dict<string | Array<string>>; readonly bytes: number }
    >(
      (resolve, reject) =>
        request(
          { host: "127.0.0.1", port, path, method, headers, localAddress: address, agent: new Agent() },
          (answer) => {
            let bytes = 0
            answer.on("data", (chunk: Buffer) => (bytes += chunk.length))
            answer.on("end", () => resolve({ status: answer.statusCode!, headers: answer.headers, bytes }))
          }
        ).on("error", reject).end()
    )
  return {
    ask,
    port,
    came: () => came,
    read: () => Deferred.doneUnsafe(reading, Effect.void),
    fail: () => Deferred.doneUnsafe(reading, Effect.die(new Error("No reading, as the test says")))
  }
}

describe("scrapes", () => {
  it("a scraper has its turn between the requests of a crowd from another network", async () => {
    const { ask, came, read } = await open()
    const order: Array<string> = []
    const asked = (address: string) =>
      ask({ address, headers: { "accept-encoding": "gzip" } }).then(({ status }) => order.push(`${address} ${status}`))
    const crowd = Array.from({ length: 60 }, () => asked("127.0.0.2"))
    await eventually("the crowd waits", () => came() === 60)
    const scraper = asked("127.0.0.1")
    await eventually("the scraper waits", () => came() === 61)
    read()
    await Promise.all([...crowd, scraper])
    assert.lengthOf(order.filter((line) => line === "127.0.0.2 200"), 60)
    assert.isBelow(order.indexOf("127.0.0.1 200"), 30)
  })

  it("sends a reading as it is to few at once, and to anybody compressed or without its bytes", async () => {
    const { ask, came, read } = await open()
    const all = Promise.all([
      ...Array.from({ length: 12 }, () => ask()),
      ask({ headers: { "accept-encoding": "br, gzip;q=0.5" } }),
      ask({ method: "HEAD" })
    ])
    await eventually("all wait", () => came() === 14)
    read()
    const answers = await all
    const whole = answers.slice(0, 12)
    assert.lengthOf(whole.filter(({ bytes, status }) => status === 200 && bytes === plain.length), 8)
    const late = whole.filter(({ status }) => status === 503)
    assert.lengthOf(late, 4)
    assert.strictEqual(late[0]!.headers["retry-after"], "1")
    assert.strictEqual(answers[12]!.headers["content-encoding"], "gzip")
    assert.strictEqual(answers[12]!.bytes, packed.length)
    assert.strictEqual(answers[13]!.headers["content-length"], String(plain.length))
    assert.strictEqual(answers[13]!.bytes, 0)
  })

  it("takes a place among the large answers for each that is not compressed", async () => {
    const none = await open(0)
    none.read()
    assert.strictEqual((await none.ask()).status, 503)
    assert.strictEqual((await none.ask({ headers: { "accept-encoding": "gzip" } })).status, 200)
    const one = await open(1)
    one.read()
    assert.strictEqual((await one.ask()).status, 200)
    // Given back when its peer has taken it.
    await eventually("there is a place again", async () => (await one.ask()).status === 200)
  })

  it("lets one request of a connection wait, and refuses what is sent behind it", async () => {
    const { came, port, read } = await open()
    const socket = connect(port, "127.0.0.1")
    atEnd(async () => void socket.destroy())
    let heard = ""
    socket.setEncoding("latin1").on("data", (chunk: string) => (heard += chunk))
    socket.write("GET /metrics HTTP/1.1\r\nhost: x\r\naccept-encoding: gzip\r\n\r\n".repeat(20))
    await eventually("all have come", () => came() === 20)
    read()
    await eventually("all are answered", () => heard.split("HTTP/1.1 ").length === 21)
    assert.lengthOf(heard.split("HTTP/1.1 200 "), 2)
    assert.lengthOf(heard.split("HTTP/1.1 503 "), 20)
  })

  it("answers to who is there, past those who have gone, and says when there is no reading", async () => {
    const { ask, came, fail, port } = await open()
    const gone = Array.from({ length: 20 }, () => connect(port, "127.0.0.1"))
    for (const socket of gone) socket.write("GET /metrics HTTP/1.1\r\nhost: x\r\n\r\n")
    await eventually("all wait", () => came() === 20)
    for (const socket of gone) socket.destroy()
    const answer = ask()
    await eventually("one more waits", () => came() === 21)
    fail()
    assert.strictEqual((await answer).status, 500)
  })

  it("leaves to the application whatever is not plainly one", async () => {
    const { ask, read } = await open()
    read()
    assert.strictEqual((await ask({ path: "/metrics?a=1" })).status, 200)
    assert.strictEqual((await ask({ path: "/other" })).status, 418)
    assert.strictEqual((await ask({ method: "POST" })).status, 418)
    assert.strictEqual((await ask({ headers: { "content-length": "0" } })).status, 200)
    assert.isTrue(hasBody({ headers: { "content-length": "2" } }))
    assert.isTrue(hasBody({ headers: { "transfer-encoding": "chunked" } }))
  })
})
