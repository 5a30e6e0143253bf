import { Context, Effect, Layer, Queue, Result, Schedule } from "effect"
import { failing, MailboxNotProven, NotFound, UserNotAllowed } from "../../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { keptEmail } from "../../../domain/licensing/users/LicenseUser.ts"
import { signInMinutes, userSignIn } from "../../../domain/licensing/users/UserSignIn.ts"
import type { Account } from "../../../domain/licensing/users/UserSignIn.ts"
import { secretOf } from "../../../domain/people/SessionCookie.ts"
import { formatPortalCode, mostTries, readPortalCode } from "../../../domain/portal/PortalLink.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { RateLimits } from "../../ground/admission/RateLimits.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Settings } from "../../ground/platform/Settings.ts"
import { supervised } from "../../ground/platform/Supervised.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { MailQueue, makeMailPace } from "../../mail/MailQueue.ts"
import { callingFrom, chargeSignIn } from "../../people/RefusedSignIns.ts"
import {
  findLinkedSignIn,
  findMailSignIn,
  insertMailSignIn,
  listMailboxes,
  updateCodeTried,
  updateLinkConfirmed,
  updateMailed
} from "./UserMailSignInSql.ts"
import type { LinkedSignIn } from "./UserMailSignInSql.ts"

/** How many sign-ins wait for their address to be looked up. More are dropped: whoever asked asks again. */
const mostAsked = 1_000

/** A sign-in whose address is to be looked up. */
interface AskedSignIn {
  readonly licenseId: string
  readonly email: string
  readonly token: string
  readonly reference: string
}

/** A sign-in that has begun. */
interface BegunSignIn {
  readonly token: string
  readonly reference: string
  readonly expiresAt: Date
}

/** A person who has an address, as a sign-in is decided by it. */
const accountOf = (email: string): Account => ({
  issuer: undefined,
  subject: undefined,
  email,
  isVerified: true,
  name: undefined
})

const pending = failing(MailboxNotProven, "Neither the code was entered nor the link was confirmed yet.", {
  detail: "pending"
})
const invalid = failing(MailboxNotProven, "The code is wrong, or the sign-in is over. Begin a new one.", {
  detail: "invalid"
})
const unknownLink = failing(NotFound, "The link is unknown, was used, or is over.")
const mailsOff = failing(UserNotAllowed, "The service sends no mails.", { detail: "no_mail" })

/** The keyed hashes by which the secrets of sign-ins are known. A code is hashed with the secret of its app. */
const makeHashes = ({ keyedHash }: Vault["Service"]) => ({
  tokenHashOf: (token: string) => keyedHash("user-mail-sign-in", token),
  linkHashOf: (secret: string) => keyedHash("user-mail-link", secret),
  codeHashOf: (token: string, code: string) => keyedHash("user-mail-code", `${token} ${code}`)
})

