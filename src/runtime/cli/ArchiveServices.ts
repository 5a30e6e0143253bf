import { PgConnection } from "@effect/sql-pg"
import { Data, Effect, Layer } from "effect"
import { LogBaseline } from "../../services/audit/LogBaseline.ts"
import { Events } from "../../services/events/Events.ts"
import { SequencerSignal } from "../../services/events/SequencerSignal.ts"
import { Identifiers } from "../../services/persistence/Identifiers.ts"
import { LogArchive } from "../../services/retention/LogArchive.ts"
import { LogDrop } from "../../services/retention/LogDrop.ts"
import * as NodeCryptography from "../node/NodeCryptography.ts"
import * as WitnessPlaces from "../node/WitnessPlaces.ts"
import * as Database from "../postgres/Database.ts"
import { DatabaseTarget } from "../postgres/Database.ts"
import * as Migrations from "../postgres/Migrations.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

/** Another command archives or drops. The message says what to do. */
class ArchiveBusy extends Data.TaggedError("ArchiveBusy")<{ readonly message: string }> {}

/**
 * Makes commands that archive or drop the log of one database take turns, whatever machine they run on. The lock goes
 * with its connection, so a command that is killed leaves none.
 */
const layerLock = Layer.effectDiscard(Effect.gen(function*() {
  const { url } = yield* DatabaseTarget
  const connection = yield* PgConnection.make({ url, applicationName: "countersign archive" })
  const { rows } = yield* connection.query("select pg_try_advisory_lock(hashtext('countersign archive')) as free")
  if ((rows[0] as { readonly free: boolean }).free) return
  return yield* new ArchiveBusy({ message: "Another command archives or drops the log of this database. Wait for it" })
}))

/** What the commands of the archive work with, directly on the database, while the service runs or is stopped. */
export const layer = Layer.mergeAll(LogArchive.layer, LogDrop.layer).pipe(
  Layer.provide(LogBaseline.layer),
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(SequencerSignal.layer, Identifiers.layer, WitnessPlaces.layer)),
  Layer.provide(NodeCryptography.layer),
  Layer.provide(Database.layerUnhurried),
  Layer.provide(Migrations.layer),
  Layer.provide(layerLock),
  Layer.provide(ServiceDatabase.layerConnected)
)
