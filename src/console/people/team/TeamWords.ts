import type { Role } from "../../../client/api/index.ts"
import { some } from "../../ground/design/Numbers.ts"

/** The first name of a person, for a sentence. */
export const shortName = (name: string): string => name.trim().split(/\s+/)[0] ?? name

/** A name as an email address suggests it: "jun.sato@acme.example" is "Jun Sato". */
export const nameFromEmail = (email: string): string =>
  (email.split("@")[0] ?? "").split(/[._\-+]+/).filter((word) => word !== "")
    .map((word) => word.charAt(0).toUpperCase() + word.slice(1)).join(" ")

/** The effect of a change of roles: when, and on which sessions. */
export const effectOn = (name: string, sessions: number): string =>
  sessions === 0
    ? `Takes effect at once. ${shortName(name)} is not signed in.`
    : sessions === 1
    ? `Takes effect at once, on ${shortName(name)}’s session: it ends, and ${shortName(name)} signs in again.`
    : `Takes effect at once, on all of ${shortName(name)}’s ${some(sessions, "session")}: they end, and ${
      shortName(name)
    } signs in again.`

/** The name of a role that limits another role to products. */
export const limitedRoleName = (role: string, products: string): string => `${role} · ${products}`.slice(0, 255)

/** A role with the same scopes that is limited to the same products; undefined where there is none. */
export const limitedTwin = (
  roles: ReadonlyArray<Role>,
  { scopes }: Pick<Role, "scopes">,
  productIds: ReadonlyArray<string>
): Role | undefined => {
  const same = (a: ReadonlyArray<string>, b: ReadonlyArray<string>) =>
    a.length === b.length && a.every((each) => b.includes(each))
  return roles.find((role) => same(role.scopes, scopes) && same(role.product_ids ?? [], productIds))
}
