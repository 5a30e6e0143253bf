import { environmentNames, namedEnvironments } from "./EnvironmentName.ts"
import type { EnvironmentName } from "./EnvironmentName.ts"

/*
 * An environment is a world of its own on its own database: what happens in one cannot be noticed in another. Which one a
 * request is for, its credential says.
 */

/** How the credentials and addresses of an environment differ from those of others. */
export interface EnvironmentForm {
  /** What stands behind `csk_`, `cpk_` and `admin_` in its tokens. */
  readonly tokenMark: string
  /** What its license keys begin with. */
  readonly keyLead: string
  /** The value that the check of a license key sums to (GF(32)): a key that lost or gained its mark is mistyped. */
  readonly keyCheck: number
  /** What its addresses begin with, where no credential says which environment is meant. */
  readonly pathPrefix: string
}

/** A further environment is a row here, and a database. */
export const environments: Readonly<Record<EnvironmentName, EnvironmentForm>> = {
  live: { tokenMark: "", keyLead: "CS", keyCheck: 0, pathPrefix: "" },
  test: { tokenMark: "test_", keyLead: "CST", keyCheck: 1, pathPrefix: "/test" }
}

const tokenPattern = new RegExp(
  `^(?:csk|cpk|admin)_(${namedEnvironments.map((name) => environments[name].tokenMark).join("|")})?`
)

/** The environment that the beginning of a management token, a publishable key or a bootstrap token names. */
const ofToken = (token: string): EnvironmentName | undefined => {
  const found = tokenPattern.exec(token)
  if (found === null) return undefined
  return namedEnvironments.find((name) => environments[name].tokenMark === found[1]) ?? "live"
}

/** A pattern of the beginnings of license keys, the longest first: one begins another. */
export const keyLeads = environmentNames.map((name) => environments[name].keyLead)
  .toSorted((one, other) => other.length - one.length).join("|")

/** Our license keys exactly as they are issued: others may have about such characters, too. */
export const keyPattern = new RegExp(`^(${keyLeads})(?:-[0-9A-HJKMNP-TV-Z]{5}){5}$`)

/** Five groups of letters and digits behind what a license key begins with. */
export const keyGrouping = new RegExp(`^(?:${keyLeads})(?:-[0-9A-Z]{5}){5}$`, "i")

/** A text that stands in every credential of another environment than the live one, in any spelling, and in few others. */
export const besideLiveHint = new RegExp(
  namedEnvironments.map((name) => `_${environments[name].tokenMark}|${environments[name].keyLead}`).join("|"),
  "i"
)

/** The environment of one of our license keys as it was issued; undefined for any other text. */
export const environmentOfKey = (key: string): EnvironmentName | undefined => {
  const lead = keyPattern.exec(key)?.[1]
  return lead === undefined ? undefined : environmentNames.find((name) => environments[name].keyLead === lead)
}

/**
 * The environment that a credential belongs to, by its form alone; undefined for one that says nothing, such as a license
 * key of another system or a bootstrap token that an operator chose.
 */
export const environmentOf = (credential: string): EnvironmentName | undefined =>
  ofToken(credential) ?? environmentOfKey(credential)

/** The environment whose addresses a path is among, and the path without their prefix. */
export const environmentOfPath = (path: string): { readonly name: EnvironmentName; readonly path: string } => {
  const name = namedEnvironments.find((other) => path.startsWith(`${environments[other].pathPrefix}/`))
  return name === undefined ? { name: "live", path } : { name, path: path.slice(environments[name].pathPrefix.length) }
}
