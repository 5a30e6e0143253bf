import { assert, describe, it } from "@effect/vitest"
import { Ajv2019 } from "ajv/dist/2019.js"
import { Clock, Duration, Effect } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { Webhook } from "standardwebhooks"
import { fetchHandler, Receiver } from "../../../../src/client/webhooks/index.ts"
import { headerNames } from "../../../../src/domain/delivery/webhooks/WebhookSignature.ts"
import { runCommand } from "../../../fixtures/CommandLine.ts"
import { temporaryDirectory } from "../../../fixtures/Program.ts"
import { startReceiver } from "../../../fixtures/Receiver.ts"
import type { Received } from "../../../fixtures/Receiver.ts"
import { adminToken, startService } from "../../../fixtures/Service.ts"
import { eventually } from "../../../fixtures/Session.ts"

const service = await startService()
const environment = { COUNTERSIGN_URL: service.url, COUNTERSIGN_TOKEN: adminToken }
const real = await startReceiver()
const local = await startReceiver()
const secret = `whsec_${Buffer.alloc(32, 9).toString("base64")}`
const secretFile = join(temporaryDirectory(), "hook.secret")
writeFileSync(secretFile, `${secret}\n`)

await service.data("POST", "/api/v1/webhooks", { name: "Real", url: real.url, secret })
const { license } = await service.issue({ license: { customer_email: "ada@example.com", customer_name: "Ada ✓" } })
for (const change of ["suspend", "reinstate"]) await service.data("POST", `/api/v1/licenses/${license.id}/${change}`)
// Without --follow a command ends with the feed as it is: what was committed must be in it.
await service.feed()

/** The waits of a command, in seconds, none of which is waited for. */
const hurried = () => {
  const waits: Array<number> = []
  const real = Effect.runSync(Clock.Clock)
  const clock: Clock.Clock = Object.assign(Object.create(real), {
    sleep: (duration: Duration.Duration) => Effect.sync(() => void waits.push(Duration.toSeconds(duration)))
  })
  return { waits, clock }
}

const listenBy = (clock: Clock.Clock | undefined, ...args: ReadonlyArray<string>) =>
  runCommand(
    [
      "webhooks",
      "listen",
      "--forward-to",
      local.url,
      "--secret-file",
      secretFile,
      "--from",
      "0",
      "--no-follow",
      ...args
    ],
    environment,
    clock
  )
const listen = (...args: ReadonlyArray<string>) => listenBy(undefined, ...args)

const type = ({ headers }: Received) => String(headers[headerNames.type.toLowerCase()])

/** What differs from one delivery to the next, and by the address it goes to. */
const own = new Set(["host", "webhook-id", "webhook-timestamp", "webhook-signature"])
const stable = ({ headers }: Received) =>
  Object.fromEntries(
    Object.entries(headers).filter(([name]) => !own.has(name) && !/signature|delivery-id/.test(name))
  )

