import { Redacted } from "effect"
import type { AppConfig } from "./config/Config.ts"
import * as Database from "./postgres/Database.ts"

/** What a start prints once the service is ready at a URL: a line for each. */
export const bannerOf = (
  config: AppConfig["Service"],
  publicUrl: string,
  databaseUrl: Redacted.Redacted | undefined = config.databaseUrl
): ReadonlyArray<string> => {
  const isEmbedded = config.databaseUrl === undefined || databaseUrl === undefined
  const database = isEmbedded
    ? `embedded PostgreSQL in ${config.dataDirectory}`
    : Database.addressOf(databaseUrl)
  return [
    `Countersign is ready at ${publicUrl} (${database})`,
    `Reference and guides: ${publicUrl}/docs and ${publicUrl}/docs/guides`,
    config.isAdminTokenNew
      ? `Admin token, shown this once and kept in ${config.adminTokenFile}:\n  ${Redacted.value(config.adminToken)}`
      : `Admin token: COUNTERSIGN_ADMIN_TOKEN, or the one kept in ${config.adminTokenFile}`
  ]
}