/** Sign-ins of users by a mail to their address, for licenses that trust no identity provider. */
export class UserMailSignIns extends Context.Service<UserMailSignIns, {
  /**
   * Begins a sign-in of a license with users. Whether the address is invited is looked up afterwards, so that neither the answer nor its
   * time tells it.
   */
  readonly begin: (licenseId: string, email: string) => Effect.Effect<BegunSignIn, RateLimited | UserNotAllowed>
  /** The person who has proven the mailbox of a sign-in, by the code or, without one, by the link. */
  readonly prove: (
    licenseId: string,
    proof: { readonly token: string; readonly code: string | undefined }
  ) => Effect.Effect<Account, MailboxNotProven>
  /** The sign-in of a link: it stays as it is. */
  readonly look: (secret: string) => Effect.Effect<LinkedSignIn, NotFound | RateLimited>
  /** Confirms the sign-in of a link, which lets the app that waits finish. */
  readonly confirm: (secret: string) => Effect.Effect<void, NotFound | RateLimited>
}>()("countersign/services/licensing/users/UserMailSignIns") {
  static readonly layer = Layer.effect(
    UserMailSignIns,
    Effect.gen(function*() {
      const sql = yield* Database
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const identifiers = yield* Identifiers
      const known = yield* KnownCredentials
      const limits = yield* RateLimits
      const pace = yield* makeMailPace
      const mails = yield* MailQueue
      const vault = yield* Vault
      const { publicUrl } = yield* Settings
      const { codeHashOf, linkHashOf, tokenHashOf } = makeHashes(vault)

      const asked = yield* Queue.dropping<AskedSignIn>(mostAsked)

      /** Mails the code to a person who could sign in if a seat is free. */
      const answerAsked = ({ email, licenseId, reference, token }: AskedSignIn) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const candidates = yield* listMailboxes(sql, licenseId, email)
            const account = accountOf(email)
            const decided = userSignIn({ account, admits: "invited", candidates, seats: { taken: 0, limit: 1 } })
            const [newest] = candidates
            if (Result.isFailure(decided) || newest === undefined) return
            const userId = decided.success.kind === "new" ? newest.id : decided.success.id
            const secret = secretOf("cml", crypto.randomBytes(32))
            const code = formatPortalCode(crypto.randomBytes(5))
            const tokenHash = tokenHashOf(token)
            yield* updateMailed(sql, {
              tokenHash,
              userId,
              linkHash: linkHashOf(secret),
              codeHash: codeHashOf(token, code)
            })
            // The pages are of the live environment.
            const url = environment === "live" ? { url: `${publicUrl}/user-sign-in?token=${secret}` } : {}
            yield* mails.toUser({
              eventId: identifiers.next("evt"),
              kind: "user_sign_in",
              licenseId,
              userId,
              isAsked: true,
              secrets: { code, ...url },
              secretHash: tokenHash,
              details: { reference }
            })
          })
        )

      yield* Effect.forkScoped(
        supervised("Mailing codes to users", Effect.flatMap(Queue.take(asked), answerAsked), Schedule.forever)
      )

      const begin = Effect.fn("UserMailSignIns.begin")(function*(licenseId: string, given: string) {
        if (!mails.isConfigured) return yield* mailsOff
        const email = keptEmail(given)
        yield* chargeSignIn(limits)
        yield* limits.request("license_mails", licenseId)
        yield* pace.to("user_mails", email, licenseId)
        const token = secretOf("cms", crypto.randomBytes(32))
        const reference = formatPortalCode(crypto.randomBytes(5)).slice(0, 4)
        const tokenHash = tokenHashOf(token)
        const [row] = yield* insertMailSignIn(sql, { tokenHash, licenseId, reference, minutes: signInMinutes })
        yield* Queue.offer(asked, { licenseId, email, token, reference })
        return { token, reference, expiresAt: row!.expires_at }
      })

      const prove = Effect.fn("UserMailSignIns.prove")(function*(
        licenseId: string,
        { code, token }: { readonly token: string; readonly code: string | undefined }
      ) {
        const tokenHash = tokenHashOf(token)
        if (code !== undefined) {
          const codeHash = codeHashOf(token, readPortalCode(code))
          const [row] = yield* updateCodeTried(sql, { tokenHash, licenseId, codeHash, most: mostTries })
          if (row?.is_right !== true) return yield* invalid
        }
        const [found] = yield* findMailSignIn(sql, tokenHash, licenseId)
        if (found === undefined) return yield* invalid
        if (!found.is_confirmed) return yield* pending
        return found.email === null ? yield* invalid : accountOf(found.email)
      })

      /** Tries the secret of a link: failures of one network are limited, as those of other credentials are. */
      const tried = Effect.fnUntraced(function*<A>(
        secret: string,
        find: (hash: Uint8Array) => Effect.Effect<ReadonlyArray<A>>
      ) {
        const hash = linkHashOf(secret)
        const first = Effect.map(find(hash), ([found]) => found)
        return (yield* known.signIns.attempt(hash, yield* callingFrom, first)) ?? (yield* unknownLink)
      })

      return UserMailSignIns.of({
        begin,
        prove,
        look: (secret) => tried(secret, (hash) => findLinkedSignIn(sql, hash).asEffect()),
        confirm: (secret) => Effect.asVoid(tried(secret, (hash) => updateLinkConfirmed(sql, hash).asEffect()))
      })
    })
  )
}