describe("countersign webhooks listen", () => {
  it("sends the bytes and headers of a real delivery, signed as both verifiers ask", async () => {
    const { errors, output, status } = await listen("--json")
    assert.strictEqual(status, 0, errors)
    assert.notInclude(errors, secret)
    await eventually(
      "the real deliveries are there",
      () => real.received.some((it) => type(it) === "license.reinstated")
    )
    for (const delivered of real.received) {
      const same = local.received.find(({ body }) => body === delivered.body)
      assert.isDefined(same, delivered.body)
      assert.deepStrictEqual(stable(same!), stable(delivered))
    }
    assert.includeMembers(local.received.map(type), ["license.created", "license.suspended", "license.reinstated"])
    const handled: Array<string> = []
    const receiver = new Receiver({ secrets: secret, handle: async (event) => void handled.push(event.id) })
    const handler = fetchHandler(receiver)
    for (const { body, headers } of local.received) {
      const plain = headers as Record<string, string>
      assert.doesNotThrow(() => new Webhook(secret).verify(body, plain))
      assert.throws(() => new Webhook(secret).verify(`${body} `, plain))
      const answer = await handler(new Request(local.url, { method: "POST", body, headers: plain }))
      assert.isTrue(answer.ok, String(answer.status))
    }
    assert.deepStrictEqual(handled, [...local.eventIds()])
    const lines = output.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(lines.map(({ event_id }) => event_id), [...local.eventIds()])
    for (const line of lines) assert.deepInclude(line, { attempt: 1, status: 200 })
  })

  it("sends only the kinds that are wanted, and exits 1 when one is not taken", async () => {
    local.received.length = 0
    local.respond = (response) => response.writeHead(500).end()
    const { errors, output, status } = await listen("--events", "license.suspended", "--retries", "0")
    assert.strictEqual(status, 1, errors)
    assert.deepStrictEqual(local.received.map(type), ["license.suspended"])
    assert.match(output, /^license\.suspended +dlv_\w+ {2}500 {2}\d+ ms\n$/)
  })

  it("repeats what is not taken as often as --retries says, with the waits of a delivery, and keeps the order", async () => {
    local.received.length = 0
    const tries = new Map<string, number>()
    local.respond = (response, { body }) => {
      const { id } = JSON.parse(body)
      tries.set(id, (tries.get(id) ?? 0) + 1)
      if (tries.get(id) === 1) response.destroy()
      else response.writeHead(tries.get(id) === 2 ? 503 : 204).end()
    }
    const { clock, waits } = hurried()
    const { errors, output, status } = await listenBy(clock, "--events", "license.*", "--retries", "2", "--json")
    assert.strictEqual(status, 0, errors)
    assert.deepStrictEqual(
      local.received.map(type),
      ["license.created", "license.suspended", "license.reinstated"].flatMap((kind) => [kind, kind, kind])
    )
    assert.deepStrictEqual(waits, [5, 30, 5, 30, 5, 30])
    const lines = output.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(lines.map(({ attempt, status }) => [attempt, status]).slice(0, 3), [
      [1, undefined],
      [2, 503],
      [3, 204]
    ])
    assert.lengthOf(new Set(lines.map(({ delivery_id }) => delivery_id)), 3, "an attempt more is the same delivery")
    assert.match(lines[0].error, /other side closed|UND_ERR_SOCKET|ECONNRESET/)
  })

  it("gives up each one that the retries did not help, goes on with the next, and exits 1", async () => {
    local.received.length = 0
    local.respond = (response, received) => response.writeHead(type(received) === "license.suspended" ? 500 : 200).end()
    const { clock, waits } = hurried()
    const { output, status } = await listenBy(clock, "--events", "license.*", "--retries", "3")
    assert.strictEqual(status, 1)
    const refused = Array.from({ length: 4 }, () => "license.suspended")
    assert.deepStrictEqual(local.received.map(type), ["license.created", ...refused, "license.reinstated"])
    assert.deepStrictEqual(waits, [5, 30, 120])
    assert.match(output, /500 {2}\d+ ms, again in 5 s\n.*again in 30 s\n.*again in 120 s\n.*500 {2}\d+ ms\n/)
  })

  it.each([
    [["--events", "license.suspendd"], "Did you mean license.suspended?"],
    [["--forward-to", "localhost"], "--forward-to must be an HTTP or HTTPS URL"],
    [["--secret-file", "/dev/null/none"], "--secret-file cannot be read"]
  ])("%j is wrong usage", async (args, problem) => {
    const given = ["--forward-to", local.url].filter((_, index) => args[0] !== "--forward-to" || index > 1)
    const { errors, status } = await runCommand(["webhooks", "listen", ...given, ...args], environment)
    assert.strictEqual(status, 2)
    assert.include(errors, problem)
  })
})

const rfc3339 = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/

/** The rules of CloudEvents 1.0 for the JSON format: required attributes, their types, and the names of extensions. */
const isCloudEvent = new Ajv2019({
  strict: false,
  formats: { "date-time": rfc3339, "uri-reference": /^urn:[a-z0-9]+:[a-z]+$/ }
}).compile({
  type: "object",
  required: ["id", "source", "specversion", "type"],
  properties: {
    id: { type: "string", minLength: 1 },
    source: { type: "string", format: "uri-reference", minLength: 1 },
    specversion: { const: "1.0" },
    type: { type: "string", minLength: 1 },
    subject: { type: "string", minLength: 1 },
    time: { type: "string", format: "date-time" },
    datacontenttype: { const: "application/json" },
    data: { type: "object" }
  },
  propertyNames: { pattern: "^[a-z0-9]+$" },
  additionalProperties: { type: ["boolean", "integer", "string"] }
})

describe("countersign events tail", () => {
  it("prints the feed as it is, with cursors, and goes on from one", async () => {
    const feed = await service.feed()
    const { errors, output, status } = await runCommand(
      ["events", "tail", "--from", "0", "--no-follow", "--json"],
      environment
    )
    assert.strictEqual(status, 0, errors)
    const lines = output.trim().split("\n").map((line) => JSON.parse(line))
    assert.deepStrictEqual(lines.slice(0, feed.length).map(({ cursor: _cursor, ...event }) => event), feed)
    const from = String(lines.at(-3).cursor)
    const rest = await runCommand(["events", "tail", "--from", from, "--no-follow"], environment)
    assert.lengthOf(rest.output.trim().split("\n"), 2)
    const { output: told } = await runCommand(
      ["events", "tail", "--from", "0", "--no-follow", "--cloudevents"],
      environment
    )
    const cloudEvents = told.trim().split("\n").map((line) => JSON.parse(line))
    for (const [index, event] of cloudEvents.slice(0, feed.length).entries()) {
      assert.isTrue(isCloudEvent(event), JSON.stringify(isCloudEvent.errors))
      assert.deepInclude(event, { id: feed[index].id, type: feed[index].event_type, data: feed[index].data })
    }
    const last = await runCommand(["events", "tail", "--last", "1", "--kind", "license.*", "--no-follow"], environment)
    assert.match(last.output, /license\.reinstated +lic_\w+ +by /)
  })
})
