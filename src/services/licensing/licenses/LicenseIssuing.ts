import { Effect } from "effect"
import type { LicenseOfKnown } from "../../../domain/licensing/licenses/License.ts"
import type { Issued } from "../../../domain/licensing/licenses/LicenseIssue.ts"
import { formatLicenseKey } from "../../../domain/keys/security/Credential.ts"
import type { JsonObject } from "../../../domain/ground/wire/CanonicalJson.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { insertLicenses, updateBegun } from "./IssueSql.ts"
import type { Begun } from "./IssueSql.ts"
import { licenseKeyPurpose, Licenses } from "./Licenses.ts"

/** A license that is to be issued: what was asked for, and what was decided about it. */
export interface LicenseToIssue {
  readonly input: LicenseOfKnown
  readonly issued: Issued
  readonly subscription_id: string | undefined
  /** Made where it is left out. */
  readonly id?: string
  /** The metadata of the event of its creation. */
  readonly metadata?: JsonObject | undefined
  /** Whether its owner may be sent its key: not with many licenses at once. */
  readonly isMailed?: boolean
}

/** How a new license begins, where that is not active. */
const begunAs = (id: string, { status }: LicenseOfKnown): ReadonlyArray<Begun> =>
  status === undefined || status === "active" ? [] : [{ id, state: status }]

/** Issues licenses that were judged. */
export const makeLicenseIssuing = Effect.gen(function*() {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const environment = yield* CurrentEnvironment
  const identifiers = yield* Identifiers
  const licenses = yield* Licenses
  const mails = yield* MailQueue
  const vault = yield* Vault

  /**
   * Puts new licenses into the states that they come with. Unlike a suspension it takes one that is expired: a renewal must
   * not bring it back into force.
   */
  const begin = Effect.fnUntraced(function*(begun: ReadonlyArray<Begun>) {
    if (begun.length === 0) return []
    yield* updateBegun(sql, begun)
    return yield* licenses.recordAll(begun.map(({ id, state }) => ({ type: `license.${state}` as const, id })))
  })

  /**
   * Issues licenses in a handful of statements, whatever their number, each with its events. Those whose key another
   * transaction has taken meanwhile are answered as `taken`.
   */
  return Effect.fnUntraced(function*<Requested extends LicenseToIssue>(requested: ReadonlyArray<Requested>) {
    const made = requested.map((row) => {
      const { id = identifiers.next("lic"), input, isMailed = false, issued, subscription_id } = row
      const { license_key = formatLicenseKey(crypto.randomBytes(15), environment) } = input
      const key_hash = vault.keyedHash(licenseKeyPurpose, license_key)
      const event = isMailed && mails.isConfigured ? { eventId: identifiers.next("evt") } : {}
      return { requested: row, id, license_key, key_hash, input, issued, subscription_id, ...event }
    })
    if (made.length === 0) return { issued: [], taken: [] }
    const written = new Set((yield* insertLicenses(sql, made)).map(({ id }) => id))
    const kept = made.filter(({ id }) => written.has(id))
    const recorded = yield* licenses.recordAll(kept.map(({ eventId, requested: { metadata }, id }) => ({
      type: "license.created",
      id,
      ...(eventId === undefined ? {} : { eventId }),
      ...(metadata === undefined ? {} : { metadata })
    })))
    const begun = yield* begin(kept.flatMap(({ id, input }) => begunAs(id, input)))
    yield* Effect.forEach(
      kept,
      ({ eventId, id, key_hash, license_key }) =>
        eventId === undefined
          ? Effect.void
          : mails.newKey({
            eventId,
            kind: "license_issued",
            licenseId: id,
            licenseKey: license_key,
            keyHash: key_hash
          }),
      {
        discard: true
      }
    )
    const left = new Map([...recorded, ...begun].map((license) => [license.id, license]))
    return {
      issued: kept.map(({ requested, id, license_key }) => ({ requested, license: left.get(id)!, license_key })),
      taken: made.flatMap(({ requested, id }) => written.has(id) ? [] : [requested])
    }
  })
})
