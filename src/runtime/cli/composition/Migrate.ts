import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { Command } from "effect/cli"
import * as Database from "../../postgres/Database.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import { AlreadySaid } from "../../terminal/ExitCode.ts"
import { json, printJson, printTable, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** One connection, once the server is known to be usable. */
const layer = Layer.unwrap(Effect.as(PgClient.PgClient, Database.layerMigration))

const read = Migrations.status.pipe(
  Effect.catchTag("SqlError", Effect.die),
  Effect.map(({ newer, steps }) => ({ newer, steps, pending: steps.filter(({ appliedAt }) => appliedAt === null) }))
)

const status = Command.make("status", { json }, (input) =>
  Effect.gen(function*() {
    const { newer, pending, steps } = yield* read
    if (input.json) {
      yield* printJson({
        pending: pending.length,
        newer,
        migrations: steps.map(({ appliedAt, does, isOnline, name }) => ({
          name,
          does,
          online: isOnline,
          ...(appliedAt === null ? {} : { applied_at: appliedAt.toISOString() })
        }))
      })
    } else {
      yield* printTable([
        ["MIGRATION", "APPLIED", "RUNS", "DOES"],
        ...steps.map(({ appliedAt, does, isOnline, name }) => [
          name,
          appliedAt === null ? "pending" : appliedAt.toISOString().slice(0, 19).replace("T", " "),
          isOnline ? "online" : "at once",
          does
        ])
      ])
      yield* printText(
        (pending.length === 0
          ? "None is pending."
          : `${pending.length} ${pending.length === 1 ? "is" : "are"} pending: countersign migrate up`) +
          (newer === 0 ? "" : ` ${newer} more belong to a later version, which this version is compatible with.`)
      )
    }
    if (pending.length > 0) return yield* new AlreadySaid({ message: `${pending.length} migrations are pending` })
  })).pipe(
    Command.withDescription(
      "List applied and pending migrations, with a description and whether each runs online (during reads and writes) " +
        "or at once (in a moment). Exit code 1 if any are pending"
    ),
    Command.withExamples([{ command: "countersign migrate status --json", description: "For a deployment's script" }]),
    Command.provide(layer.pipe(Layer.provide(ServiceDatabase.layerConnected)))
  )

const up = Command.make("up", {}, () =>
  Effect.scoped(Effect.gen(function*() {
    const { pending } = yield* read
    const does = new Map(pending.map((step) => [step.name, step.does]))
    const progress = yield* makeProgress("Migrating", pending.length)
    yield* Migrations.migrate((name, milliseconds) =>
      Effect.suspend(() => {
        progress.advance()
        progress.erase()
        return printText(`${name}: ${does.get(name)} (${Math.round(milliseconds)} ms)`)
      })
    )
    yield* printText(pending.length === 0 ? "None is pending." : "The schema is up to date.")
  }))).pipe(
    Command.withDescription(
      "Run the pending migrations. The service, including the previous version, keeps working. An interrupted " +
        "migration is continued"
    ),
    Command.withExamples([
      { command: "countersign migrate up", description: "Before the first node of a new version starts" }
    ]),
    Command.provide(layer.pipe(Layer.provide(ServiceDatabase.layerMade)))
  )

/** `countersign migrate ...`: the schema of the service's database, while the service runs or is stopped. */
export const migrate = Command.make("migrate").pipe(
  Command.withExamples([
    { command: "countersign migrate status", description: "Migrations that the next start runs" },
    { command: "countersign migrate up", description: "Run them now" }
  ]),
  Command.withSubcommands([status, up])
)
