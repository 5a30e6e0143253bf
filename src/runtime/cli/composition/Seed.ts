import { Clock, Effect, Layer } from "effect"
import { Command, Flag } from "effect/cli"
import { environmentNames } from "../../../domain/ground/environments/EnvironmentName.ts"
import { ConsistencyCheck } from "../../../services/evidence/audit/ConsistencyCheck.ts"
import type { Examination } from "../../../services/evidence/audit/ConsistencyCheck.ts"
import { CurrentEnvironment } from "../../../services/ground/environments/CurrentEnvironment.ts"
import { Settings } from "../../../services/ground/platform/Settings.ts"
import { addressUrl, AppConfig, settings } from "../../config/Config.ts"
import { fillingSession, prepare } from "../../environments/EnvironmentDatabase.ts"
import * as NodeCryptography from "../../node/NodeCryptography.ts"
import * as Database from "../../postgres/Database.ts"
import { scripts } from "../../seed/Names.ts"
import { layerEdge } from "../../seed/SeedApp.ts"
import type { Seeded, SeedProgress } from "../../seed/Seeding.ts"
import { seedVendor } from "../../seed/Seeding.ts"
import { AlreadySaid, WrongUsage } from "../../terminal/ExitCode.ts"
import { counted, json, printJson, printNotice, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import * as CommandTurn from "../ground/CommandTurn.ts"
import * as ServiceDatabase from "../ground/ServiceDatabase.ts"

const most = 100_000

const licenses = Flag.Int("licenses").pipe(
  Flag.withDescription(`Number of licenses, 1 to ${most.toLocaleString("en-US")}`),
  Flag.withDefault(5000)
)

const seed = Flag.String("seed").pipe(
  Flag.withDescription("Any text; the same text creates the same data, except for keys and secrets"),
  Flag.withDefault("lumen")
)

const environment = Flag.Literals("environment", environmentNames).pipe(
  Flag.withDescription("Environment: only test, because the year is played under a clock that is moved"),
  Flag.withDefault("test" as const)
)

const report = (
  { acts, endpoints, known, licenses, vendor, webhooks }: Seeded,
  { events }: Examination,
  { host, port }: AppConfig["Service"],
  seconds: number
): ReadonlyArray<string> => [
  `${vendor} has lived a year in the test environment (played in ${seconds.toFixed(0)} s):`,
  `  ${counted(licenses, "license")} of customers with names in ${scripts.length} scripts, ${counted(acts, "act")}, ` +
  `${counted(events, "event")}`,
  `  ${counted(webhooks, "webhook")} to ${
    counted(endpoints, "endpoint")
  }, of which one fails now; doctor found nothing`,
  "",
  "To print the admin token of the test environment: countersign token --environment test",
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

/** Shows a bar with the day of the year on a terminal, and elsewhere a line for each tenth of the way. */
const makeProgressReport = Effect.map(makeProgress("Playing the year"), ({ reach }): SeedProgress => {
  let tenth = 0
  return (played, of, now) =>
    Effect.suspend(() => {
      const day = new Date(now).toISOString().slice(0, 10)
      reach(played, of, `Playing ${day}`)
      const reached = Math.floor(10 * played / of)
      if (process.stderr.isTTY || reached === tenth) return Effect.void
      tenth = reached
      return printNotice(`Playing the year: ${tenth * 10} %, ${day}`)
    })
})

/** Plays the year and checks the result; fails if the log and the tables differ. */
const fill = Effect.fnUntraced(
  function*(input: { readonly licenses: number; readonly seed: string; readonly json: boolean }) {
    const begun = yield* Clock.currentTimeMillis
    const seeded = yield* Effect.scoped(Effect.gen(function*() {
      const target = yield* ServiceDatabase.environmentTarget("test")
      yield* prepare(target, true)
      yield* CommandTurn.take(
        target.url,
        fillingSession,
        "Another seed command is filling this environment. No changes made"
      )
      return yield* seedVendor(target, input, yield* makeProgressReport)
    })).pipe(Effect.provide(layerEdge))
    const { examine } = yield* ConsistencyCheck
    const progress = yield* makeProgress("Replaying events")
    const found = yield* examine(() => Effect.void, () => progress.advance())
    const seconds = ((yield* Clock.currentTimeMillis) - begun) / 1000
    progress.erase()
    if (found.differences > 0) {
      return yield* new AlreadySaid({ message: `doctor found ${found.differences} differences` })
    }
    yield* input.json
      ? printJson({ ...seeded, events: found.events, seconds })
      : printText(report(seeded, found, yield* AppConfig, seconds))
  },
  Effect.scoped
)

const layer = ConsistencyCheck.layer.pipe(
  Layer.provide(Database.layerUnhurried),
  Layer.provideMerge(ServiceDatabase.layer),
  Layer.provide(Layer.succeed(CurrentEnvironment, "test"))
)

/** The settings of the service, from which those of the environment derive. */
const layerSettings = Layer.effect(Settings, Effect.map(AppConfig, (config) => settings(config, config.port))).pipe(
  Layer.provideMerge(NodeCryptography.layer),
  Layer.provideMerge(layer)
)

/** `countersign seed`: fills an environment with a year of an invented vendor. */
export const seedCommand = Command.make(
  "seed",
  { licenses, seed, environment, json },
  (input) =>
    Effect.gen(function*() {
      if (input.licenses < 1 || input.licenses > most) {
        return yield* new WrongUsage({ message: `--licenses is a number from 1 to ${most.toLocaleString("en-US")}` })
      }
      if (input.environment === "live") {
        return yield* new WrongUsage({
          message:
            "Sample data is played under a clock that begins a year ago, and the clock of the live environment is " +
            "real time. Use --environment test, which is the default"
        })
      }
      // Nobody collects the spans of sample data, and they cost.
      yield* Effect.withTracerEnabled(Effect.provide(fill(input), layerSettings), false)
    })
).pipe(
  Command.withExamples([
    { command: "countersign seed", description: "5,000 licenses, in some two minutes" },
    { command: "countersign seed --licenses 300", description: "A small vendor, in half a minute" }
  ])
)
