import { Context, Effect, Layer } from "effect"
import type { NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { LicenseUserErasure } from "../../../domain/licensing/users/LicenseUserErasure.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Devices } from "../../licensing/licenses/Devices.ts"
import { Licenses } from "../../licensing/licenses/Licenses.ts"
import { LicenseUsers, readUser, userEvent } from "../../licensing/licenses/LicenseUsers.ts"
import { listDevicesOfUsers } from "../../licensing/licenses/LicenseUserSql.ts"
import { Events } from "../../log/Events.ts"
import type { Steps } from "../../people/access/Idempotency.ts"
import { erasedAtOnce, updateEventsErased } from "./ErasureSql.ts"
import { makeErasedExports } from "./ExportErasure.ts"
import {
  deleteMailsOfUser,
  listErasableOfUser,
  listReasonsOfUser,
  updateDevicesOfUserErased,
  updateReasonsTaken,
  updateSuppressionsOfUserErased,
  updateUserErased
} from "./UserErasureSql.ts"
import type { UserOfLicense } from "./UserErasureSql.ts"

/** Erases the personal values of one user of a license from the service and its history. */
export class UserErasures extends Context.Service<UserErasures, {
  /**
   * Ends the user, and erases the name, address and account, what the user's devices are called, and the personal values in the events about
   * both. The commitments in the events stay, so that every proof still verifies. The first step is many short transactions, and the last is
   * one. Repeating it changes nothing.
   */
  readonly erase: (licenseId: string, userId: string) => Steps<number, LicenseUserErasure, NotFound>
}>()("countersign/services/portal/privacy/UserErasures") {
  static readonly layer = Layer.effect(
    UserErasures,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const events = yield* Events
      const licenses = yield* Licenses
      const users = yield* LicenseUsers
      const exports = makeErasedExports(sql)

      /** Erases events of the user until fewer than a slice are left; answers how many. */
      const eraseEvents = Effect.fnUntraced(function*(user: UserOfLicense) {
        let erased = 0
        for (let found = erasedAtOnce; found === erasedAtOnce;) {
          const some = yield* listErasableOfUser(sql, user, erasedAtOnce)
          if (some.length > 0) yield* updateEventsErased(sql, some)
          found = some.length
          erased += found
        }
        return erased
      })

      const last = (user: UserOfLicense, before: number) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { licenseId, userId } = user
            yield* licenses.hold(licenseId)
            yield* users.get(licenseId, userId)
            const used = yield* listDevicesOfUsers(sql, licenseId, [userId])
            yield* devices.resetSome(licenseId, used.map(({ id }) => id))
            yield* deleteMailsOfUser(sql, user)
            yield* updateSuppressionsOfUserErased(sql, user)
            const named = yield* updateDevicesOfUserErased(sql, user)
            const [ended] = yield* updateUserErased(sql, user)
            const inEvents = before + (yield* eraseEvents(user))
            const reasons = (yield* listReasonsOfUser(sql, user)).map(({ id }) => id)
            const expired = reasons.length === 0 ? 0 : yield* exports.expireAudits(reasons)
            yield* updateReasonsTaken(sql, reasons)
            if (ended !== undefined) {
              yield* events.append({
                ...userEvent("license.user_removed")(readUser(ended)),
                look: "erase_customer"
              })
            }
            return {
              user: yield* users.get(licenseId, userId),
              events: inEvents,
              exports: expired,
              devices: named.length,
              reasons: reasons.length
            }
          }).pipe(Effect.withSpan("UserErasures.last"))
        )

      return UserErasures.of({
        erase: (licenseId, userId) => {
          const user = { licenseId, userId }
          const judge = Effect.asVoid(users.get(licenseId, userId))
          return {
            judge,
            first: Effect.andThen(judge, eraseEvents(user)),
            last: (before) => last(user, before)
          }
        }
      })
    })
  )
}
