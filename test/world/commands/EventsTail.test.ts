import { assert, describe, it } from "@effect/vitest"
import { randomUUID } from "node:crypto"
import { createServer } from "node:net"
import { freePort } from "../../fixtures/FreePort.ts"
import { launch } from "../../fixtures/Program.ts"
import { adminToken, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { eventually } from "../../fixtures/Session.ts"

/** Somebody else at the port of the service: waits until a caller has come, hangs up, and leaves. */
const turnsAway = (port: number) =>
  new Promise<void>((resolve, reject) => {
    const server = createServer((socket) => {
      socket.on("error", () => {}).destroy()
      server.close(() => resolve())
    })
    server.once("error", reject)
    server.listen(port, "127.0.0.1")
  })

/** Makes products one after the other until the service is gone; `enough` resolves after some. */
const writing = (service: Service) => {
  let made = 0
  const gone = (async () => {
    for (;;) {
      const code = randomUUID()
      const answer = await service.call("POST", "/api/v1/products", { body: { name: code, code } }).catch(() =>
        undefined
      )
      if (answer === undefined) return made
      assert.strictEqual(answer.status, 201, answer.text)
      made += 1
    }
  })()
  return { enough: eventually("something is written", () => made >= 5), gone }
}

describe("countersign events tail --follow", () => {
  it("misses nothing and repeats nothing while the service is killed and started again, and ends with Ctrl-C", async () => {
    const port = await freePort()
    const service = await startService({ environment: { PORT: String(port) } })
    await service.issue()
    const tail = launch(["src/runtime/cli.ts", "events", "tail", "--follow", "--from", "0", "--json"], {
      COUNTERSIGN_URL: service.url,
      COUNTERSIGN_TOKEN: adminToken
    })
    const printed = () => tail.output().split("\n").slice(0, -1).map((line) => JSON.parse(line))
    await eventually("it has printed what there was", () => printed().length > 0)

    for (let round = 0; round < 2; round++) {
      const { enough, gone } = writing(service)
      await enough
      await service.kill("SIGKILL")
      assert.isAtLeast(await gone, 5)
      await turnsAway(port)
      await service.start()
      await service.issue()
    }

    const feed = await service.feed()
    await eventually("it has come to the end of the feed", () => printed().some(({ id }) => id === feed.at(-1).id))
    assert.deepStrictEqual(printed().map(({ cursor: _cursor, ...event }) => event), feed)
    assert.deepStrictEqual(printed().map(({ cursor }) => cursor), feed.map(({ sequence }) => sequence))
    assert.strictEqual(await tail.interrupt(), 0)
    assert.strictEqual(tail.errors(), "")
    assert.lengthOf(printed(), feed.length)
  })
})
