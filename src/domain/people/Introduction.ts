import { Schema } from "effect"
import { isEmail } from "../wire/Email.ts"
import { Name } from "../wire/Fields.ts"
import type { Claims } from "./ClaimRules.ts"

const isName = Schema.is(Name)

/** Name and address of an account, as far as its provider says them. An address that nobody has verified may be anybody's. */
export const introducedBy = (
  claims: Claims,
  subject: string
): { readonly name: string; readonly email: string | null } => {
  const { email, email_verified, name, preferred_username } = claims
  const own = email_verified === true && typeof email === "string" && isEmail(email) ? email : null
  const offered = [name, preferred_username, own, subject].map((text) => typeof text === "string" ? text.trim() : text)
  return { name: offered.find(isName) ?? "Nameless", email: own }
}
