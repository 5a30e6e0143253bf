import { Effect } from "effect"
import { Command, Flag, GlobalFlag } from "effect/cli"
import { environmentNames } from "../../../domain/ground/environments/EnvironmentName.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"

/** `--environment`: which environment a command is for. */
const environment = GlobalFlag.Setting("environment")({
  flag: Flag.Literals("environment", environmentNames).pipe(
    Flag.withDescription("Environment: live, or test, with a separate database and separate tokens"),
    Flag.withDefault("live" as const)
  )
})

/**
 * Adds `--environment` to a command and its subcommands. It sets the current environment, which decides about
 * settings, database and token.
 */
const inEnvironment = <const Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>
) =>
  command.pipe(
    Command.provideEffect(CurrentEnvironment, () => environment),
    Command.withGlobalFlags([environment])
  )

/** Loads once in a process: to make the commands of the contract takes as long as six commands. */
const once = <A>(load: () => Promise<A>): () => Promise<A> => {
  let loaded: Promise<A> | undefined
  return () => loaded ??= load()
}

const described = <const Name extends string, Input, ContextInput, E, R>(
  command: Command.Command<Name, Input, ContextInput, E, R>,
  description: string,
  short: string | undefined
): Command.Command<Name, Input, ContextInput, E, R> => {
  const long = Command.withDescription(command, description)
  return short === undefined ? long : Command.withShortDescription(long, short)
}

const inNone = <const Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  load: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>
) => ({
  outline: described(Command.make(name), description, undefined),
  load: once(async () => described(await load(), description, undefined))
})

/** A command with `--environment`. */
const inEach = <const Name extends string, Input, ContextInput, E, R>(
  name: Name,
  description: string,
  load: () => Promise<Command.Command<Name, Input, ContextInput, E, R>>,
  short?: string
) => ({
  outline: inEnvironment(described(Command.make(name), description, short)),
  load: once(async () => inEnvironment(described(await load(), description, short)))
})

const loadContract = async () => (await import("../ground/api/Contract.ts")).contract()

const start = Command.make(
  "start",
  {},
  () => Effect.flatMap(Effect.promise(() => import("../../Start.ts")), ({ run }) => run)
).pipe(
  Command.withExamples([{ command: "PORT=8080 countersign start", description: "Settings come from the environment" }])
)

/**
 * The commands, in the order of the help: of each the outline, which is what the program's own help says of it, with its
 * name, description and shared flags, and how it is loaded when it is meant.
 */
const table = {
  start: inNone("start", "Run the service in the foreground (same as npm start)", async () => start),
  keys: inEach("keys", "Signing keys and the master key", async () => (await import("../keys/Keys.ts")).keys),
  token: inEach("token", "Print the admin token", async () => (await import("../keys/Token.ts")).token),
  doctor: inEach(
    "doctor",
    "Rebuild the state from the event log and compare it with the tables; exits 1 on differences",
    async () => (await import("./Doctor.ts")).doctor
  ),
  events: inEach("events", "The event feed", async () => (await import("../log/EventsExport.ts")).events),
  verify: inNone(
    "verify",
    "Verify exports and the event feed offline",
    async () => (await import("../evidence/Verify.ts")).verify
  ),
  archive: inEach(
    "archive",
    "Archive the event log to files, verify archives, and drop archived events",
    async () => (await import("../evidence/Archive.ts")).archive
  ),
  backup: inEach(
    "backup",
    "Back up the database to one file (consistent snapshot, while the service runs)",
    async () => (await import("./Backup.ts")).backup
  ),
  restore: inEach(
    "restore",
    "Restore a backup, or continue after a restore by other means, in a new epoch of the log",
    async () => (await import("./Restore.ts")).restore
  ),
  migrate: inEach(
    "migrate",
    "Database migrations; the service runs them at startup (COUNTERSIGN_MIGRATE)",
    async () => (await import("./Migrate.ts")).migrate
  ),
  config: inNone("config", "Settings of the service", async () => (await import("./ConfigCheck.ts")).config),
  seed: inNone(
    "seed",
    "Fill the empty test environment with a year of sample data, played through the operations of the service",
    async () => (await import("./Seed.ts")).seedCommand
  ),
  import: inEach(
    "import",
    "Create licenses from a file, with their existing keys; repeating it creates no duplicates",
    async () => (await import("../jobs/Import.ts")).importCommand
  ),
  export: inEach(
    "export",
    "Export all your data to files",
    async () => (await import("../evidence/Export.ts")).exportCommand
  ),
  whoami: inEach(
    "whoami",
    "Show which service the commands use, and the scopes of their token",
    async () => (await import("../keys/Whoami.ts")).whoami
  ),
  witness: inNone(
    "witness",
    "Cosign checkpoints of logs as a witness (C2SP tlog-witness): only those that continue what was cosigned before. " +
      "Prints the verifier key of the witness",
    async () => (await import("../evidence/Witness.ts")).witness
  ),
  licenses: inEach(
    "licenses",
    "Find licenses, see why they are refused, and change them",
    async () => (await import("../licensing/Licenses.ts")).licenses(await loadContract())
  ),
  devices: inEach(
    "devices",
    "Reset and block devices, and free floating seats",
    async () => (await import("../licensing/Devices.ts")).devices(await loadContract())
  ),
  policies: inEach(
    "policies",
    "Try changes of policies before you make them",
    async () => (await import("../catalog/Policies.ts")).policies(await loadContract())
  ),
  purchases: inEach(
    "purchases",
    "Adopt what was sold before a connection to a payment provider",
    async () => (await import("../sales/Purchases.ts")).purchases
  ),
  portal: inEach(
    "portal",
    "Let customers into the portal",
    async () => (await import("../portal/Portal.ts")).portal(await loadContract())
  ),
  webhooks: inEach(
    "webhooks",
    "Webhook endpoints, their health, and local test deliveries",
    async () => (await import("../delivery/Webhooks.ts")).webhooks(await loadContract())
  ),
  api: inEach(
    "api",
    "Call any operation of the API. IDs are arguments, query parameters and fields of the body are flags; --body takes a " +
      "whole body as JSON. An empty text is sent as it is, which clears an optional text; leave out the flag to keep the " +
      "value. Changes with consequences ask for confirmation",
    async () => (await import("../ground/api/Api.ts")).api(await loadContract()),
    "Call any operation of the API"
  )
}

type Entry = (typeof table)[keyof typeof table]

/** The commands, loaded where `isMeant` says so of the name, and in outline elsewhere: to load them takes time. */
export const commands = (isMeant: (name: string) => boolean) =>
  Effect.promise((): Promise<ReadonlyArray<Entry["outline"] | Awaited<ReturnType<Entry["load"]>>>> =>
    Promise.all(Object.entries(table).map(([name, { load, outline }]) => isMeant(name) ? load() : outline))
  )

/** Whether a command has this name. */
export const isCommand = (name: string): boolean => Object.hasOwn(table, name)
