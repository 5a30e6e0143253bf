import { Context, Effect, Layer } from "effect"
import type { SelfService as SelfServiceTerms } from "../../../domain/catalog/terms/SelfService.ts"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, LicenseKeyInvalid, UserSignInRequired } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { decide } from "../../../domain/licensing/entitlements/Decision.ts"
import type { Refusals } from "../../../domain/licensing/entitlements/DecisionInput.ts"
import type { Snapshot } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { ownDeviceOf } from "../../../domain/licensing/licenses/OwnDevice.ts"
import type { OwnDevice } from "../../../domain/licensing/licenses/OwnDevice.ts"
import { reachRefusal } from "../../../domain/licensing/users/UserRules.ts"
import { readSelfService } from "../../catalog/terms/FeatureTerms.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentActor, licenseActor } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import { decided } from "../entitlements/DecisionMetrics.ts"
import { EntitlementState, licenseQuestion } from "../entitlements/EntitlementState.ts"
import type { RuntimeCredential } from "../entitlements/EntitlementState.ts"
import { Devices } from "../licenses/Devices.ts"
import { listDevicesOfUsers } from "../licenses/LicenseUserSql.ts"
import { findOwnDevice, listOwnDevices, reachConditions, readOwn, seatTakingConditions } from "./SelfServiceSql.ts"

/** Until when the seat of a device stays taken, as a member. */
const heldOf = ({ seat_held_until }: { readonly seat_held_until?: string }) =>
  seat_held_until === undefined ? {} : { seat_held_until }

/** The caller of self-service: somebody with the license key, who may name a user, or the owner of the license, whose are all devices. */
export type Asker = "owner" | { readonly userToken: string | undefined }

