import { assert, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import { startCollector } from "../../fixtures/Collector.ts"
import type { CollectedSpan, Collector } from "../../fixtures/Collector.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Answer, Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

const traceId = "4bf92f3577b34da6a3ce929d0e0e4736"
const spanId = "00f067aa0ba902b7"

/** A service whose traces leave every tenth of a second. */
const traced = (collector: Collector, environment: Readonly<Record<string, string>> = {}) =>
  startService({
    environment: { OTEL_EXPORTER_OTLP_ENDPOINT: collector.url, OTEL_BSP_SCHEDULE_DELAY: "100", ...environment }
  })

const makeProduct = (service: Service, traceparent?: string): Promise<Answer> =>
  service.call("POST", "/api/v1/products", {
    body: { name: "Acme Studio", code: randomUUID() },
    headers: traceparent === undefined ? {} : { traceparent }
  })

/** The span of a request, once it has come. */
const spanOf = ({ spans }: Collector, { headers }: Answer): Promise<CollectedSpan> =>
  eventually(
    `the span of ${headers["x-request-id"]}`,
    () => spans.find(({ attributes }) => attributes["countersign.request_id"] === headers["x-request-id"])
  )

/** The spans that stand below one, and below those. */
const below = ({ spans }: Collector, span: CollectedSpan): ReadonlyArray<CollectedSpan> => {
  const children = spans.filter(({ parentSpanId, traceId }) => traceId === span.traceId && parentSpanId === span.spanId)
  return children.concat(children.flatMap((child) => below({ spans } as Collector, child)))
}

// That the place of a caller's trace is kept on the event when none are sent: test/world/http/Edge.test.ts.
describe("traces", () => {
  it("name requests, statements and refusals by the conventions, and hold nothing secret", async () => {
    const collector = await startCollector()
    const service = await traced(collector, {
      OTEL_SERVICE_NAME: "licenses",
      OTEL_RESOURCE_ATTRIBUTES: "deployment.environment.name=the%20test",
      OTEL_EXPORTER_OTLP_HEADERS: "x-tenant=sesame%20one",
      OTEL_EXPORTER_OTLP_COMPRESSION: "gzip"
    })
    const { key, license } = await service.issue()

    const activated = await service.license("activate", key, { fingerprint: "device-of-the-trace" })
    const activation = await spanOf(collector, activated)
    assert.strictEqual(activation.name, "POST /api/v1/license/activate")
    assert.deepInclude(activation, { kind: 2, status: 0, parentSpanId: "" })
    assert.deepStrictEqual(activation.attributes, {
      "http.request.method": "POST",
      "http.response.status_code": 200,
      "http.route": "/api/v1/license/activate",
      "url.path": "/api/v1/license/activate",
      "url.scheme": "http",
      "countersign.request_id": String(activated.headers["x-request-id"])
    })
    assert.deepInclude(activation.resource, {
      "service.name": "licenses",
      "deployment.environment.name": "the test",
      "telemetry.sdk.language": "nodejs"
    })
    assert.isString(activation.resource["service.instance.id"])
    const statement = await eventually(
      "the statement that takes the seat",
      () => below(collector, activation).find(({ attributes }) => attributes["db.collection.name"] === "licenses")
    )
    const { pathname, port } = new URL(service.databaseUrl)
    assert.deepInclude(statement, { kind: 3, status: 0, traceId: activation.traceId })
    assert.strictEqual(statement.name, `${statement.attributes["db.operation.name"]} licenses`)
    assert.match(String(statement.attributes["countersign.statement"]), /^licenses\.[a-z]+( [a-z -]+)?$/)
    assert.deepInclude(statement.attributes, {
      "db.system.name": "postgresql",
      "db.namespace": pathname.slice(1),
      ...(port === "" ? {} : { "server.port": Number(port) })
    })

    const shown = await spanOf(collector, await service.call("GET", `/api/v1/licenses/${license.id}?unknown=${key}`))
    assert.deepInclude(shown, { name: "GET /api/v1/licenses/{id}", status: 0 })
    assert.deepInclude(shown.attributes, {
      "url.path": `/api/v1/licenses/${license.id}`,
      "http.response.status_code": 400,
      "countersign.code": "INVALID_QUERY"
    })
    const lost = await spanOf(collector, await service.call("GET", `/api/v1/licenses/${key}`))
    assert.deepInclude(lost.attributes, { "url.path": "/api/v1/licenses/{id}", "countersign.code": "NOT_FOUND" })
    assert.strictEqual(lost.status, 0)
    const nowhere = await spanOf(collector, await service.call("GET", `/${key}`))
    assert.strictEqual(nowhere.name, "GET")
    assert.notProperty(nowhere.attributes, "url.path")

    const suspended = await service.call("POST", `/api/v1/licenses/${license.id}/suspend`, { body: {} })
    assert.strictEqual(suspended.status, 200, suspended.text)
    const refused = await service.license("validate", key, { fingerprint: "device-of-the-trace" })
    assert.strictEqual(refused.body.error.code, "LICENSE_INACTIVE")
    const refusal = await spanOf(collector, refused)
    assert.deepInclude(refusal.attributes, { "countersign.code": "LICENSE_INACTIVE", "http.response.status_code": 403 })
    for (const span of [refusal, ...below(collector, refusal)]) assert.strictEqual(span.status, 0, span.name)

    for (const { attributes, name } of collector.spans) {
      assert.isUndefined(
        Object.keys(attributes).find((one) => /query|user_agent|client\.|stack|message/.test(one)),
        name
      )
    }
    assert.isTrue(
      collector.exports.every(({ headers, path }) =>
        path === "/v1/traces" && headers["content-type"] === "application/x-protobuf" &&
        headers["x-tenant"] === "sesame one"
      )
    )
    for (const secret of [key, adminToken, "device-of-the-trace", "sesame"]) {
      assert.isFalse(collector.exports.some(({ body }) => body.includes(secret)), secret)
      assert.notInclude(service.logs(), secret)
    }
  })

  it("lead from the request that caused an event to the delivery that carried it", async () => {
    const collector = await startCollector()
    const service = await traced(collector, { OTEL_EXPORTER_OTLP_PROTOCOL: "http/json" })
    const target = await startReceiver()
    target.respond = (response, { headers }) =>
      response.writeHead(
        headers["x-service-delivery-id"] === target.received[0]!.headers["x-service-delivery-id"] &&
          target.received.length === 1
          ? 500
          : 200
      ).end()
    const { webhook } = await service.data("POST", "/api/v1/webhooks", {
      name: "Traced",
      url: `${target.url}?secret=of-the-receiver`,
      event_types: ["product.created"]
    })
    const first = await spanOf(collector, await makeProduct(service, `00-${traceId}-${spanId}-01`))
    const second = await spanOf(collector, await makeProduct(service))
    // The first caller had a trace of its own, which goes on; the second one's begins with the request.
    assert.deepInclude(first, { traceId, parentSpanId: spanId })
    assert.notStrictEqual(second.traceId, traceId)

    const deliveries = await eventually("every attempt is traced", () => {
      const found = collector.spans.filter(({ name }) => name === "POST webhook")
      return found.length === 3 && found
    })
    for (const delivery of deliveries) {
      const isFailed = delivery.attributes["http.response.status_code"] === 500
      assert.deepInclude(delivery, { kind: 3, parentSpanId: "", status: isFailed ? 2 : 0 })
      assert.deepInclude(delivery.attributes, {
        "http.request.method": "POST",
        "server.address": "127.0.0.1",
        "server.port": target.port,
        "webhook.endpoint": webhook.id
      })
      assert.strictEqual(delivery.attributes["error.type"], isFailed ? "500" : undefined)
    }
    // Each attempt tells its receiver of its own span, and of nobody else's trace.
    assert.sameMembers(
      target.received.map(({ headers }) => headers["traceparent"]),
      deliveries.map(({ spanId, traceId }) => `00-${traceId}-${spanId}-01`)
    )
    const failed = deliveries.find(({ status }) => status === 2)
    const again = deliveries.filter(({ attributes }) => attributes["http.request.resend_count"] === 1)
    assert.deepStrictEqual(
      again.map(({ attributes }) => attributes["webhook.delivery"]),
      [failed!.attributes["webhook.delivery"]]
    )
    for (const [index, request] of [first, second].entries()) {
      const own = deliveries.filter(({ links }) => links.some((link) => link.spanId === request.spanId))
      assert.lengthOf(own, index === 0 ? 2 : 1)
      for (const { links, traceId } of own) {
        assert.strictEqual(links[0]!.traceId, request.traceId)
        assert.notStrictEqual(traceId, request.traceId, "a trace of its own, that may be days later")
      }
    }
    assert.isTrue(collector.exports.every(({ headers }) => headers["content-type"] === "application/json"))
    assert.isFalse(collector.exports.some(({ body }) => body.includes("of-the-receiver")))
  })

  it("are of requests alone, and of those that the sampler keeps", async () => {
    const collector = await startCollector()
    const service = await traced(collector, {
      OTEL_TRACES_SAMPLER: "parentbased_traceidratio",
      OTEL_TRACES_SAMPLER_ARG: "0.25"
    })
    const begun = process.uptime()
    const id = () => randomBytes(16).toString("hex")
    const under = await Promise.all(Array.from({ length: 8 }, () => makeProduct(service, `00-${id()}-${spanId}-01`)))
    const apart = await Promise.all(Array.from({ length: 8 }, () => makeProduct(service, `00-${id()}-${spanId}-00`)))
    const alone = await Promise.all(Array.from({ length: 64 }, () => makeProduct(service)))
    for (const path of ["/healthz", "/readyz", "/metrics"]) {
      await service.call("GET", path, { token: null, headers: { traceparent: `00-${id()}-${spanId}-01` } })
    }
    // Sweepers, sequencer and cluster go on meanwhile: the leases alone are swept every two seconds.
    const { length } = await service.feed()
    assert.isAtLeast(length, 80)
    await eventually("the sweepers have run", () => process.uptime() > begun + 5)
    const last = await spanOf(collector, await makeProduct(service, `00-${id()}-${spanId}-01`))

    const requests = new Set(
      collector.spans.filter(({ kind }) => kind === 2).map(({ attributes }) => attributes["countersign.request_id"])
    )
    const kept = (answers: ReadonlyArray<Answer>) =>
      answers.filter(({ headers }) => requests.has(headers["x-request-id"] as string)).length
    assert.strictEqual(kept(under), 8)
    assert.strictEqual(kept(apart), 0)
    // Within six standard deviations of 64 draws.
    assert.isAbove(kept(alone), 0)
    assert.isBelow(kept(alone), 40)
    assert.isTrue(requests.has(last.attributes["countersign.request_id"] as string))
    const roots = collector.spans.filter(({ parentSpanId }) => parentSpanId === "")
    assert.isTrue(roots.every(({ kind }) => kind === 2), "nothing but requests begins a trace")
    const known = new Set(collector.spans.filter(({ kind }) => kind === 2).map(({ traceId }) => traceId))
    assert.isTrue(collector.spans.every(({ traceId }) => known.has(traceId)))
    const paths = new Set(
      collector.spans.filter(({ kind }) => kind === 2).map(({ attributes }) => attributes["url.path"])
    )
    for (const path of paths) assert.include(["/api/v1/events", "/api/v1/products"], path)
    const line = await eventually(
      "its line",
      () =>
        service.logs().split("\n").filter((line) => line.includes("\"message\":\"request\"")).map((line) =>
          JSON.parse(line)
        ).find(({ annotations }) => annotations.request_id === last.attributes["countersign.request_id"])
    )
    assert.strictEqual(line.annotations.trace_id, last.traceId)
  })

  it("wait for a collector that is away without slowing requests or flooding the log", async () => {
    const collector = await startCollector()
    // It never answers, then it refuses for a while, then it takes them.
    collector.respond = () => {}
    const service = await traced(collector, {
      OTEL_EXPORTER_OTLP_TIMEOUT: "200",
      OTEL_BSP_MAX_QUEUE_SIZE: "20",
      OTEL_BSP_MAX_EXPORT_BATCH_SIZE: "10"
    })
    for (let count = 0; count < 20; count++) assert.strictEqual((await makeProduct(service)).status, 201)
    const about = () => service.logs().split("\n").filter((line) => line.includes("traces "))
    await eventually("the log says so", () => about().length > 0)
    assert.lengthOf(about(), 1)
    assert.include(about()[0], `traces do not reach ${new URL(collector.url).host}: the collector does not respond`)

    collector.respond = (response) => response.writeHead(503, { "retry-after": "0" }).end()
    await makeProduct(service)
    collector.respond = undefined
    await eventually("the spans that waited arrive", () => collector.spans.length >= 20)
    await eventually("the log says so", () => about().length === 2)
    const back = JSON.parse(about()[1]!)
    assert.include(back.message, "again")
    assert.isAbove(back.annotations.spans_lost, 0)
    await spanOf(collector, await makeProduct(service))
  })
})
