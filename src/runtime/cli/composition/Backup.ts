import { Clock, Effect, Redacted } from "effect"
import { Argument, Command } from "effect/cli"
import { SqlClient } from "effect/sql"
import * as Fs from "node:fs"
import * as Path from "node:path"
import { connect } from "../../backup/CopyConnection.ts"
import type { WrittenBackup } from "../../backup/writeBackup.ts"
import { writeBackup } from "../../backup/writeBackup.ts"
import { AppConfig } from "../../config/Config.ts"
import { DatabaseTarget } from "../../postgres/Database.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { json, printJson, printText } from "../../terminal/Printing.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"
import { checkSchema } from "./Doctor.ts"

const counted = (count: number) => count.toLocaleString("en-US")

/** The file to write: a name with the current time in a directory, or the given file, which must not exist. */
const fileFor = Effect.fnUntraced(function*(given: string) {
  const path = Path.resolve(given)
  const found = Fs.statSync(path, { throwIfNoEntry: false })
  if (found?.isDirectory() === true) {
    const now = new Date(yield* Clock.currentTimeMillis).toISOString().replaceAll(":", "-").replace(/\.\d+/, "")
    return Path.join(path, `countersign-${now}.backup`)
  }
  if (found !== undefined) {
    return yield* new WrongUsage({
      message: `${path} already exists, and backups never overwrite. Choose another file or a directory`
    })
  }
  if (Fs.statSync(Path.dirname(path), { throwIfNoEntry: false })?.isDirectory() === true) return path
  return yield* new WrongUsage({ message: `Directory not found: ${Path.dirname(path)}. Create it first` })
})

const described = (path: string, { manifest, size }: WrittenBackup, seconds: number): ReadonlyArray<string> => {
  const { log, tables, taken_at } = manifest
  const rows = tables.reduce((sum, table) => sum + table.rows, 0)
  return [
    `${path}: ${counted(rows)} rows of ${tables.length} tables as of ${taken_at}, ${
      counted(size)
    } bytes, written and ` +
    `read back in ${seconds.toFixed(1)} s.`,
    `Contains the log up to event ${counted(log.last_sequence)} of epoch ${log.epoch}.`,
    "The backup does not contain the master key and is unusable without it. Store the key separately."
  ]
}

/** `countersign backup`: everything that the vendor owns in one file, while the service runs or is stopped. */
export const backup = Command.make(
  "backup",
  {
    file: Argument.String("file").pipe(
      Argument.withDescription("File to write, or a directory for a file named after the time")
    ),
    json
  },
  (input) =>
    Effect.gen(function*() {
      const path = yield* fileFor(input.file)
      const { masterKey } = yield* AppConfig
      const { url } = yield* DatabaseTarget
      const begun = yield* Clock.currentTimeMillis
      const connection = yield* connect(url, "countersign backup")
      yield* Effect.provideService(checkSchema, SqlClient.SqlClient, connection.sql)
      const written = yield* writeBackup(connection, path, Redacted.value(masterKey))
      const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
      yield* input.json
        ? printJson({ file: path, size: written.size, seconds, digest: written.digest, manifest: written.manifest })
        : printText(described(path, written, seconds))
    }).pipe(Effect.scoped)
).pipe(
  Command.withExamples([
    { command: "countersign backup /mnt/backups", description: "A file named after the time, in a directory" },
    { command: "countersign backup before-upgrade.backup --json", description: "With a JSON summary, for scripts" }
  ]),
  Command.provide(ServiceDatabase.layer)
)
