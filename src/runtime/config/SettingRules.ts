import * as Fs from "node:fs"
import { hasDatabase } from "../postgres/DataDirectory.ts"
import { table } from "./ConfigTable.ts"
import { masterKeyFile } from "./Setting.ts"
import type { Setting, Values } from "./Setting.ts"

/** The values that rules about several settings look at. */
export interface Given {
  readonly values: Values<typeof table>
  /** Whether a setting is wrong by itself: then the rules about it are not checked. */
  readonly isReported: (row: Setting<unknown>) => boolean
  /** The data directory. */
  readonly directory: string
}

/** A contradiction between settings. */
export type Problem = readonly [row: Setting<unknown>, problem: string]

/** Each process uses one port of the cluster, starting with the configured one. */
export const clusterPorts = ({ values: { clusterPort, processes } }: Given): Problem | undefined =>
  clusterPort !== 0 && clusterPort + processes - 1 > 65_535
    ? [table.clusterPort, `leaves no port for each of ${processes} processes: they take it and the next ones`]
    : undefined

/** Leases are deleted with their events, so events must be dropped. */
export const leasesNeedEvents = (
  { isReported, values: { retainEventDays, retainLeaseDays } }: Given
): Problem | undefined =>
  retainLeaseDays > 0 && retainEventDays === undefined && !isReported(table.retainEventDays)
    ? [
      table.retainLeaseDays,
      `would delete nothing without ${table.retainEventDays.name}: a lease stays as long as its events do`
    ]
    : undefined

/**
 * A database has one master key: a shared database needs it configured, and one whose key was lost must not get
 * another.
 */
export const masterKeyOfDatabase = (
  { directory, isReported, values: { databaseUrl, masterKey } }: Given
): Problem | undefined => {
  if (masterKey !== undefined || isReported(table.masterKey)) return undefined
  if (databaseUrl !== undefined || isReported(table.databaseUrl)) {
    return [table.masterKey, "is required with DATABASE_URL, because every start must use the same key"]
  }
  const file = masterKeyFile(directory)
  return !Fs.existsSync(file) && hasDatabase(directory)
    ? [
      table.masterKey,
      `is not set and ${file} does not exist, but the database is encrypted with that key`
    ]
    : undefined
}

/** The rules about several settings, in the order of their findings. */
export const rules: ReadonlyArray<(given: Given) => Problem | undefined> = [
  clusterPorts,
  leasesNeedEvents,
  masterKeyOfDatabase
]

/** The warning of a public URL with a path: pages, their links and their cookies are at the root of a host. */
export const pathOfPublicUrl = (publicUrl: string | undefined): ReadonlyArray<string> =>
  publicUrl === undefined || new URL(publicUrl).pathname === "/"
    ? []
    : [
      "COUNTERSIGN_PUBLIC_URL has a path, and the console, the portal, the documentation and sign-in are at the root of their host: give the " +
      "service its own host name. Example: COUNTERSIGN_PUBLIC_URL=https://licenses.example.com"
    ]
