import { Clock, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { Vault } from "../../services/security/Vault.ts"
import { addressUrl, AppConfig } from "../config/Config.ts"
import * as NodeCryptography from "../node/NodeCryptography.ts"
import * as Database from "../postgres/Database.ts"
import { addressOf } from "../postgres/DatabaseServer.ts"
import * as Migrations from "../postgres/Migrations.ts"
import { scripts } from "../seed/Names.ts"
import type { Seeded } from "../seed/Seeding.ts"
import { examineTarget, seedVendor } from "../seed/Seeding.ts"
import { confirm, yes } from "../terminal/Confirm.ts"
import { WrongUsage } from "../terminal/ExitCode.ts"
import { json } from "../terminal/Output.ts"
import { printJson, printText } from "../terminal/Printing.ts"
import { makeProgress } from "../terminal/Progress.ts"
import * as CommandTurn from "./CommandTurn.ts"
import { layerSettings } from "./DirectSigning.ts"
import * as ServiceDatabase from "./ServiceDatabase.ts"

const most = 1_000_000

const licenses = Flag.Int("licenses").pipe(
  Flag.withDescription(`Number of licenses, 1 to ${most.toLocaleString("en-US")}`),
  Flag.withDefault(5000)
)

const seed = Flag.String("seed").pipe(
  Flag.withDescription("Any text; the same text creates the same data, except for keys and secrets"),
  Flag.withDefault("lumen")
)

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}`

const report = (
  { endpoints, known, resumed, vendor, written }: Seeded,
  { adminTokenFile, host, isAdminTokenGiven, port }: AppConfig["Service"],
  seconds: number
): ReadonlyArray<string> => [
  ...(resumed
    ? ["An interrupted run was completed with its original options. Its license keys are not available."]
    : []),
  `${vendor} now has a year of sample data (created in ${seconds.toFixed(0)} s):`,
  `  ${counted(written.products, "products")}, ${counted(written.policies, "policies")}, ` +
  `${counted(written.customers, "customers")} with names in ${scripts.length} scripts`,
  `  ${counted(written.licenses, "licenses")}, ${counted(written.devices, "devices")}, ` +
  `${counted(written.leases, "leases")}, ${counted(written.orders, "orders")}, ` +
  `${counted(written.subscriptions, "subscriptions")}`,
  `  ${counted(written.usage_records, "uses")}, ${counted(written.refusals, "refusals")}, ` +
  `${counted(written.events, "events")}, ${counted(endpoints, "webhook endpoints, one of which fails")}`,
  "",
  `The admin token ${isAdminTokenGiven ? "is that of COUNTERSIGN_ADMIN_TOKEN" : `is in ${adminTokenFile}`}`,
  ...(known.length === 0 ? [] : ["Licenses to try, shown only once, and a device that each is activated on:"]),
  ...known.flatMap(({ fingerprint, key, policy, product }) => [
    `  ${product}, ${policy}`,
    `    ${key}  ${fingerprint}`
  ]),
  ...(known[0] === undefined ? [] : [
    "When the service runs (npm start), validate the first license:",
    `  curl ${addressUrl(host, port)}/api/v1/license/validate -H 'Authorization: License ${known[0].key}' \\`,
    `    -H 'Content-Type: application/json' -d '{"fingerprint":"${known[0].fingerprint}"}'`
  ]),
  "COUNTERSIGN_VENDOR_NAME=\"Lumen Works\" puts the vendor's name on reports"
]

/** Without statement timeouts, and of its own: a chunk takes long on a busy machine. */
const layer = Vault.layer.pipe(
  Layer.provide(Layer.mergeAll(Migrations.layer, layerSettings)),
  Layer.provideMerge(NodeCryptography.layer),
  Layer.provide(CommandTurn.layer(
    "seed",
    "Another seed command is filling this database. No changes made. Wait until it ends; if it is interrupted, the " +
      "next one completes it"
  )),
  Layer.provide(Database.layerTarget),
  Layer.provideMerge(Database.layerUnhurried),
  Layer.provideMerge(ServiceDatabase.layer)
)

/** `countersign seed`: invents a vendor, so that there is something to look at. */
export const seedCommand = Command.make(
  "seed",
  { licenses, seed, json, yes },
  (input) =>
    Effect.scoped(Effect.gen(function*() {
      if (input.licenses < 1 || input.licenses > most) {
        return yield* new WrongUsage({ message: `--licenses is a number from 1 to ${most.toLocaleString("en-US")}` })
      }
      const { databaseUrl } = yield* AppConfig
      const isBegun = yield* examineTarget
      // A database that the settings name may be one that is meant for something else, and still be empty.
      if (!isBegun && databaseUrl !== undefined) {
        yield* confirm(
          `The empty database ${addressOf(databaseUrl)} is filled with sample data, which cannot be ` +
            "removed: the event log keeps it.",
          "Fill it?",
          input.yes
        )
      }
      const begun = yield* Clock.currentTimeMillis
      const telling = yield* makeProgress("Creating licenses", input.licenses)
      let told = 0
      const seeded = yield* seedVendor(input, {
        told: (licenses, of) => telling.reach(told += licenses, of),
        placing: (events) =>
          Effect.sync(() => {
            let placed = 0
            return (more) => telling.reach(placed += more, events)
          })
      })
      const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
      const config = yield* AppConfig
      telling.erase()
      yield* input.json
        ? printJson({ ...seeded, seconds })
        : printText(report(seeded, config, seconds))
    }))
).pipe(
  Command.withDescription(
    "Fill an empty database with a year of sample data. Asks for confirmation if DATABASE_URL is set"
  ),
  Command.withExamples([
    { command: "countersign seed", description: "5,000 licenses, in less than a minute" },
    { command: "countersign seed --licenses 100000 --seed full", description: "A large vendor, in a few minutes" }
  ]),
  Command.provide(layer)
)
