import { Effect, References } from "effect"
import type { Redacted } from "effect"
import * as Path from "node:path"
import { defaultDirectory, surroundings } from "./config/Config.ts"
import type { AppConfig } from "./config/Config.ts"
import { table } from "./config/ConfigTable.ts"
import { addressOf } from "./postgres/DatabaseServer.ts"
import { serverUserOf } from "./postgres/PostgresBinaries.ts"
import { printText } from "./terminal/Printing.ts"

/** The command line of this program as somebody calls it: a script of npm in the source tree, a file beside a bundle. */
const commandLine = import.meta.filename.endsWith(".ts")
  ? "npm run -s countersign --"
  : `node ${Path.join(Path.relative(process.cwd(), import.meta.dirname) || ".", "cli.js")}`

/** The values of a start that the banner shows. */
interface Place {
  readonly name: string
  readonly value: string
}

/** The data directory, and who runs its server where that is not who runs this. */
const embedded = (directory: string): string => {
  const user = serverUserOf(Path.join(directory, "postgres"))
  return user === undefined ? directory : `${directory}, its PostgreSQL runs as user ${user.uid}`
}

const placesOf = (
  config: AppConfig["Service"],
  publicUrl: string,
  databaseUrl: Redacted.Redacted | undefined
): ReadonlyArray<Place> => {
  const { adminTokenFile, dataDirectory, isAdminTokenGiven, isAdminTokenNew } = config
  const isEmbedded = config.databaseUrl === undefined || databaseUrl === undefined
  const elsewhere = dataDirectory === defaultDirectory(surroundings())
    ? ""
    : `${table.dataDirectory.name}='${dataDirectory.replaceAll("'", "'\\''")}' `
  const needed = [
    ...(isEmbedded ? [] : [table.databaseUrl.name, table.masterKey.name]),
    ...(elsewhere === "" ? [] : [table.dataDirectory.name])
  ]
  return [
    { name: "Console", value: `${publicUrl}/console` },
    { name: "Reference", value: `${publicUrl}/docs` },
    { name: "Guides", value: `${publicUrl}/docs/guides` },
    { name: "Data", value: isEmbedded ? embedded(dataDirectory) : `PostgreSQL at ${addressOf(databaseUrl)}` },
    {
      name: "Admin token",
      value: isAdminTokenGiven
        ? "the one that the settings give (COUNTERSIGN_ADMIN_TOKEN)"
        : `${isAdminTokenNew ? "made now, " : ""}kept in ${adminTokenFile}`
    },
    {
      name: "Commands",
      value: `${commandLine} --help${needed.length === 0 ? "" : `, with the same ${needed.join(" and ")} set`}`
    },
    {
      name: "Try",
      value: isAdminTokenGiven
        ? `curl ${publicUrl}/readyz`
        : `curl -H "Authorization: Bearer $(${elsewhere}${commandLine} token)" ${publicUrl}/api/v1/whoami`
    },
    { name: "Stop", value: "Ctrl-C" }
  ]
}

/**
 * The banner of a start for a person, once the service is ready: at most ten lines with its URL and the files that it
 * uses. The admin token is never printed: it would stay in the terminal's history, and in logs.
 */
const bannerOf = (
  config: AppConfig["Service"],
  publicUrl: string,
  databaseUrl: Redacted.Redacted | undefined = config.databaseUrl
): ReadonlyArray<string> => [
  `Countersign is ready at ${publicUrl}`,
  "",
  ...placesOf(config, publicUrl, databaseUrl).map(({ name, value }) => `  ${name.padEnd(13)}${value}`)
]

/**
 * Announces that the service is ready, whatever the log level: the banner for people, a line of JSON for log
 * collectors.
 */
export const announceReady = (
  config: AppConfig["Service"],
  publicUrl: string,
  databaseUrl: Redacted.Redacted | undefined = config.databaseUrl
): Effect.Effect<void> =>
  config.logFormat === "pretty"
    ? printText([...bannerOf(config, publicUrl, databaseUrl), ""])
    : Effect.logInfo(`Countersign is ready at ${publicUrl} and takes requests`).pipe(
      Effect.annotateLogs(
        Object.fromEntries(
          placesOf(config, publicUrl, databaseUrl).slice(0, -3)
            .map(({ name, value }) => [name.toLowerCase().replace(" ", "_"), value])
        )
      ),
      Effect.provideService(References.MinimumLogLevel, "Info")
    )
