import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import { failing, LicenseKeyInvalid, NotFound, Unauthenticated } from "../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../domain/ground/wire/Errors.ts"
import type { MailLanguage } from "../../domain/ground/wire/MailLanguage.ts"
import { parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import { formatPortalToken, isPortalToken } from "../../domain/portal/PortalUser.ts"
import { KnownCredentials } from "../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../ground/admission/RateLimits.ts"
import { Database } from "../ground/persistence/Database.ts"
import { Cryptography } from "../ground/platform/Cryptography.ts"
import { Settings } from "../ground/platform/Settings.ts"
import { Vault } from "../keys/security/Vault.ts"
import { licenseKeyPurpose } from "../licensing/licenses/Licenses.ts"
import { customerActor, holderActor } from "../log/Provenance.ts"
import type { Actor, Opener } from "../log/Provenance.ts"
import { openerIn } from "../people/PersonActor.ts"
import { callingFrom, chargeSignIn } from "../people/RefusedSignIns.ts"
import {
  deletePortalSession,
  findOwnedLicense,
  findPortalSession,
  insertCustomerSession,
  insertPortalSession,
  updateChosenCustomer,
  updatePortalUse
} from "./PortalSessionSql.ts"
import type { PortalSessionRow } from "./PortalSessionSql.ts"
import { listLinkedCustomers } from "./PortalSql.ts"
import type { LinkedCustomer } from "./PortalSql.ts"

const sessionPurpose = "portal-session"

/** A customer who is signed in: to one license, by its key, or to all that are his or hers, by an address. */
export interface PortalSession {
  /** The keyed hash of the session's secret. */
  readonly sessionHash: Uint8Array
  /** The license of a session that its key opened. */
  readonly license: { readonly licenseId: string; readonly keyHash: Uint8Array } | undefined
  /** The customer; undefined where the license has none, or where one of several is to be chosen. */
  readonly customerId: string | undefined
  /** The address of the customer. */
  readonly email: string | undefined
  readonly language: MailLanguage | undefined
  /** The customers of a session by an address, and the keyed hash of it. */
  readonly customerIds: ReadonlyArray<string>
  readonly addressHash: Uint8Array | undefined
  /** The maker of the link that opened the session, where that was somebody of the vendor. */
  readonly openedBy: Opener | undefined
}

/** A customer at a license. */
export interface PortalVisitor extends PortalSession {
  readonly licenseId: string
  readonly keyHash: Uint8Array
}

/** The actor at a license: its customer, or somebody who has its key. */
export const visitingActor = (
  { customerId, license, openedBy }: PortalSession,
  licenseId: string
): Actor =>
  license === undefined
    ? { ...customerActor(customerId, licenseId), ...(openedBy === undefined ? {} : { openedBy }) }
    : holderActor(licenseId)

/** Keyed hashes of addresses, which rows hold in their place. A customer without one has the id for it. */
export const makeAddresses = (vault: Vault["Service"]) => {
  const hashOfAddress = (address: string) => vault.keyedHash("portal-address", address.toLowerCase())
  const hashOf = ({ email, id }: Pick<LinkedCustomer, "email" | "id">) => hashOfAddress(email ?? id)
  return {
    hashOfAddress,
    hashOf,
    isOf: (customer: Pick<LinkedCustomer, "email" | "id">, hash: Uint8Array) => isSame(hashOf(customer), hash)
  }
}

const isSame = (one: Uint8Array, other: Uint8Array) => Hex.encode(one) === Hex.encode(other)

const unknownKey = failing(LicenseKeyInvalid, "No license has this key.")
const noLicense = failing(NotFound, "The session has no license with this id.")
const noCustomer = failing(NotFound, "The session has no customer with this id.")
const over = failing(Unauthenticated, "This session is unknown or has ended.")

/** Customers who are signed in to the portal. Nothing is cached: a session ends on every node at once, and with the key of its license. */
export class PortalSessions extends Context.Service<PortalSessions, {
  /** Opens a session by a license key; answers its secret. Unknown and replaced keys are refused alike. */
  readonly open: (licenseKey: string) => Effect.Effect<string, LicenseKeyInvalid | RateLimited>
  /** Opens a session by the keyed hash of a key that its license has, in the surrounding transaction. */
  readonly openFor: (keyHash: Uint8Array) => Effect.Effect<string>
  /** Opens a session of the customers who have an address, in the surrounding transaction. */
  readonly openForCustomers: (
    customerIds: ReadonlyArray<string>,
    addressHash: Uint8Array,
    opener?: Pick<Opener, "id" | "type">
  ) => Effect.Effect<string>
  readonly authorize: (token: string | undefined) => Effect.Effect<PortalSession, RateLimited | Unauthenticated>
  /** The customers whom the session may be of. */
  readonly customers: (session: PortalSession) => Effect.Effect<ReadonlyArray<LinkedCustomer>>
  /** Has the session be of one of them. */
  readonly choose: (session: PortalSession, customerId: string) => Effect.Effect<void, NotFound>
  /** The session at a license: of another customer, or of another session's, there is none. */
  readonly at: (session: PortalSession, licenseId: string) => Effect.Effect<PortalVisitor, NotFound>
  readonly end: (session: PortalSession) => Effect.Effect<void>
}>()("countersign/services/portal/PortalSessions") {
  static readonly layer = Layer.effect(
    PortalSessions,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const known = yield* KnownCredentials
      const limits = yield* RateLimits
      const vault = yield* Vault
      const { sessionHours, sessionIdleMinutes } = yield* Settings
      const addresses = makeAddresses(vault)

      const insert = Effect.fnUntraced(function*(keyHash: Uint8Array) {
        const token = formatPortalToken(crypto.randomBytes(32))
        const hash = vault.keyedHash(sessionPurpose, token)
        const [row] = yield* insertPortalSession(sql, { hash, keyHash, hours: sessionHours })
        return row === undefined ? undefined : token
      })

      /** Whether the customer of a session still has the address that it is of. */
      const isOfAddress = ({ address_hash, customer_id, email }: PortalSessionRow): boolean =>
        address_hash === null || customer_id === null || addresses.isOf({ id: customer_id, email }, address_hash)

      const openForCustomers = Effect.fnUntraced(
        function*(
          customerIds: ReadonlyArray<string>,
          addressHash: Uint8Array,
          opener?: Pick<Opener, "id" | "type">
        ) {
          const token = formatPortalToken(crypto.randomBytes(32))
          const hash = vault.keyedHash(sessionPurpose, token)
          yield* insertCustomerSession(sql, { hash, hours: sessionHours, customerIds, addressHash, opener })
          return token
        }
      )

      const open = Effect.fn("PortalSessions.open")(function*(licenseKey: string) {
        const from = yield* callingFrom
        yield* chargeSignIn(limits)
        const key = parseLicenseKey(licenseKey)
        if (key === undefined) return yield* Effect.andThen(known.signIns.malformed(from), Effect.fail(unknownKey))
        const keyHash = vault.keyedHash(licenseKeyPurpose, key)
        return (yield* known.signIns.attempt(keyHash, from, insert(keyHash))) ?? (yield* unknownKey)
      })

      const authorize = Effect.fnUntraced(function*(token: string | undefined) {
        const from = yield* callingFrom
        yield* limits.request("address", from)
        if (token === undefined) return yield* over
        if (!isPortalToken(token)) return yield* Effect.andThen(known.malformed(from), Effect.fail(over))
        const sessionHash = vault.keyedHash(sessionPurpose, token)
        const find = Effect.map(findPortalSession(sql, sessionHash, sessionIdleMinutes), ([row]) => row)
        const row = yield* known.attempt(sessionHash, from, find)
        if (row === undefined || !isOfAddress(row)) return yield* over
        const owner = row.license_id ?? row.customer_id ?? row.customer_ids![0]!
        known.learn(sessionHash, owner)
        yield* limits.request("key", owner)
        if (row.stale) yield* updatePortalUse(sql, sessionHash)
        return {
          sessionHash,
          license: row.license_id === null || row.key_hash === null
            ? undefined
            : { licenseId: row.license_id, keyHash: row.key_hash },
          customerId: row.customer_id ?? undefined,
          email: row.email ?? undefined,
          language: row.language ?? undefined,
          customerIds: row.customer_ids ?? [],
          addressHash: row.address_hash ?? undefined,
          openedBy: openerIn(row)
        }
      })

      const customers = Effect.fnUntraced(function*({ addressHash, customerIds }: PortalSession) {
        const found = yield* listLinkedCustomers(sql, customerIds)
        return found.filter((customer) => addressHash !== undefined && addresses.isOf(customer, addressHash))
      })

      const choose = Effect.fn("PortalSessions.choose")(function*(session: PortalSession, customerId: string) {
        const found = yield* customers(session)
        if (!found.some(({ id }) => id === customerId)) return yield* noCustomer
        yield* updateChosenCustomer(sql, session.sessionHash, customerId)
      })

      const at = Effect.fnUntraced(function*(session: PortalSession, licenseId: string) {
        const { customerId, license } = session
        if (license !== undefined) {
          return license.licenseId === licenseId ? { ...session, ...license } : yield* noLicense
        }
        const [found] = customerId === undefined ? [] : yield* findOwnedLicense(sql, customerId, licenseId)
        return found === undefined
          ? yield* noLicense
          : { ...session, licenseId: found.license_id, keyHash: found.key_hash }
      })

      return PortalSessions.of({
        open,
        openFor: (keyHash) => Effect.map(insert(keyHash), (token) => token!),
        openForCustomers,
        authorize,
        customers,
        choose,
        at,
        end: ({ sessionHash }) => Effect.asVoid(deletePortalSession(sql, sessionHash))
      })
    })
  )
}
