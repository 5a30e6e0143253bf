import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { spawn } from "node:child_process"
import { once } from "node:events"
import { createInterface } from "node:readline"
import { fileURLToPath } from "node:url"
import { until } from "../fixtures/Delivery.ts"
import { freshDatabase } from "../fixtures/Postgres.ts"
import { receiver } from "../fixtures/Receiver.ts"

const script = fileURLToPath(new URL("../fixtures/deliveryNode.ts", import.meta.url))
const kills = Number(process.env["KILLS"] ?? 20)

describe("trap 4: kill -9 between commit and dispatch", () => {
  it.live("loses nothing that was committed, and repeats no more than was in flight", () =>
    Effect.gen(function*() {
      const { url } = yield* freshDatabase
      const target = yield* receiver()
      const committed = new Set<number>()
      const numbers = () => target.received.map(({ body }) => JSON.parse(body).data.number as number)
      for (let round = 0; round <= kills; round++) {
        const first = (committed.size === 0 ? 0 : Math.max(...committed)) + 1000
        const child = spawn(process.execPath, [script, String(first), ...(round === 0 ? [target.url] : [])], {
          env: { ...process.env, DATABASE_URL: url },
          stdio: ["ignore", "pipe", "inherit"]
        })
        createInterface(child.stdout).on("line", (line) => committed.add(Number(line)))
        const before = committed.size
        const exited = once(child, "exit")
        yield* until("the node works", () => committed.size > before + 20)
        // The last one lives until all is delivered; the others die somewhere in the middle of their work.
        if (round < kills) yield* Effect.sleep(Math.random() * 300)
        else {
          const all = () => {
            const arrived = new Set(numbers())
            return [...committed].slice(0, -50).every((number) => arrived.has(number))
          }
          yield* until("everything committed before arrives", all)
        }
        child.kill("SIGKILL")
        yield* Effect.promise(() => exited)
      }
      const arrived = numbers()
      const distinct = new Set(arrived)
      const lost = [...committed].slice(0, -50).filter((number) => !distinct.has(number))
      const repeated = arrived.length - distinct.size
      yield* Effect.log(
        `events ${committed.size}, kills ${kills}, delivered ${distinct.size}, repeated ${repeated}, lost ${lost.length}`
      )
      assert.deepStrictEqual(lost, [])
      // What arrived and was not written when the node died: at most what a lane holds unwritten, and in flight.
      assert.isAtMost(repeated, kills * 138)
    }).pipe(Effect.scoped), 600_000)
})
