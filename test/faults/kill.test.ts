import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { join } from "node:path"
import { setTimeout as delay } from "node:timers/promises"
import { inDirectory, role, running } from "../../src/runtime/postgres/PostgresCluster.ts"
import { faultTimeout, isLong } from "../fixtures/FaultForm.ts"
import { Ledger } from "../fixtures/Ledger.ts"
import { startLoad } from "../fixtures/Load.ts"
import { temporaryDirectory } from "../fixtures/Program.ts"
import { chance } from "../fixtures/Seeded.ts"
import { Service } from "../fixtures/Service.ts"
import { atEnd, eventually, hold, session } from "../fixtures/Session.ts"

/** With one in the short form, which kills once more before it kills a start. */
const kills = isLong ? 20 : 1
const killsWhileStarting = isLong ? 5 : 1
const killsBeforeTheCursor = isLong ? 5 : 1
const endpoints = isLong ? 8 : 3
/** After each answer of a client, in milliseconds. */
const pause = isLong ? 15 : 100

const chances = chance("kills")

/** A service on a database of its own, as `npm start` has it. The database outlives a kill, and ends with the file. */
const alone = async (): Promise<Service> => {
  const directory = temporaryDirectory()
  const postgres = join(directory, "postgres")
  atEnd(async () => {
    const cluster = await Effect.runPromise(inDirectory(directory))
    const server = running(cluster)
    if (server === undefined) return
    process.kill(server.pid, "SIGINT")
    await eventually("the database ends", () => running(cluster) === undefined)
  })
  return new Service(`postgres://${role}@localhost/${role}?host=${encodeURIComponent(postgres)}`, {
    DATABASE_URL: "",
    COUNTERSIGN_DATA_DIR: directory
  }).start()
}

describe("kill -9 of the service while events are written through the API", () => {
  it("loses nothing; repeats at most what was in flight or arrived and was not written", async (test) => {
    const service = await alone()
    const ledger = await Ledger.open()
    await ledger.subscribe(service, endpoints)
    const load = await startLoad([service], { clients: isLong ? 6 : 3, pause }, test)

    const killNow = async () => {
      await service.kill("SIGKILL")
      return ledger.fault()
    }

    for (let kill = 0; kill < kills; kill++) {
      // Every second kill finds deliveries in flight and later ones that have arrived; the lives between catch up.
      ledger.leaveUnanswered(kill % 2 === 0 ? 3 : 0)
      await ledger.more(chances.upTo(isLong ? 60 : 30))
      await killNow()
      await service.start()
    }

    ledger.leaveUnanswered(0)
    for (let kill = 0; kill < killsWhileStarting; kill++) {
      await ledger.more(5)
      await killNow()
      service.launch()
      await delay(chances.upTo(2_000))
      await killNow()
      await service.start()
    }

    const faults: Array<number> = []
    for (let kill = 0; kill < killsBeforeTheCursor; kill++) {
      ledger.leaveUnanswered(3)
      await ledger.more(5)
      // No cursor can be written from here on, and only now receivers answer what they have kept.
      const cursors = await hold(service.databaseUrl, "SELECT 1 FROM webhook_lanes FOR UPDATE")
      // What was kept may be what the life before had delivered already: that counts, too, as it is in no cursor either.
      const before = ledger.arrived
      ledger.leaveUnanswered(0)
      await eventually("what was kept arrives", () => ledger.arrived > before)
      await delay(chances.upTo(500))
      faults.push(await killNow())
      // What the dead service was writing must not be written after all.
      const ender = await session(service.databaseUrl)
      const waiting = () =>
        ender.query(
          "SELECT pg_terminate_backend(pid) FROM pg_stat_activity " +
            "WHERE datname = current_database() AND wait_event_type = 'Lock'"
        )
      await eventually("nobody waits for the cursors", async () => (await waiting()).length === 0)
      await ender.close()
      await cursors.release()
      await service.start()
    }

    await ledger.settle("kill -9", service, load)
    assert.isAtLeast(ledger.repeatsSince(faults[0]!), killsBeforeTheCursor, "what was not written came again")
  }, faultTimeout)
})
