import { Result, Schema } from "effect"
import { failing, UserLimitExceeded, UserNotAllowed } from "../../ground/wire/Errors.ts"
import { bigCount, count, echoed, Email, field, optional, text, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { LicenseUser, TrustedIssuer } from "./LicenseUser.ts"
import type { LicenseUserStatus, RemovedBecause } from "./LicenseUser.ts"
import { userTokenLength } from "./UserToken.ts"

/** What an erasure left of a user, and what lost personal values. */
export const LicenseUserErasure = Schema.Struct({
  user: LicenseUser,
  events: field(
    bigCount(0),
    "Events that lost their personal values; their hashes, and every proof of them, stay as they are."
  ),
  exports: field(
    bigCount(0),
    "Exports that contained a reason that was erased. They have expired; their digests remain."
  ),
  devices: field(count(0), "Devices of the user that lost their name, hostname or network address."),
  reasons: field(count(0), "Activities that lost the reason that was given.")
}).annotate({
  identifier: "LicenseUserErasure",
  description: "The result of the erasure of a user.",
  examples: [{
    user: {
      id: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
      license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
      status: "removed",
      removed_because: "erased",
      created_at: "2026-11-21T10:30:00.000Z",
      joined_at: "2026-11-21T10:35:00.000Z",
      removed_at: "2026-11-28T09:00:00.000Z"
    },
    events: 5,
    exports: 0,
    devices: 1,
    reasons: 0
  }]
})
export type LicenseUserErasure = typeof LicenseUserErasure.Type

/** Where the users of a license sign in, as an app is told it, signed: nobody in between sends people to a page of another. */
export const UserIssuer = Schema.Struct({
  ...environmentMember,
  license_id: Id.text("lic"),
  issuer: TrustedIssuer.fields.issuer,
  audience: TrustedIssuer.fields.audience,
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(Timestamp, "Time until which the response may be used."),
  nonce: optional(Schema.String, "The nonce of the request.")
}).annotate({
  identifier: "UserIssuerResponseData",
  description: "The identity provider at which the users of the license sign in.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    issuer: "https://login.example.com",
    audience: "acme-studio",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-22T10:30:00.000Z",
    nonce: "n-7f3a9c21d0"
  }]
})
export type UserIssuer = typeof UserIssuer.Type

/** How long a sign-in by mail waits for its code or its link, in minutes. */
export const signInMinutes = 15

/** A sign-in by mail to begin. */
export const UserMailSignInRequest = Schema.Struct({
  email: field(Email, "The email address that was invited."),
  nonce: optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot " +
      "be replayed to you. Alternative: the header x-nonce."
  )
}).annotate({
  identifier: "UserMailSignInRequest",
  description: "A person who signs in by a mail to his or her address.",
  examples: [{ email: "ada@example.com", nonce: "n-7f3a9c21d0" }]
})
export type UserMailSignInRequest = typeof UserMailSignInRequest.Type

/** A sign-in by mail that has begun, signed: the same for every address. */
export const UserMailSignIn = Schema.Struct({
  ...environmentMember,
  license_id: Id.text("lic"),
  sign_in_token: field(
    Schema.String,
    "The secret of this sign-in, for `mail_sign_in_token`. Keep it in memory: code and link of the mail work with it alone."
  ),
  reference: field(
    Schema.String,
    "Four characters to show to the person. The mail and the page of its link show the same, if they are about this sign-in."
  ),
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(Timestamp, "Time until which the code and the link work."),
  nonce: optional(Schema.String, "The nonce of the request.")
}).annotate({
  identifier: "UserMailSignInResponseData",
  description: "A sign-in by mail that has begun. It says nothing about whether the address is invited.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    sign_in_token: "cms_q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA",
    reference: "7K3P",
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-21T10:45:00.000Z",
    nonce: "n-7f3a9c21d0"
  }]
})
export type UserMailSignIn = typeof UserMailSignIn.Type

