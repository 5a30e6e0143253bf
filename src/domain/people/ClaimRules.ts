import { Result } from "effect"
import { isRoleId } from "./RoleId.ts"

/** Who has a value in a claim of the identity provider has a role. */
export interface ClaimRule {
  readonly claim: string
  readonly value: string
  /** The ID of the role. */
  readonly role: string
}

/** What an identity provider says of an account, by names of claims. */
export type Claims = Readonly<Record<string, unknown>>

const shape = "must be claim=value:role, separated by commas, such as groups=license-admins:owner"

/**
 * Reads rules as they are configured: `claim=value:role`, separated by commas. The claim ends at the first `=`, and the role begins
 * behind the last `:`, so that claims may be addresses, and values may have both.
 */
export const parseClaimRules = (text: string): Result.Result<ReadonlyArray<ClaimRule>, string> => {
  const rules: Array<ClaimRule> = []
  for (const part of text.split(",").map((part) => part.trim()).filter((part) => part !== "")) {
    const [equals, colon] = [part.indexOf("="), part.lastIndexOf(":")]
    const rule = {
      claim: part.slice(0, equals).trim(),
      value: part.slice(equals + 1, colon).trim(),
      role: part.slice(colon + 1).trim()
    }
    if (equals < 1 || colon < equals || rule.claim === "" || rule.value === "") {
      return Result.fail(`${shape}; wrong: "${part}"`)
    }
    if (!isRoleId(rule.role)) {
      return Result.fail(`${shape}; "${rule.role}" is neither a built-in role nor the ID of a role`)
    }
    rules.push(rule)
  }
  return rules.length === 0 ? Result.fail(shape) : Result.succeed(rules)
}

/** Whether a provider left a claim out because it was too long, and says where else it stands (OpenID Connect 5.6.2; Entra). */
const isElsewhere = (claims: Claims, claim: string): boolean => {
  const names = claims["_claim_names"]
  return (typeof names === "object" && names !== null && Object.hasOwn(names, claim)) ||
    (claim === "groups" && (claims["hasgroups"] === true || claims["hasgroups"] === "true"))
}

/** The values of a claim; undefined where it says nothing. An address that nobody has verified may be anybody's. */
const valuesOf = (claims: Claims, claim: string): ReadonlyArray<string> | undefined => {
  if (claim === "email" && claims["email_verified"] !== true) return undefined
  const value = Object.hasOwn(claims, claim) ? claims[claim] : undefined
  if (value === undefined || value === null) return undefined
  return (Array.isArray(value) ? value : [value]).map(String)
}

/**
 * The roles that claims give by rules, each once; or, in words, why that cannot be told. A claim that is missing is no empty one: it
 * would take all roles from somebody whose provider is set up wrongly.
 */
export const claimedRoles = (
  rules: ReadonlyArray<ClaimRule>,
  claims: Claims
): Result.Result<ReadonlyArray<string>, string> => {
  for (const { claim } of rules) {
    if (isElsewhere(claims, claim)) {
      return Result.fail(
        `The identity provider did not send the claim ${claim}, because it has too many values. Have it send only the ones that ` +
          "are assigned to this application."
      )
    }
    if (valuesOf(claims, claim) === undefined) {
      return Result.fail(
        claim === "email"
          ? "The identity provider does not say that it has verified the email address."
          : `The identity provider did not send the claim ${claim}. Have it send it to this application.`
      )
    }
  }
  const roles = rules.filter(({ claim, value }) => valuesOf(claims, claim)?.includes(value)).map(({ role }) => role)
  return Result.succeed([...new Set(roles)])
}

/** The roles of a person, and which of them came by claims. */
export interface ClaimedRoles {
  readonly roles: ReadonlyArray<string>
  readonly claimed: ReadonlyArray<string>
}

/** The roles of a person once those that came by claims follow what the claims give now. What somebody gave by hand stays. */
export const followingClaims = ({ claimed, roles }: ClaimedRoles, given: ReadonlyArray<string>): ClaimedRoles => {
  const byHand = roles.filter((role) => !claimed.includes(role))
  const now = given.filter((role) => !byHand.includes(role))
  return { roles: [...byHand, ...now], claimed: now }
}

/** Whether two sets of roles are the same. */
export const isSameRoles = (one: ReadonlyArray<string>, other: ReadonlyArray<string>): boolean =>
  one.length === other.length && one.every((role) => other.includes(role))
