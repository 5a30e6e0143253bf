import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { createServer } from "node:http"
import type { AddressInfo } from "node:net"
import { startReceiver } from "../fixtures/Receiver.ts"
import { startService } from "../fixtures/Service.ts"
import { atEnd, eventually } from "../fixtures/Session.ts"
import type { Body } from "../fixtures/Session.ts"

/** A collector of OTLP over HTTP: the spans that came. */
const startCollector = async () => {
  const spans: Array<Body> = []
  const server = createServer((request, response) => {
    const chunks: Array<Buffer> = []
    request.on("data", (chunk: Buffer) => chunks.push(chunk))
    request.on("end", () => {
      const { resourceSpans } = JSON.parse(Buffer.concat(chunks).toString())
      for (const { scopeSpans } of resourceSpans) for (const scope of scopeSpans) spans.push(...scope.spans)
      response.writeHead(200, { "content-type": "application/json" }).end("{}")
    })
  })
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve))
  atEnd(async () => {
    server.close()
    server.closeAllConnections()
  })
  return { spans, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` }
}

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

const callWith = (service: Awaited<ReturnType<typeof startService>>, traceparent?: string) =>
  service.data("POST", "/api/v1/products", { name: "Acme Studio", code: randomUUID() }, {
    headers: traceparent === undefined ? {} : { traceparent }
  })

const attribute = (span: Body, name: string) => {
  const found = span.attributes.find(({ key }: Body) => key === name)?.value
  return found === undefined ? undefined : Object.values(found)[0]
}

// That the place of a caller's trace is kept on the event when none are sent: test/http/Edge.test.ts.
describe("traces", () => {
  it("lead from the request that caused an event to the delivery that carried it", async () => {
    const collector = await startCollector()
    const service = await startService({ environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url } })
    const target = await startReceiver()
    const { webhook } = await service.data("POST", "/api/v1/webhooks", {
      name: "Traced",
      url: target.url,
      event_types: ["product.created"]
    })
    await callWith(service, `00-${traceId}-${spanId}-01`)
    await callWith(service)
    await eventually("both arrive", () => target.received.length === 2)
    const deliveries = await eventually("both deliveries are traced", () => {
      const found = collector.spans.filter(({ name }) => name === "webhook.delivery")
      return found.length === 2 && found
    }, 30)
    const requestOf = (delivery: Body): Body => {
      assert.lengthOf(delivery.links, 1)
      const [link] = delivery.links
      return collector.spans.find((span) => span.spanId === link.spanId && span.traceId === link.traceId)
    }
    await eventually("both requests are traced", () => deliveries.every((one) => requestOf(one) !== undefined), 30)
    const bySequence = deliveries.toSorted((a, b) =>
      Number(attribute(a, "webhook.sequence")) - Number(attribute(b, "webhook.sequence"))
    )
    // The first caller had a trace of its own, which goes on; the second one's begins with the request.
    const [first, second] = bySequence.map(requestOf)
    assert.deepInclude(first, { traceId, parentSpanId: spanId })
    assert.notStrictEqual(second.traceId, traceId)
    for (const request of [first, second]) assert.strictEqual(attribute(request, "http.request.method"), "POST")
    bySequence.forEach((delivery, index) => {
      assert.strictEqual(attribute(delivery, "webhook.endpoint"), webhook.id)
      assert.strictEqual(
        attribute(delivery, "webhook.delivery"),
        target.received[index]!.headers["x-service-delivery-id"]
      )
      assert.strictEqual(attribute(delivery, "webhook.outcome"), "200")
      assert.notStrictEqual(delivery.traceId, requestOf(delivery).traceId, "a trace of its own, that may be days later")
    })
  })
})
