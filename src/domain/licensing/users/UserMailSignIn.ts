import { Schema } from "effect"
import { echoed, Email, field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"

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