/** An ID token as it is sent: a JWT in the compact form (RFC 7519). */
const idToken = Schema.String.check(
  Schema.isBetweenLength(1, 8192),
  Schema.isPattern(/^[A-Za-z0-9._-]+$/, {
    expected: "a JWT in the compact form",
    toJsonSchema: () => ({ pattern: "^[A-Za-z0-9._-]+$" })
  })
)

/** A sign-in: by an ID token, by a mail, or by the renewal of an earlier one. */
export const UserSignInRequest = Schema.Struct({
  id_token: optional(
    idToken,
    "The ID token (OpenID Connect) that the identity provider of the license gave your app."
  ),
  id_token_nonce: optional(
    text(1, 255),
    "The `nonce` that your app had asked for. With it, the ID token must have it."
  ),
  mail_sign_in_token: optional(
    text(1, 100),
    "The `sign_in_token` of a sign-in by mail, in the place of `id_token`. Needs `fingerprint`."
  ),
  mail_code: optional(
    text(1, 40),
    "The code of the mail, as the person typed it. Without it, the person must have confirmed the link in the mail."
  ),
  renewal_token: optional(
    text(1, userTokenLength),
    "The `renewal_token` of an earlier sign-in by mail, in the place of `id_token`. Needs the same `fingerprint`."
  ),
  fingerprint: optional(text(1, 255), "The fingerprint of the machine, to which the `renewal_token` is bound."),
  nonce: optional(
    echoed(8, 128),
    "8 to 128 characters of your choice. The signed response repeats them, so that an old response cannot " +
      "be replayed to you. Alternative: the header x-nonce."
  )
}).annotate({
  description: "A person to sign in: by an ID token, by a mail, or by a renewal.",
  examples: [{ id_token: "eyJhbGciOiJFUzI1NiJ9.e30.c2ln", nonce: "n-7f3a9c21d0" }]
}).check(
  Schema.makeFilter((request: {
    readonly id_token?: string
    readonly mail_sign_in_token?: string
    readonly renewal_token?: string
    readonly fingerprint?: string
  }) => {
    const proofs = [request.id_token, request.mail_sign_in_token, request.renewal_token]
    if (proofs.filter((proof) => proof !== undefined).length !== 1) {
      return { path: ["id_token"], issue: "is required, unless there is one of mail_sign_in_token and renewal_token" }
    }
    return request.id_token === undefined && (request.fingerprint ?? "").trim() === ""
      ? { path: ["fingerprint"], issue: "is required without id_token" }
      : undefined
  })
).annotate({ identifier: "UserSignInRequest" })
export type UserSignInRequest = typeof UserSignInRequest.Type

/** A credential of a user, as examples show it. */
export const exampleUserToken = "csu_bGljXzA2ZXFweDE.q83vEjRWeJCrze8SNFZ4kKvN7xI0VniQq83vEjRWeJA"

/** What a sign-in answers, signed. */
export const UserSignIn = Schema.Struct({
  ...environmentMember,
  license_id: Id.text("lic"),
  user_id: Id.text("usr"),
  user_email: optional(Schema.String, "The email address of the user."),
  user_name: optional(Schema.String, "The name of the user."),
  user_token: field(
    Schema.String,
    "The credential of the user for other calls. Keep it as you keep a password. It ends when the user is removed."
  ),
  renewal_token: optional(
    Schema.String,
    "After a sign-in by mail: signs the person in again on this machine without a mail. Keep it as you keep a password."
  ),
  renewal_until: optional(Timestamp, "Time until which the `renewal_token` is good."),
  issued_at: field(Timestamp, "Time of the signature."),
  valid_until: field(
    Timestamp,
    "Time until which the `user_token` is good. Sign in before with a fresh ID token, or with the `renewal_token`."
  ),
  nonce: optional(Schema.String, "The nonce of the request.")
}).annotate({
  identifier: "UserSignInResponseData",
  description: "The user who is signed in.",
  examples: [{
    license_id: "lic_06eqpx1trxz3h94vqjm3a6kz7c",
    user_id: "usr_06eqpx1trxz3h94vqjm3a6kz7c",
    user_email: "ada@example.com",
    user_token: exampleUserToken,
    issued_at: "2026-11-21T10:30:00.000Z",
    valid_until: "2026-11-22T10:30:00.000Z",
    nonce: "n-7f3a9c21d0"
  }]
})
export type UserSignIn = typeof UserSignIn.Type

