import { assert, describe, it } from "@effect/vitest"
import { connect } from "node:net"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { database, eventually, session } from "../../fixtures/Session.ts"
import type { Body } from "../../fixtures/Session.ts"
import { takeTurns } from "../../fixtures/Share.ts"

takeTurns()

const linesOf = (service: Service): ReadonlyArray<Body> =>
  service.logs().split("\n").filter((line) => line.includes("\"message\":\"request\"")).map((line) => JSON.parse(line))

/** The line of a request, once it is written. */
const lineOf = (service: Service, requestId: unknown): Promise<Body> =>
  eventually(
    `a line of ${requestId}`,
    () => linesOf(service).find(({ annotations }) => annotations.request_id === requestId)
  )

/** What a scrape says of the requests of a route. */
const counted = async (service: Service, labels: string): Promise<number> => {
  const { text } = await service.call("GET", "/metrics", { token: null })
  const line = text.split("\n").find((line) =>
    line.startsWith("http_server_request_duration_seconds_count") && line.includes(labels)
  )
  return Number(line?.split(" ").at(-1) ?? 0)
}

describe("the log of requests", () => {
  it("says who asked what, how it ended and how long it took, and nothing secret", async () => {
    const service = await startService()
    const { key, license } = await service.issue()

    const made = await service.call("POST", "/api/v1/products", { body: { name: "Log", code: "log-product" } })
    const line = await lineOf(service, made.headers["x-request-id"])
    assert.strictEqual(line.level, "INFO")
    assert.match(line.timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const { ms, ...annotations } = line.annotations
    assert.isAbove(ms, 0)
    assert.deepStrictEqual(annotations, {
      method: "POST",
      route: "/api/v1/products",
      status: 201,
      request_id: made.headers["x-request-id"],
      principal: "api_key",
      principal_id: "bootstrap",
      bytes_in: JSON.stringify({ name: "Log", code: "log-product" }).length,
      bytes_out: Buffer.byteLength(made.text)
    })

    const shown = await service.call("GET", `/api/v1/licenses/${license.id}`)
    assert.strictEqual(
      (await lineOf(service, shown.headers["x-request-id"])).annotations.route,
      "/api/v1/licenses/{id}"
    )

    const trace = "4bf92f3577b34da6a3ce929d0e0e4736"
    for (const operation of ["activate", "validate", "validate"]) {
      const answer = await service.license(operation, key, { fingerprint: "device-of-the-log" }, {
        traceparent: `00-${trace}-00f067aa0ba902b7-01`
      })
      assert.strictEqual(answer.status, 200)
      const { annotations } = await lineOf(service, answer.headers["x-request-id"])
      assert.deepInclude(annotations, {
        route: `/api/v1/license/${operation}`,
        status: 200,
        principal: "license",
        principal_id: license.id,
        trace_id: trace,
        bytes_out: Buffer.byteLength(answer.text)
      })
    }

    const refused = [
      await service.call("GET", "/api/v1/products", { token: "csk_wrong-and-secret" }),
      await service.call("POST", "/api/v1/license/validate", {
        licenseKey: `${key.slice(0, -1)}${key.endsWith("A") ? "B" : "A"}`,
        body: { fingerprint: "device-of-the-log" }
      }),
      await service.call("GET", "/api/v1/products/prod_none"),
      await service.call("GET", `/${key}`),
      await service.call("POST", "/api/v1/products", { raw: "{" })
    ]
    for (const answer of refused) {
      const { annotations } = await lineOf(service, answer.headers["x-request-id"])
      assert.deepInclude(annotations, { status: answer.status, code: answer.body.error.code })
      if (answer === refused[0] || answer === refused[1]) assert.notProperty(annotations, "principal")
    }
    assert.strictEqual(
      (await lineOf(service, refused[3]!.headers["x-request-id"])).annotations.route,
      "unmatched",
      "a path may hold anything"
    )

    assert.strictEqual(
      await counted(
        service,
        "http_request_method=\"POST\",http_route=\"/api/v1/license/validate\",http_response_status_code=\"200\""
      ),
      2
    )
    const { text } = await service.call("GET", "/metrics", { token: null })
    assert.match(text, /^countersign_unauthenticated_total\{[^\n]*reason="unauthenticated"[^\n]*\} 1$/m)
    assert.match(text, /^countersign_unauthenticated_total\{[^\n]*reason="token_revoked"[^\n]*\} 0$/m)

    for (const secret of [key, adminToken, "csk_wrong-and-secret", "device-of-the-log"]) {
      assert.notInclude(service.logs(), secret)
    }
    assert.notInclude(service.logs(), "\"route\":\"/metrics\"", "probes are for debugging")
  })

  it("names the operation and the ids of a request that fails, and nothing else that stands in its path", async () => {
    const databaseUrl = await database()
    const service = await startService({ databaseUrl })
    const { key, license } = await service.issue()
    const sql = await session(databaseUrl)
    await sql.query("ALTER TABLE licenses RENAME TO licenses_away")
    for (const [sent, path] of [[license.id, license.id], [key, "{id}"]]) {
      const { headers, status, text } = await service.call("GET", `/api/v1/licenses/${sent}`)
      assert.strictEqual(status, 500, text)
      const id = headers["x-request-id"]
      const written = await eventually(
        `a line of ${id}`,
        () => service.logs().split("\n").find((line) => line.includes("request failed") && line.includes(String(id)))
      )
      assert.deepInclude(JSON.parse(written).annotations, { method: "GET", path: `/api/v1/licenses/${path}` })
    }
    await sql.query("ALTER TABLE licenses_away RENAME TO licenses")
    assert.notInclude(service.logs(), key)
  })

  it("knows requests that the door refuses, and callers that went away", async () => {
    const service = await startService({ environment: { COUNTERSIGN_LOG_LEVEL: "debug" } })
    const { hostname, port } = new URL(service.url)
    const said = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(port), hostname, () => socket.write("GET /api/v1/products HTTP/1.1\r\n\r\n"))
      let text = ""
      socket.on("data", (chunk: Buffer) => {
        text += chunk.toString()
        if (text.includes("\"meta\"")) socket.destroy()
      })
      socket.once("close", () => resolve(text)).once("error", reject)
    })
    const id = /x-request-id: (\S+)/i.exec(said)?.[1]
    assert.deepInclude((await lineOf(service, id)).annotations, { status: 400, code: "INVALID_HEADER" })

    await new Promise<void>((resolve, reject) => {
      const head =
        `POST /api/v1/products HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\nAuthorization: Bearer ${adminToken}\r\n\r\n{`
      const socket = connect(Number(port), hostname, () => socket.write(head, () => socket.destroy()))
      socket.once("close", () => resolve()).once("error", reject)
    })
    await eventually(
      "the caller that went away has a line",
      () =>
        linesOf(service).find(({ annotations }) =>
          annotations.status === 499 || annotations.status === 400 &&
            annotations.method === "POST"
        )
    )

    await service.call("GET", "/healthz", { token: null })
    const probe = await eventually(
      "at debug, probes have lines too",
      () => linesOf(service).find(({ annotations }) => annotations.route === "/healthz")
    )
    assert.strictEqual(probe.level, "DEBUG")
  })

  it("is silent above info", async () => {
    const service = await startService({ as: "host", environment: { COUNTERSIGN_LOG_LEVEL: "warn" } })
    for (let count = 0; count < 3; count++) await service.call("GET", "/api/v1/products")
    await service.kill("SIGTERM")
    assert.deepStrictEqual(linesOf(service), [])
  })
})
