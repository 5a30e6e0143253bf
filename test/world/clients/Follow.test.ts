import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Redacted, Stream } from "effect"
import { randomUUID } from "node:crypto"
import { existsSync, readFileSync } from "node:fs"
import { join } from "node:path"
import { Countersign, followEvents } from "../../../src/client/effect/index.ts"
import type { Followed, FollowOptions } from "../../../src/client/effect/index.ts"
import { runCommand } from "../../fixtures/CommandLine.ts"
import { freePort } from "../../fixtures/FreePort.ts"
import { temporaryDirectory } from "../../fixtures/Program.ts"
import { adminToken, masterKey, startService } from "../../fixtures/Service.ts"
import type { Service } from "../../fixtures/Service.ts"
import { atEnd, copyDatabase, database, eventually } from "../../fixtures/Session.ts"

const port = String(await freePort())
const baseUrl = `http://127.0.0.1:${port}`
const witness = join(temporaryDirectory(), "witness.note")

/** A service at the one address that followers know. */
const startAt = (databaseUrl: string) =>
  startService({ databaseUrl, as: "program", environment: { PORT: port, COUNTERSIGN_WITNESS: witness } })

const products = async (service: Service, count: number) => {
  for (let index = 0; index < count; index++) {
    await service.data("POST", "/api/v1/products", { name: "a", code: randomUUID() })
  }
}

/** Follows in the background; answers what was found so far. */
const following = (options: FollowOptions = {}, token = adminToken) => {
  const found: Array<Followed> = []
  let failure: unknown
  const fiber = Effect.runFork(
    followEvents({ interval: 20, ...options }).pipe(
      Stream.runForEach((item) => Effect.sync(() => void found.push(item))),
      Effect.tapError((error) => Effect.sync(() => (failure = error))),
      Effect.provide(Countersign.layer({ baseUrl, token: Redacted.make(token) }))
    )
  )
  const stop = () => Effect.runPromise(Fiber.interrupt(fiber))
  atEnd(stop)
  return {
    found,
    failure: () => failure,
    stop,
    sequences: () => found.flatMap((item) => item._tag === "Event" ? [item.event.sequence] : [])
  }
}

const upTo = (last: number, first = 1) => Array.from({ length: last - first + 1 }, (_, index) => first + index)

describe("following the feed", () => {
  it("shows each event once and in order, over a service that is killed, and over the end of an epoch", async () => {
    const [original, restored] = [await database(), await database()]
    const first = await startAt(original)
    await products(first, 3)
    const early = (await first.feed()).length
    const follower = following()
    await eventually("it has read all", () => follower.sequences().length === early)

    await first.kill("SIGKILL")
    await first.start()
    await products(first, 2)
    const backup = (await first.feed()).length
    await eventually("it goes on", () => follower.sequences().length === backup)
    assert.deepStrictEqual(follower.sequences(), upTo(backup))
    await first.stop()
    await copyDatabase(original, restored)

    const second = await startAt(original)
    await products(second, 5)
    const lost = (await second.feed()).length
    await eventually("it goes on after a stop", () => follower.sequences().length === lost)
    assert.deepStrictEqual(follower.sequences(), upTo(lost))
    const last = follower.found.at(-1)!
    // What the witness does not know cannot be missed.
    await eventually(
      "the witness keeps a checkpoint over all",
      () => existsSync(witness) && Number(readFileSync(witness, "utf8").split("\n")[1]) >= lost
    )
    await second.stop()

    const begun = await runCommand(["restore", "--new-epoch", "--reason", "disk lost"], {
      DATABASE_URL: restored,
      COUNTERSIGN_MASTER_KEY: masterKey,
      COUNTERSIGN_ADMIN_TOKEN: adminToken,
      COUNTERSIGN_WITNESS: witness
    })
    assert.strictEqual(begun.status, 0, begun.errors)
    const third = await startAt(restored)
    await products(third, 1)
    const feed = await third.feed()
    await eventually("it goes on in the new epoch", () => {
      const item = follower.found.at(-1)
      return item?._tag === "Event" && item.event.id === feed.at(-1)!.id
    })
    const after = follower.found.slice(lost)
    assert.strictEqual(after[0]?._tag, "Restored")
    assert.match(after[0]?._tag === "Restored" ? after[0].detail : "", new RegExp(`events after ${backup} `))
    assert.deepStrictEqual(
      after.slice(1).map((item) => item._tag === "Event" ? item.event.id : item._tag),
      feed.slice(backup).map(({ id }) => id)
    )
    assert.isUndefined(follower.failure())
    await follower.stop()

    // Whoever kept the cursor of an event goes on after it: of the epoch that is, and of the one that was.
    const kept = after.at(-2)!
    const again = following({ cursor: kept.cursor })
    await eventually("it has the rest", () => again.found.length === 1)
    assert.deepStrictEqual(again.sequences(), [feed.at(-1)!.sequence])
    const old = following({ cursor: last.cursor })
    await eventually("it is told", () => old.found.length > 1)
    assert.strictEqual(old.found[0]?._tag, "Restored")
    await Promise.all([again.stop(), old.stop()])

    const narrow = following({ event_type: "log.epoch_started" })
    await eventually("it has the one", () => narrow.found.length === 1)
    const nobody = following({}, "not-a-token-that-anybody-has-0123456789")
    await eventually("it fails", () => nobody.failure())
    assert.include(nobody.failure(), { _tag: "UNAUTHENTICATED" })
  })
})