/** The longest that a sign-in lasts, in minutes: a directory takes a seat away within a day. */
const longestMinutes = 24 * 60

/** Until when a sign-in lasts: for the interval between two validations, or a day where that is longer. */
export const signedInUntil = (now: Date, validationMinutes: number): Date =>
  // Whole seconds, as the credential says them.
  new Date((Math.floor(now.getTime() / 1000) + Math.min(validationMinutes, longestMinutes) * 60) * 1000)

/** An account that an identity provider vouches for, or a mailbox that was proven and has none. */
export interface Account {
  readonly issuer: string | undefined
  readonly subject: string | undefined
  readonly email: string | undefined
  /** Whether the provider verified the address. */
  readonly isVerified: boolean
  readonly name: string | undefined
}

/** A user who may be the account: the one with it, or one who is known by its address alone. */
export interface UserCandidate {
  readonly id: string
  readonly status: LicenseUserStatus
  readonly removed_because: RemovedBecause | null
  readonly is_account: boolean
}

/** What a sign-in is decided by. `candidates` are the newest first. */
export interface SignInInput {
  readonly account: Account
  readonly admits: TrustedIssuer["admits"]
  readonly candidates: ReadonlyArray<UserCandidate>
  readonly seats: { readonly taken: number; readonly limit: number }
}

/** The user of a sign-in: one who has a seat, one who takes it, or one who is new. */
export type SignedIn =
  | { readonly kind: "seated"; readonly id: string }
  | { readonly kind: "joins"; readonly id: string }
  /** A user with a seat who was known by the mailbox, and is by the account from now on. */
  | { readonly kind: "bound"; readonly id: string }
  | { readonly kind: "new" }

const notAllowed = (detail: string, message: string) => failing(UserNotAllowed, message, { detail })

/** Whose seat an account takes, or why it takes none. */
const admitted = ({ account, admits, candidates }: SignInInput): Result.Result<SignedIn, UserNotAllowed> => {
  const own = candidates.filter((user) => user.is_account)
  const seated = own.find(({ status }) => status === "active")
  if (seated !== undefined) return Result.succeed({ kind: "seated", id: seated.id })
  const invitation = own.find(({ status }) => status === "invited") ??
    (account.isVerified ? candidates.find(({ is_account, status }) => !is_account && status === "invited") : undefined)
  if (invitation !== undefined) return Result.succeed({ kind: "joins", id: invitation.id })
  const mailbox = account.isVerified
    ? candidates.find(({ is_account, status }) => !is_account && status === "active")
    : undefined
  if (mailbox !== undefined) return Result.succeed({ kind: "bound", id: mailbox.id })
  const last = own[0]?.removed_because
  if (last === "removed") {
    return Result.fail(notAllowed("removed", "The person was removed from the license: only a new invitation helps."))
  }
  // Who lost the seat to a smaller policy comes back when one is free.
  if (admits === "anyone" || last === "reduced") return Result.succeed({ kind: "new" })
  return Result.fail(
    account.email !== undefined && !account.isVerified
      ? notAllowed("email_not_verified", "The identity provider has not verified the address of the person.")
      : notAllowed("not_invited", "The person is not invited to use the license.")
  )
}

/** Decides a sign-in: whoever has a seat keeps it, and whoever is admitted takes one that is free. */
export const userSignIn = (input: SignInInput): Result.Result<SignedIn, UserLimitExceeded | UserNotAllowed> =>
  Result.flatMap(admitted(input), (signedIn): Result.Result<SignedIn, UserLimitExceeded> => {
    const { limit, taken } = input.seats
    return signedIn.kind === "seated" || signedIn.kind === "bound" || taken < limit
      ? Result.succeed(signedIn)
      : Result.fail(failing(UserLimitExceeded, "All seats for users of the license are taken.", {
        detail: `${taken} of ${limit} in use`
      }))
  })
