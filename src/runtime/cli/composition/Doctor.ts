import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import { differenceLine } from "../../../domain/evidence/audit/EventReplay.ts"
import type { StateDifference } from "../../../domain/evidence/audit/EventReplay.ts"
import { ConsistencyCheck } from "../../../services/evidence/audit/ConsistencyCheck.ts"
import type { Examination } from "../../../services/evidence/audit/ConsistencyCheck.ts"
import * as Database from "../../postgres/Database.ts"
import { newest, refuseBeforeBase } from "../../postgres/Migrations.ts"
import { AlreadySaid, Away } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/**
 * Reads the schema and never migrates it: tables of another version would show differences that only that version can
 * explain.
 */
export const checkSchema = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [present] = yield* sql<{ readonly present: boolean }>`
    SELECT to_regclass('schema_migrations') IS NOT NULL AS present`
  const [schema] = present!.present
    ? yield* sql<{ readonly version: number | null }>`SELECT max(migration_id)::int AS version FROM schema_migrations`
    : []
  yield* refuseBeforeBase
  if (schema?.version === newest) return
  return yield* new Away({
    message: schema?.version == null
      ? "The database has no Countersign tables yet. Start the service once (npm start)"
      : `The tables are of schema ${schema.version}, this version needs ${newest}. Start the service once, or use ` +
        "the version that it runs"
  })
}).pipe(Effect.catchTag("SqlError", Effect.die))

/** The maximum of differences that `--json` lists; further ones are only counted. */
const listed = 10_000

const summary = ({ differences, dropped, events, resources }: Examination): string => {
  return `doctor: ${counted(events, "event")}, ${counted(resources, "resource")}, ${
    counted(differences, "difference")
  }` +
    (dropped === 0 ? "" : `; from event ${dropped + 1} on, and the state that the dropped events before it replayed to`)
}

/** The number of events to replay, without those that are not in the feed yet. */
const eventCount = Effect.gen(function*() {
  const sql = yield* SqlClient.SqlClient
  const [row] = yield* sql<{ readonly count: number }>`
    SELECT coalesce(max(sequence) - min(sequence) + 1, 0)::int AS count FROM event_places`
  return row!.count
}).pipe(Effect.orDie)

const examine = Effect.fnUntraced(function*(asJson: boolean) {
  yield* checkSchema
  const { examine } = yield* ConsistencyCheck
  const progress = yield* makeProgress("Replaying events", yield* eventCount)
  const advance = () => progress.advance()
  if (!asJson) {
    const counts = yield* examine((difference) => {
      progress.erase()
      return printText(differenceLine(difference))
    }, advance)
    progress.erase()
    yield* printText(summary(counts))
    return counts.differences
  }
  const found: Array<StateDifference> = []
  const { differences, ...counts } = yield* examine((difference) =>
    Effect.sync(() => {
      if (found.length < listed) found.push(difference)
    }), advance)
  progress.erase()
  yield* printJson({ ...counts, differences, found })
  return differences
}, Effect.scoped)

/** `countersign doctor`: compares the tables with the event log, while the service runs or is stopped. */
export const doctor = Command.make("doctor", { json }, (input) =>
  Effect.gen(function*() {
    const differences = yield* examine(input.json)
    if (differences > 0) return yield* new AlreadySaid({ message: `${differences} differences` })
  })).pipe(
    Command.withExamples([{
      command: "countersign doctor --json",
      description: "With the service running or stopped"
    }]),
    Command.provide(
      ConsistencyCheck.layer.pipe(
        Layer.provide(Database.layerUnhurried),
        Layer.provideMerge(ServiceDatabase.layerConnected)
      )
    )
  )
