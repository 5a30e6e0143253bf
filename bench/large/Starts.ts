import { Effect } from "effect"
import { medianOf } from "../harness/Distribution.ts"
import { startService } from "../harness/ServiceProcess.ts"
import type { Population } from "./Population.ts"
import type { Both, Row } from "./Sides.ts"

/** How many times a start of each is measured. */
const repetitions = 3

/** The most seconds that a start may take, its server's included. */
const asked = 2

/** Seconds from the start of a service until it is ready, on a server that runs. */
const timeToReady = ({ databaseUrl, directory }: Population) =>
  Effect.scoped(Effect.gen(function*() {
    const begin = performance.now()
    yield* startService(databaseUrl, directory, undefined)
    return (performance.now() - begin) / 1000
  }))

/** How long the service takes to start on both, in turns; nothing else may run on them. */
export const measureStarts = (populations: Both<Population>) =>
  Effect.gen(function*() {
    const seconds: Both<Array<number>> = [[], []]
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const side of [0, 1] as const) seconds[side].push(yield* timeToReady(populations[side]))
    }
    const rows: ReadonlyArray<Row> = [
      {
        name: "PostgreSQL accepts connections within",
        unit: "s",
        figures: [populations[0].serverSeconds, populations[1].serverSeconds],
        digits: 2
      },
      {
        name: "the service is ready within",
        unit: "s",
        figures: [medianOf(seconds[0]), medianOf(seconds[1])],
        below: asked,
        digits: 2
      }
    ]
    return rows
  })
