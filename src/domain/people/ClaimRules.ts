import { Result } from "effect"

const builtInRoleIds = ["owner", "developer", "support", "finance", "auditor"] as const
export type BuiltInRoleId = (typeof builtInRoleIds)[number]

/** Whether a text can be the ID of a role: a built-in one, or one of the vendor's own. */
const isRoleId = (text: string): boolean =>
  builtInRoleIds.some((id) => id === text) || /^role_[0-7][0-9a-hjkmnp-tv-z]{25}$/.test(text)

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

/** The claim of a name that stands on its own, or of a path such as `realm_access.roles` (Keycloak); undefined where there is none. */
export const claimAt = (claims: Claims, path: string): unknown => {
  if (Object.hasOwn(claims, path)) return claims[path] ?? undefined
  // Names may have dots themselves, as those of clients in `resource_access.<client>.roles` have.
  for (let dot = path.lastIndexOf("."); dot > 0; dot = path.lastIndexOf(".", dot - 1)) {
    const outer = Object.hasOwn(claims, path.slice(0, dot)) ? claims[path.slice(0, dot)] : undefined
    const found = isRecord(outer) ? claimAt(outer, path.slice(dot + 1)) : undefined
    if (found !== undefined) return found
  }
  return undefined
}

const isRecord = (value: unknown): value is Claims =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The address that a provider says to have verified. Cognito and Apple say so by a text. An address that is not may be anybody's. */
export const verifiedEmail = ({ email, email_verified }: Claims): string | undefined =>
  (email_verified === true || email_verified === "true") && typeof email === "string" ? email : undefined

/**
 * The claims of an ID token, and beside them those of userinfo that it lacks. An address and the word that it is verified come from one
 * of them: joined, the address of one would be verified by the other.
 */
export const joinedClaims = (token: Claims, userinfo: Claims): Claims => {
  const { email: _email, email_verified: _verified, ...rest } = { ...userinfo, ...token }
  const { email, email_verified } =
    "email_verified" in token && "email" in token || verifiedEmail(userinfo) === undefined
      ? token
      : userinfo
  return {
    ...rest,
    ...(email === undefined ? {} : { email }),
    ...(email_verified === undefined ? {} : { email_verified })
  }
}

/** Whether a provider left a claim out because it was too long, and says where else it stands (OpenID Connect 5.6.2; Entra). */
const isElsewhere = (claims: Claims, claim: string): boolean => {
  const names = claims["_claim_names"]
  return (isRecord(names) && Object.hasOwn(names, claim)) ||
    (claim === "groups" && (claims["hasgroups"] === true || claims["hasgroups"] === "true"))
}

/** The values of a claim; undefined where it says nothing. */
const valuesOf = (claims: Claims, claim: string): ReadonlyArray<string> | undefined => {
  const value = claim === "email" ? verifiedEmail(claims) : claimAt(claims, claim)
  if (value === undefined) return undefined
  return (Array.isArray(value) ? value : [value]).filter((one) => typeof one !== "object").map(String)
}

/** How far an ID token answers what a sign-in asks: `all` of it, all but a `name`, or not some of the claims that give roles. */
export const answeredBy = (
  rules: ReadonlyArray<ClaimRule>,
  token: Claims,
  isKnown: boolean
): "all" | "all but a name" | "not all rules" => {
  const isSaid = (claim: string) =>
    valuesOf(token, claim) !== undefined || (claim === "email" && "email" in token && "email_verified" in token)
  if (!rules.every(({ claim }) => isSaid(claim))) return "not all rules"
  return isKnown || rules.length === 0 || token["name"] !== undefined ? "all" : "all but a name"
}

/** The issuers whose providers leave a claim out where it would be empty: Entra, Keycloak and Okta. */
const leavingOut =
  /^https:\/\/(login\.microsoftonline\.(com|us)|sts\.windows\.net|[^/]+\.okta(preview|-emea)?\.com)\/|\/realms\/[^/]+\/?$/

/** The claims of rules that an issuer is known to leave out where they would be empty. An address is never empty. */
export const emptyClaimsOf = (issuer: string, rules: ReadonlyArray<ClaimRule>): ReadonlyArray<string> =>
  leavingOut.test(`${issuer.replace(/\/$/, "")}/`)
    ? [...new Set(rules.map(({ claim }) => claim))].filter((claim) => claim !== "email")
    : []

/** What claims say of the roles of rules. */
export interface ClaimedNow {
  /** The roles that they give, each once. */
  readonly given: ReadonlyArray<string>
  /** The roles of which they say neither that they are given nor that they are not. */
  readonly untold: ReadonlyArray<string>
  /** The reason why not all is given, in words; undefined where each claim is there. */
  readonly problem: string | undefined
}

/** The problem with a claim that a provider did not send, in words that have both reasons. */
const problemWith = (claims: Claims, claim: string): string => {
  if (isElsewhere(claims, claim)) {
    return `The identity provider did not send the claim ${claim}, because it has too many values. Have it send only the ones that ` +
      "are assigned to this application."
  }
  return claim === "email"
    ? "The identity provider does not say that it has verified the email address."
    : `The identity provider did not send the claim ${claim}: this account has nothing in it, such as no group, or the provider is ` +
      "not set up to send the claim to this application."
}

/**
 * The roles that claims give by rules, each claim judged by itself. A claim that is missing is an empty one only where the provider
 * leaves empty ones out: otherwise a provider that is set up wrongly would take all roles from everybody.
 */
export const claimedNow = (
  rules: ReadonlyArray<ClaimRule>,
  claims: Claims,
  emptyClaims: ReadonlyArray<string>
): ClaimedNow => {
  const given = rules.filter(({ claim, value }) => valuesOf(claims, claim)?.includes(value)).map(({ role }) => role)
  const missing = rules.filter(({ claim }) => valuesOf(claims, claim) === undefined)
  const untold = missing.filter(({ claim }) => isElsewhere(claims, claim) || !emptyClaims.includes(claim))
  const problems = [...new Set([...untold, ...missing].map(({ claim }) => problemWith(claims, claim)))]
  return {
    given: [...new Set(given)],
    untold: [...new Set(untold.map(({ role }) => role))].filter((role) => !given.includes(role)),
    problem: problems.length === 0 ? undefined : problems.join(" ")
  }
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
