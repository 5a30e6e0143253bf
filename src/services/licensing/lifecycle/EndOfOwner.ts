import { Effect } from "effect"
import { fileEvent } from "../../../domain/licensing/offline/OfflineFile.ts"
import type { EndedBy } from "../../../domain/licensing/owners/Belongings.ts"
import { Events } from "../../log/Events.ts"
import { Devices } from "../licenses/Devices.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { deleteKeySessions, readRevokedFile, updateFilesRevoked } from "./EndOfOwnerSql.ts"
import { deleteTransferRequest } from "./TransferRequestSql.ts"

/**
 * Ends what belongs to the owner of a license that another one gets (`domain/licensing/owners/Belongings.ts`), in the surrounding transaction, which has
 * locked the license. The columns of the license itself are written with the transfer.
 */
export const makeEndOfOwner = Effect.gen(function*() {
  const sql = yield* Database
  const devices = yield* Devices
  const events = yield* Events
  const users = yield* LicenseUsers

  const written = () => Effect.void

  const ends: Readonly<Record<EndedBy<"other_owner">, (licenseId: string) => Effect.Effect<unknown>>> = {
    contact: written,
    trusted_issuer: written,
    machine_names: devices.unname,
    users: users.endAll,
    offer: (licenseId) => deleteTransferRequest(sql, licenseId),
    key_session: (licenseId) => deleteKeySessions(sql, licenseId),
    offline_files: (licenseId) =>
      Effect.flatMap(
        updateFilesRevoked(sql, licenseId),
        (files) => events.appendAll(files.map((row) => fileEvent("offline_file.revoked", readRevokedFile(row))))
      )
  }

  return (licenseId: string) => Effect.forEach(Object.values(ends), (end) => end(licenseId), { discard: true })
})
