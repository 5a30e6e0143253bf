import { Effect, Option, Result } from "effect"
import type { Scope } from "effect"
import { Command, Flag } from "effect/cli"
import { randomBytes } from "node:crypto"
import * as Fs from "node:fs"
import * as Path from "node:path"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"
import { namedEnvironments } from "../../../domain/ground/environments/EnvironmentName.ts"
import { MasterKeyChange } from "../../../services/delivery/webhooks/MasterKeyChange.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { MasterKeyMismatch } from "../../../services/keys/security/DataKeys.ts"
import { AppConfig } from "../../config/Config.ts"
import { readSecretFile } from "../../config/Setting.ts"
import { masterKey } from "../../config/SettingParsers.ts"
import { databaseUseOf } from "../../environments/EnvironmentDatabase.ts"
import * as DataDirectory from "../../postgres/DataDirectory.ts"
import { confirm, yes } from "../../terminal/Confirm.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import * as DirectSigning from "../ground/DirectSigning.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

/** The file of a new master key in the data directory until every data key is wrapped by it. */
const nextFile = "master.key.new"

const example = "(umask 077; openssl rand -base64 32 > new.key)"

const parse = (text: string, file: string) => {
  const parsed = masterKey(text)
  return Result.isSuccess(parsed)
    ? Effect.succeed({ text, key: parsed.success })
    : Effect.fail(new WrongUsage({ message: `The content of ${file} ${parsed.failure}. Create one: ${example}` }))
}

/** The new key: from a file of the operator, or from one kept beside the old key. */
const newKey = Effect.fnUntraced(function*(given: Option.Option<string>, kept: string | undefined) {
  if (Option.isSome(given)) {
    const file = given.value
    const text = yield* Effect.try({
      try: () => readSecretFile(file),
      catch: (cause) => new WrongUsage({ message: `Cannot read the new key: ${(cause as Error).message}` })
    })
    return yield* parse(text, file)
  }
  if (kept === undefined) {
    return yield* new WrongUsage({
      message: `Specify the file with the new master key: --new-key-file new.key. Create one: ${example}`
    })
  }
  const directory = Path.dirname(kept)
  const { value } = yield* DataDirectory.keepSecret(directory, nextFile, () => randomBytes(32).toString("base64"))
  return yield* parse(value, Path.join(directory, nextFile))
})

/** Another environment is under another master key than the rest of the service, which is left as it is. */
const leftBehind = (name: EnvironmentName, { message }: MasterKeyMismatch) =>
  new WrongUsage({
    message: `The ${name} environment has another master key, and nothing was changed in live. Run ` +
      `countersign keys rewrap --environment ${name} with that key, or drop its database: it is made again. ${message}`
  })

/**
 * Does something in each environment that the command is for and that has begun: a service has one master key for all of them,
 * so a command for live is for the others too, which come first.
 */
const inEach = Effect.fnUntraced(
  function*<A, E>(work: (name: EnvironmentName) => Effect.Effect<A, E, MasterKeyChange | Scope.Scope>) {
    const name = yield* CurrentEnvironment
    const { testEnvironment } = yield* AppConfig
    const others = name === "live" && testEnvironment !== "off" ? namedEnvironments : []
    for (const other of others) {
      const { begun } = yield* Effect.flatMap(ServiceDatabase.environmentTarget(other), databaseUseOf)
      if (!begun) continue
      yield* work(other).pipe(
        // A database of its own, and connections to it, which nothing of live shares.
        Effect.provide(DirectSigning.layer, { local: true }),
        Effect.provideService(CurrentEnvironment, other),
        Effect.mapError((error) => error instanceof MasterKeyMismatch ? leftBehind(other, error) : error)
      )
    }
    return yield* work(name)
  }
)

const begin = Effect.fnUntraced(function*(given: Option.Option<string>) {
  const { masterKeyFile } = yield* AppConfig
  const environment = yield* CurrentEnvironment
  const { key, text } = yield* newKey(given, masterKeyFile)
  let hasOthers = false
  yield* inEach(Effect.fnUntraced(function*(name) {
    hasOthers ||= name !== environment
    const change = yield* MasterKeyChange
    const progress = yield* makeProgress("Changing the master key")
    const { resealed, wrapped } = yield* change.begin(key, progress.reach)
    progress.erase()
    const where = name === environment ? "" : ` (${name} environment)`
    yield* printText(
      `${wrapped} data keys were wrapped with the new master key, ${resealed} secrets encrypted again${where}.`
    )
  }))
  if (hasOthers) {
    yield* printText(
      "The admin token of the test environment follows from the master key: nodes that run with the new key have another " +
        "one, which countersign token --environment test prints."
    )
  }
  const finishing = `countersign keys rewrap --finish${environment === "live" ? "" : ` --environment ${environment}`}`
  if (masterKeyFile === undefined) {
    return yield* printText(
      "Both keys open the database now. Set COUNTERSIGN_MASTER_KEY to the new key, restart each node in turn, " +
        `then finish with: ${finishing}`
    )
  }
  yield* DataDirectory.replaceSecret(Path.dirname(masterKeyFile), Path.basename(masterKeyFile), text)
  yield* Effect.sync(() => Fs.rmSync(Path.join(Path.dirname(masterKeyFile), nextFile), { force: true }))
  yield* printText(
    `${masterKeyFile} holds the new key. A running service continues and uses it from its next start. Finish with: ` +
      finishing
  )
}, Effect.scoped)

const finish = Effect.fnUntraced(function*(isYes: boolean) {
  yield* confirm(
    "Afterwards only the configured master key opens the database. A node with another key cannot start again, " +
      "and backups of the other key no longer help.",
    "Remove the other key?",
    isYes
  )
  const count = yield* inEach(() => Effect.flatMap(MasterKeyChange, (change) => change.finish))
  yield* printText(
    count === 0
      ? "No other master key opens this database."
      : "The change is finished: no other master key opens this database."
  )
}, Effect.scoped)

/** `countersign keys rewrap`: changes the master key, while the service runs or is stopped. */
export const rewrap = Command.make(
  "rewrap",
  {
    newKeyFile: Flag.String("new-key-file").pipe(
      Flag.withDescription(
        "File with the new master key; created automatically if the key is in the data directory"
      ),
      Flag.optional
    ),
    finish: Flag.Boolean("finish").pipe(
      Flag.withDescription("Remove the old master key, after every node runs with the new one"),
      Flag.withDefault(false)
    ),
    yes
  },
  Effect.fnUntraced(function*(input) {
    if (input.finish) return yield* finish(input.yes)
    return yield* begin(input.newKeyFile)
  })
).pipe(
  Command.withDescription("Rotate the master key. Both keys work until --finish"),
  Command.withExamples([{
    command: "countersign keys rewrap --new-key-file new.key",
    description: "First: both keys work"
  }, {
    command: "countersign keys rewrap --finish --yes",
    description: "Last: once every node runs with the new one"
  }]),
  Command.provide(DirectSigning.layer),
  Command.provide(ServiceDatabase.layerConfig)
)
