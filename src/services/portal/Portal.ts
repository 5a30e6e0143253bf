import { Context, Effect, Layer } from "effect"
import { failing, NotFound, SelfServiceNotAllowed, StateConflict } from "../../domain/ground/wire/Errors.ts"
import type { LicenseKeyInvalid, ValidationError } from "../../domain/ground/wire/Errors.ts"
import type { Refusals } from "../../domain/licensing/entitlements/DecisionInput.ts"
import { grantsOf } from "../../domain/licensing/entitlements/Entitlement.ts"
import type { Snapshot } from "../../domain/licensing/entitlements/Snapshot.ts"
import type { License } from "../../domain/licensing/licenses/License.ts"
import type { OwnDevice } from "../../domain/licensing/licenses/OwnDevice.ts"
import type { OfflineFileCreate, OfflineFileIssued } from "../../domain/licensing/offline/OfflineFile.ts"
import { mayHolder } from "../../domain/portal/HolderRights.ts"
import type { PortalAct } from "../../domain/portal/HolderRights.ts"
import type { PortalView } from "../../domain/portal/PortalView.ts"
import { Database, inTransaction } from "../ground/persistence/Database.ts"
import { findRenewing } from "../ground/persistence/RenewalSql.ts"
import { Vault } from "../keys/security/Vault.ts"
import { EntitlementState, licenseQuestion } from "../licensing/entitlements/EntitlementState.ts"
import { licenseKeyPurpose, Licenses } from "../licensing/licenses/Licenses.ts"
import { namedLicenseRows } from "../licensing/licenses/LicenseSearch.ts"
import { LicenseKeys } from "../licensing/lifecycle/LicenseTransfers.ts"
import { OfflineFiles } from "../licensing/offline/OfflineFiles.ts"
import type { FileRefusal } from "../licensing/offline/OfflineFiles.ts"
import { SelfService } from "../licensing/seats/SelfService.ts"
import type { Asker } from "../licensing/seats/SelfService.ts"
import { CurrentActor } from "../log/Provenance.ts"
import { PortalSessions, visitingActor } from "./PortalSessions.ts"
import type { PortalVisitor } from "./PortalSessions.ts"
import { listCovered } from "./PortalSql.ts"

/** How many devices are shown at once. */
const shownDevices = 50

/** How many licenses are listed at once. */
const shownLicenses = 50

/** How many versions are shown. */
const shownVersions = 5

/** A session by the key alone is of anybody who has it: of a license with users it sees no colleague's devices. */
const askerOf = ({ license }: PortalVisitor): Asker => license === undefined ? "owner" : { userToken: undefined }

/** Whether a visitor may do something to a license: the owner all, and who has the key alone what everybody may who has it. */
const mayDo = ({ license }: PortalVisitor, act: PortalAct, { max_users }: Pick<Snapshot, "max_users">): boolean =>
  license === undefined || mayHolder(act, max_users !== undefined)

const notWithTheKey = failing(
  SelfServiceNotAllowed,
  "All who use the license have its key. This is for its owner, who signs in by an address."
)

/** A change of the key as it is asked for. */
export interface KeyChange {
  /** The end of the key that is replaced, as the page showed it: a page that was sent twice changes it once. */
  readonly last4: string
  /** For how long the old key still works. */
  readonly overlapMinutes: number
}

