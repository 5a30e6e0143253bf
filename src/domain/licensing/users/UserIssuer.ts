import { Schema } from "effect"
import { field, optional, Timestamp } from "../../ground/wire/Fields.ts"
import * as Id from "../../ground/wire/Id.ts"
import { environmentMember } from "../../ground/wire/Signed.ts"
import { TrustedIssuer } from "./TrustedIssuer.ts"

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
