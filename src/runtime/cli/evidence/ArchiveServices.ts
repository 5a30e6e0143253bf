import { Layer } from "effect"
import { LogBaseline } from "../../../services/evidence/audit/LogBaseline.ts"
import { LogArchive, LogDrop } from "../../../services/evidence/retention/LogDrop.ts"
import { Identifiers } from "../../../services/ground/persistence/Identifiers.ts"
import { Events } from "../../../services/log/Events.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as WitnessPlaces from "../../node/WitnessPlaces.ts"
import * as Database from "../../postgres/Database.ts"
import * as Migrations from "../../postgres/Migrations.ts"
import * as CommandTurn from "../ground/CommandTurn.ts"
import * as CommittedByCommand from "../ground/CommittedByCommand.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The services of the archive's commands, directly on the database, whether or not the service runs. */
export const layer = Layer.mergeAll(LogArchive.layer, LogDrop.layer).pipe(
  Layer.provide(LogBaseline.layer),
  Layer.provide(Events.layer),
  Layer.provide(Layer.mergeAll(CommittedByCommand.layer, Identifiers.layer, WitnessPlaces.layer)),
  Layer.provide(NodeCryptography.layer),
  Layer.provide([Database.layerUnhurried, Database.layerSnapshot]),
  Layer.provide(Migrations.layer),
  Layer.provide(
    CommandTurn.layer(
      "archive",
      "Another command is archiving or dropping the log of this database. Wait until it ends"
    )
  ),
  Layer.provide(ServiceDatabase.layerConnected)
)