/** A license as its customer sees it in the portal, and what he or she may do with it: what the terms allow as self-service. */
export class Portal extends Context.Service<Portal, {
  readonly see: (visitor: PortalVisitor, cursor?: string) => Effect.Effect<PortalView, LicenseKeyInvalid>
  /** The licenses of a customer, the newest first. */
  readonly licenses: (
    customerId: string,
    cursor?: string
  ) => Effect.Effect<{ readonly licenses: ReadonlyArray<License>; readonly next: string | null | undefined }>
  /** Gives the seat of a device of this license back. */
  readonly release: (
    visitor: PortalVisitor,
    deviceId: string
  ) => Effect.Effect<OwnDevice, Refusals["release"] | LicenseKeyInvalid | NotFound>
  /** Names a device of this license; the empty name takes its name away. */
  readonly rename: (
    visitor: PortalVisitor,
    deviceId: string,
    name: string
  ) => Effect.Effect<void, Refusals["devices"] | LicenseKeyInvalid | NotFound>
  /**
   * Replaces the key; answers the new one, and the secret of the session that goes on with it. All others by a key end; one of
   * the customer goes on as it is.
   */
  readonly changeKey: (
    visitor: PortalVisitor,
    change: KeyChange
  ) => Effect.Effect<
    { readonly licenseKey: string; readonly token: string | undefined },
    Refusals["devices"] | LicenseKeyInvalid | StateConflict
  >
  /**
   * A file for a machine without a network, under the same rules as one that management issues. When no seat is free, the device of
   * `takeSeatOf` gives its seat back, under the rules of a release, and both are done or neither.
   */
  readonly issueFile: (
    visitor: PortalVisitor,
    input: OfflineFileCreate,
    takeSeatOf?: string
  ) => Effect.Effect<
    OfflineFileIssued,
    FileRefusal | Refusals["release"] | LicenseKeyInvalid | NotFound | ValidationError
  >
}>()("countersign/services/portal/Portal") {
  static readonly layer = Layer.effect(
    Portal,
    Effect.gen(function*() {
      const sql = yield* Database
      const keys = yield* LicenseKeys
      const files = yield* OfflineFiles
      const licenses = yield* Licenses
      const selfService = yield* SelfService
      const sessions = yield* PortalSessions
      const states = yield* EntitlementState
      const vault = yield* Vault

      const see = Effect.fn("Portal.see")(function*(visitor: PortalVisitor, cursor?: string) {
        const snapshot = yield* states.read(licenseQuestion(visitor))
        // A license that has a key is never deleted.
        const license = yield* Effect.orDie(licenses.show(visitor.licenseId, { names: true }))
        const versions = yield* listCovered(sql, {
          productId: license.product_id,
          maintenanceEnd: snapshot.maintenance_expires_at,
          limit: shownVersions
        })
        const [following] = license.follows_subscription === true ? yield* findRenewing(sql, license.id) : []
        const page = (from: string | undefined) =>
          selfService.list(visitor, { by: askerOf(visitor), page: { limit: shownDevices, cursor: from } })
        const devices = yield* page(cursor).pipe(
          Effect.catchTag("INVALID_CURSOR", () => Effect.orDie(page(undefined))),
          Effect.catchTags({
            LICENSE_INACTIVE: () => Effect.succeed(undefined),
            // It is refused for a false credential alone, and here there is none.
            USER_SIGN_IN_REQUIRED: Effect.die,
            SELF_SERVICE_NOT_ALLOWED: () => Effect.succeed(undefined)
          })
        )
        return {
          license,
          renewsItself: following?.renews ?? false,
          seats: snapshot.max_activations,
          features: grantsOf(snapshot, undefined).features,
          devices,
          versions: versions.map(({ links, released_at, version }) => ({
            version,
            released_at: released_at.toISOString(),
            links: links ?? []
          })),
          hasUsers: snapshot.max_users !== undefined,
          hasFiles: snapshot.allow_offline_activation && mayDo(visitor, "issueFile", snapshot),
          mayChangeKey: devices !== undefined && mayDo(visitor, "changeKey", snapshot)
        }
      })

      const list = Effect.fn("Portal.licenses")(function*(customerId: string, cursor?: string) {
        const page = (from: string | undefined) =>
          licenses.list({ customer_id: customerId }, { limit: shownLicenses, cursor: from }, { names: true })
        const { page_info, rows } = yield* page(cursor).pipe(
          Effect.catchTag("INVALID_CURSOR", () => Effect.orDie(page(undefined)))
        )
        return { licenses: namedLicenseRows.read(rows), next: page_info.next_cursor }
      })

      const release = (visitor: PortalVisitor, deviceId: string) =>
        selfService.release(visitor, deviceId, askerOf(visitor), visitingActor(visitor, visitor.licenseId))
          .pipe(Effect.catchTag("USER_SIGN_IN_REQUIRED", Effect.die))

      /** Refuses what is for the owner to who has the key alone. */
      const judged = Effect.fnUntraced(function*(visitor: PortalVisitor, act: PortalAct) {
        if (visitor.license === undefined) return
        const { snapshot } = yield* selfService.read(visitor)
        if (!mayDo(visitor, act, snapshot)) return yield* notWithTheKey
      })

      const rename = (visitor: PortalVisitor, deviceId: string, name: string) =>
        Effect.andThen(
          judged(visitor, "renameDevice"),
          selfService.rename(visitor, deviceId, askerOf(visitor), name)
        ).pipe(
          Effect.catchTag("USER_SIGN_IN_REQUIRED", Effect.die),
          Effect.provideService(CurrentActor, visitingActor(visitor, visitor.licenseId))
        )

      const changeKey = Effect.fn("Portal.changeKey")((visitor: PortalVisitor, change: KeyChange) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const { snapshot } = yield* selfService.hold(visitor)
            const { license_id } = snapshot
            if (!mayDo(visitor, "changeKey", snapshot)) return yield* notWithTheKey
            const before = yield* Effect.orDie(licenses.get(license_id))
            if (before.license_key_last4 !== change.last4) {
              return yield* failing(StateConflict, "The key of the license was changed meanwhile.")
            }
            const { license_key } = yield* keys.rotate(license_id, { overlap_minutes: change.overlapMinutes }).pipe(
              Effect.catchTag("NOT_FOUND", Effect.die),
              Effect.provideService(CurrentActor, visitingActor(visitor, license_id))
            )
            const token = visitor.license === undefined
              ? undefined
              : yield* sessions.openFor(vault.keyedHash(licenseKeyPurpose, license_key))
            return { licenseKey: license_key, token }
          })
        )
      )

      const issueFile = Effect.fn("Portal.issueFile")(
        (visitor: PortalVisitor, input: OfflineFileCreate, takeSeatOf?: string) => {
          const issued = files.issue(visitor.licenseId, input).pipe(
            Effect.map(({ data }) => data),
            Effect.provideService(CurrentActor, visitingActor(visitor, visitor.licenseId))
          )
          const given = takeSeatOf === undefined ? issued : inTransaction(
            sql,
            Effect.catchTag(
              issued,
              "ACTIVATION_LIMIT_EXCEEDED",
              () => Effect.andThen(release(visitor, takeSeatOf), issued)
            )
          )
          return Effect.andThen(judged(visitor, "issueFile"), given)
        }
      )

      return Portal.of({ see, licenses: list, release, rename, changeKey, issueFile })
    })
  )
}
