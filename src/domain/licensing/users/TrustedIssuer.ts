import { Schema } from "effect"
import { field, notStorable, optional, text } from "../../ground/wire/Fields.ts"
import { issuerLength } from "./LicenseUser.ts"

const Admits = Schema.Literals(["invited", "anyone"]).annotate({
  identifier: "TrustedIssuerAdmission",
  description:
    "The accounts that may take a seat: those of people who are `invited`, or those of `anyone` at the issuer. A public issuer has " +
    "accounts of all people."
})

const loopback = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/

/**
 * The reason why a text is no address of an issuer, or undefined. Plain HTTP is for this machine, whose addresses are connected to
 * only where the operator allows them.
 */
export const notAnIssuer = (value: string): string | undefined => {
  const url = URL.parse(value)
  if (notStorable(value) !== undefined || url === null || value !== value.trim()) return "must be an absolute URL"
  if (url.protocol !== "https:" && !(url.protocol === "http:" && loopback.test(url.hostname))) {
    return "must begin with https://"
  }
  return url.username !== "" || url.password !== "" || /[?#]/.test(value)
    ? "must have no user name, password, query or fragment"
    : undefined
}

const Issuer = Schema.String.check(
  Schema.isBetweenLength(1, issuerLength),
  Schema.makeFilter(notAnIssuer, { toJsonSchema: () => ({ pattern: "^https?://[^\\s?#@\\x00]+$" }) })
)

const issuerText = "The identity provider (OpenID Connect), as its ID tokens name it in `iss`."
const audienceText = "The client ID of your app at the identity provider, as ID tokens name it in `aud`."
const audience = text(1, 255)

const example = { issuer: "https://login.example.com", audience: "acme-studio", admits: "invited" as const }

/** The identity provider by whose ID tokens the users of a license sign in. */
export const TrustedIssuer = Schema.Struct({
  issuer: field(Schema.String, issuerText),
  audience: field(Schema.String, audienceText),
  admits: Admits
}).annotate({
  identifier: "TrustedIssuer",
  description: "The identity provider at which the users of the license sign in.",
  examples: [example]
})
export type TrustedIssuer = typeof TrustedIssuer.Type

/** A {@link TrustedIssuer} in a request. */
export const TrustedIssuerInput = Schema.Struct({
  issuer: field(Issuer, `${issuerText} It begins with \`https://\`.`),
  audience: field(audience, audienceText),
  admits: optional(Admits, "The accounts of the issuer that may take a seat. Default: `invited`.")
}).annotate({
  identifier: "TrustedIssuerRequest",
  description: "The identity provider at which the users of the license sign in.",
  examples: [{ issuer: example.issuer, audience: example.audience }]
})
export type TrustedIssuerInput = typeof TrustedIssuerInput.Type

/** A trusted issuer as it is stored. */
export const storedIssuer = ({ admits = "invited", ...input }: TrustedIssuerInput): TrustedIssuer => ({
  ...input,
  admits
})
