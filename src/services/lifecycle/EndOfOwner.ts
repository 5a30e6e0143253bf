import { Effect } from "effect"
import { fileEvent } from "../../domain/offline/OfflineFile.ts"
import { Events } from "../events/Events.ts"
import { Devices } from "../licenses/Devices.ts"
import { LicenseUsers } from "../licenses/LicenseUsers.ts"
import { Database } from "../persistence/Database.ts"
import { deleteKeySessions, readRevokedFile, updateFilesRevoked } from "./EndOfOwnerSql.ts"
import { deleteTransferRequest } from "./TransferRequestSql.ts"

/**
 * Ends what belongs to the owner of a license that another one gets (`domain/owners/Belongings.ts`), in the surrounding transaction, which has
 * locked the license. The columns of the license itself are written with the transfer.
 */
export const makeEndOfOwner = Effect.gen(function*() {
  const sql = yield* Database
  const devices = yield* Devices
  const events = yield* Events
  const users = yield* LicenseUsers

  return Effect.fnUntraced(function*(licenseId: string) {
    yield* devices.unname(licenseId)
    yield* users.endAll(licenseId)
    yield* deleteTransferRequest(sql, licenseId)
    yield* deleteKeySessions(sql, licenseId)
    const files = yield* updateFilesRevoked(sql, licenseId)
    yield* events.appendAll(files.map((row) => fileEvent("offline_file.revoked", readRevokedFile(row))))
  })
})
