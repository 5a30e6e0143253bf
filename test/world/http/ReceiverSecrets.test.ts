// What a URL of a receiver holds in its path and query is a secret of the receiver: it stands nowhere that others read.
import { assert, describe, it } from "@effect/vitest"
import { randomBytes, randomUUID } from "node:crypto"
import { startCollector } from "../../fixtures/Collector.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { examine } from "../../fixtures/Doctor.ts"
import { startReceiver } from "../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Body } from "../../fixtures/Session.ts"
import { eventually, session } from "../../fixtures/Session.ts"

const slow = 120_000

describe("the secret in the URL of a receiver", () => {
  it(
    "is in no log, trace, metric, event, health, finding or list, however deliveries end",
    { timeout: slow },
    async () => {
      const secret = `sesame${randomBytes(12).toString("hex")}`
      const collector = await startCollector()
      const service = await startService({
        altered: ["webhook url"],
        environment: {
          OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
          OTEL_EXPORTER_OTLP_PROTOCOL: "http/json",
          OTEL_BSP_SCHEDULE_DELAY: "100",
          COUNTERSIGN_LOG_LEVEL: "debug"
        }
      })
      const target = await startReceiver()
      target.respond = (response, { path }) => {
        if (path.includes("/hang")) return
        const status = path.includes("/fail")
          ? 500
          : path.includes("/redirect")
          ? 307
          : path.includes("/gone")
          ? 410
          : 200
        response.writeHead(status, { location: `/elsewhere/${secret}?token=${secret}` }).end(secret)
      }
      const origin = new URL(target.url).origin
      const places = ["succeed", "fail", "redirect", "gone", "hang"].map((name) => `${origin}/${name}`)
      // Nobody listens there, and no such name is known.
      const urls = [...places, "http://127.0.0.1:9/refused", "https://nobody.invalid/nameless"].map(
        (url) => `${url}/${secret}?token=${secret}`
      )
      const ids: Array<string> = []
      for (const url of urls) {
        const event_types = ["product.created", "webhook.*"]
        ids.push((await service.data("POST", "/api/v1/webhooks", { name: "r", url, event_types })).webhook.id)
      }
      await service.data("POST", "/api/v1/products", { name: "P", code: randomUUID() })
      const outcomes = await eventually("every endpoint was tried", async () => {
        const listed: ReadonlyArray<Body> = await service.data("GET", "/api/v1/webhooks")
        return listed.every(({ last_outcome }) => last_outcome !== undefined) &&
          new Map(listed.map(({ id, last_outcome }) => [id, last_outcome.class]))
      })
      assert.isAtLeast(new Set(outcomes.values()).size, 5, JSON.stringify([...outcomes]))
      await service.data("PATCH", `/api/v1/webhooks/${ids[1]}`, { url: `${origin}/moved/${secret}`, is_active: false })
      await service.data("DELETE", `/api/v1/webhooks/${ids[2]}`)
      await eventually("the attempts are traced", () => collector.spans.some(({ name }) => name === "POST webhook"))
      await eventually(
        "the disabled one is told",
        async () => (await service.feed("&event_type=webhook.disabled")).length > 0
      )
      const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
      const command = async (...args: ReadonlyArray<string>) => {
        const { errors, output } = await runCommand(args, environment)
        return output + errors
      }
      const text = async (path: string) => (await service.call("GET", path)).text
      const sql = await session(service.databaseUrl)
      await sql.query("UPDATE webhook_endpoints SET url = $2 WHERE id = $1", [
        ids[0],
        `https://other.example/${secret}`
      ])
      const { found } = await examine(service.databaseUrl)
      assert.isAbove(found.length, 0, "the doctor sees another origin")
      const told: Readonly<Record<string, string>> = {
        log: service.logs(),
        traces: JSON.stringify(collector.spans),
        events: JSON.stringify(await service.feed()),
        activities: await text("/api/v1/activities?limit=200"),
        metrics: (await service.call("GET", "/metrics", { headers: { accept: "text/plain" } })).text,
        health: await text("/api/v1/ops/webhook-health"),
        deliveries: target.received.map(({ body }) => body).join("\n"),
        doctor: JSON.stringify(found),
        list: await command("webhooks", "list"),
        "health of the command line": await command("webhooks", "health"),
        tail: await command("events", "tail", "--no-follow", "--json")
      }
      for (const [where, said] of Object.entries(told)) {
        assert.isAbove(said.length, 20, where)
        assert.notInclude(said, secret, where)
      }
      assert.include(told["list"]!, `${origin}/***`)
    }
  )
})