/** Self-service: changes that the holder of a license key makes to the devices of the license, where its terms allow it. */
export class SelfService extends Context.Service<SelfService, {
  /**
   * The devices in reach of who asks that hold a seat, newest first; `thisId` is the device that asks, if it says so.
   */
  readonly list: (
    credential: RuntimeCredential,
    asked: { readonly by: Asker; readonly thisId?: string | undefined; readonly page: PageRequest }
  ) => Effect.Effect<Page<OwnDevice>, Refusals["devices"] | LicenseKeyInvalid | InvalidCursor | UserSignInRequired>
  /**
   * Gives the seat of a device in reach back, in the name of the app unless another actor is told. A device without a seat is answered
   * as it is, and counts nothing. Callers at once wait for each other at the row of the license, so that no more seats are given back than its terms say.
   */
  readonly release: (
    credential: RuntimeCredential,
    deviceId: string,
    by: Asker,
    actor?: Actor
  ) => Effect.Effect<OwnDevice, Refusals["release"] | LicenseKeyInvalid | NotFound | UserSignInRequired>
  /** Names a device in reach of who asks, in the name of the current actor; the empty name takes its name away. */
  readonly rename: (
    credential: RuntimeCredential,
    deviceId: string,
    by: Asker,
    name: string
  ) => Effect.Effect<void, Refusals["devices"] | LicenseKeyInvalid | NotFound | UserSignInRequired>
  /**
   * Gives the seats of a user's devices back, in the surrounding transaction and in the name of the current actor. It counts as one
   * release, however many they are, and as none where there is none.
   */
  readonly releaseUser: (
    credential: RuntimeCredential,
    userId: string
  ) => Effect.Effect<void, Refusals["release"] | LicenseKeyInvalid>
  /** The license as it is now, and whether its terms allow self-service at this moment. */
  readonly read: (
    credential: RuntimeCredential
  ) => Effect.Effect<{ readonly snapshot: Snapshot; readonly isAllowed: boolean }, LicenseKeyInvalid>
  /** Locks the license until the surrounding transaction ends; refused where its terms allow no self-service at this moment. */
  readonly hold: (
    credential: RuntimeCredential
  ) => Effect.Effect<
    { readonly snapshot: Snapshot; readonly selfService: SelfServiceTerms },
    Refusals["devices"] | LicenseKeyInvalid
  >
}>()("countersign/services/licensing/seats/SelfService") {
  static readonly layer = Layer.effect(
    SelfService,
    Effect.gen(function*() {
      const sql = yield* Database
      const devices = yield* Devices
      const states = yield* EntitlementState

      const questionBy = (credential: RuntimeCredential, by: Asker) => ({
        ...licenseQuestion(credential),
        userToken: by === "owner" ? undefined : by.userToken
      })

      /** By whose devices those in reach are limited; undefined where all are in reach. */
      const reachOf = ({ user }: Snapshot, by: Asker) => {
        if (by === "owner") return Effect.undefined
        const refusal = reachRefusal(user)
        return refusal === undefined ? Effect.succeed(user) : Effect.fail(refusal)
      }

      /** The self-service that there is; refused where there is none. */
      const admitted = Effect.fnUntraced(function*(snapshot: Snapshot) {
        const found = yield* readSelfService(sql, [snapshot.license_id])
        const selfService = { ...found.get(snapshot.license_id)!, holdsSeat: false }
        yield* Effect.fromResult(decide("devices", snapshot, {}, { selfService }))
        return selfService
      })

      /** A device in reach of who asks. */
      const reached = Effect.fnUntraced(function*(snapshot: Snapshot, deviceId: string, by: Asker) {
        const [row] = yield* findOwnDevice(sql, snapshot.license_id, deviceId, yield* reachOf(snapshot, by))
        return row === undefined ? yield* failing(NotFound, "The license has no device with this id.") : readOwn(row)
      })

      const list = Effect.fn("SelfService.list")(
        function*(
          credential: RuntimeCredential,
          { by, page, thisId }: {
            readonly by: Asker
            readonly thisId?: string | undefined
            readonly page: PageRequest
          }
        ) {
          const snapshot = yield* states.read(questionBy(credential, by))
          yield* admitted(snapshot)
          const user = yield* reachOf(snapshot, by)
          return yield* sortedPage({
            sql,
            list: "own-devices",
            products: "owned",
            filters: { licenseId: snapshot.license_id, ...(user === undefined ? {} : { userId: user.id ?? null }) },
            page,
            alias: "d.",
            conditions: [...seatTakingConditions(sql, snapshot.license_id), ...reachConditions(sql, user)],
            rows: (clauses, limit) => listOwnDevices(sql, clauses, limit),
            read: (row) => ownDeviceOf(readOwn(row), thisId)
          })
        },
        decided("devices")
      )

      const release = Effect.fn("SelfService.release")((
        credential: RuntimeCredential,
        deviceId: string,
        by: Asker,
        actor?: Actor
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const snapshot = yield* states.readLocked(questionBy(credential, by))
            const { license_id } = snapshot
            const selfService = yield* admitted(snapshot)
            const device = yield* reached(snapshot, deviceId, by)
            const holdsSeat = device.status === "active"
            yield* Effect.fromResult(decide("release", snapshot, {}, {
              deviceStatus: device.status,
              selfService: { ...selfService, holdsSeat }
            }))
            if (!holdsSeat) return ownDeviceOf(device)
            const given = yield* Effect.provideService(
              devices.giveBack(license_id, deviceId, selfService),
              CurrentActor,
              actor ?? licenseActor(license_id)
            )
            return ownDeviceOf({ ...given, ...heldOf(device) })
          })
        ).pipe(decided("release"))
      )

      const rename = Effect.fn("SelfService.rename")((
        credential: RuntimeCredential,
        deviceId: string,
        by: Asker,
        name: string
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const snapshot = yield* states.readLocked(questionBy(credential, by))
            yield* admitted(snapshot)
            const { id } = yield* reached(snapshot, deviceId, by)
            yield* devices.rename(snapshot.license_id, id, name)
          })
        )
      )

      const releaseUser = Effect.fn("SelfService.releaseUser")((credential: RuntimeCredential, userId: string) =>
        Effect.gen(function*() {
          const snapshot = yield* states.readLocked(licenseQuestion(credential))
          const { license_id } = snapshot
          const selfService = { ...yield* admitted(snapshot), holdsSeat: true }
          const [first, ...more] = (yield* listDevicesOfUsers(sql, license_id, [userId])).map(({ id }) => id)
          if (first === undefined) return
          yield* Effect.fromResult(decide("release", snapshot, {}, { deviceStatus: "active", selfService }))
          yield* devices.giveBack(license_id, first, selfService)
          yield* devices.resetSome(license_id, more)
        }).pipe(decided("release"))
      )

      const read = Effect.fn("SelfService.read")(function*(credential: RuntimeCredential) {
        const snapshot = yield* states.read(licenseQuestion(credential))
        return { snapshot, isAllowed: yield* Effect.isSuccess(admitted(snapshot)) }
      })

      const hold = Effect.fn("SelfService.hold")(function*(credential: RuntimeCredential) {
        const snapshot = yield* states.readLocked(licenseQuestion(credential))
        return { snapshot, selfService: yield* admitted(snapshot) }
      })

      return SelfService.of({ list, release, releaseUser, read, rename, hold })
    })
  )
}
