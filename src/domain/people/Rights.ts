import { missingScopes } from "../security/ManagementKey.ts"
import type { Scope } from "../security/ManagementKey.ts"
import type { Person, PersonStatus } from "./Person.ts"
import { ownerRole } from "./Role.ts"
import type { Role } from "./Role.ts"

/** Who gives rights, and what bounds the giver. */
export interface Granter {
  readonly scopes: ReadonlyArray<Scope>
  readonly allowed_cidrs: ReadonlyArray<string>
  readonly expires_at?: string | undefined
}

/** All scopes of some roles, each once. */
export const scopesOfRoles = (roles: ReadonlyArray<Pick<Role, "scopes">>): ReadonlyArray<Scope> => [
  ...new Set(roles.flatMap(({ scopes }) => scopes))
]

/** Rights that a change gives or takes. */
export interface Concerned {
  readonly scopes: ReadonlyArray<Scope>
  /** Whether it may give some, or takes and names only. */
  readonly isGiven: boolean
}

/**
 * What a granter lacks of the rights that he gives or takes, in the words of a refusal. Rights of people last, and are good
 * from everywhere: who has his own for a time, or from some addresses, would give more than he has.
 */
export const beyondGranter = (
  { allowed_cidrs, expires_at, scopes }: Granter,
  concerned: Concerned
): ReadonlyArray<string> => {
  if (concerned.scopes.length === 0) return []
  const lacking = missingScopes(scopes, [...new Set(concerned.scopes)])
  return [
    ...(lacking.length > 0 ? [lacking.join(" ")] : []),
    ...(concerned.isGiven && allowed_cidrs.length > 0
      ? ["the caller has allowed_cidrs, and a person may act from anywhere"]
      : []),
    ...(concerned.isGiven && expires_at !== undefined
      ? [`the caller ends at ${expires_at}, and a person does not`]
      : [])
  ]
}

/** What makes an owner: the role, and a way to sign in. Who is only invited cannot help anybody back in. */
export const isOwner = ({ roles, status }: Pick<Person, "roles" | "status">): boolean =>
  status === "active" && roles.includes(ownerRole)

/** Whether a change of a person takes the last owner. Where there is none, the admin token is the only way to one. */
export const takesLastOwner = (
  before: Pick<Person, "roles" | "status">,
  after: Pick<Person, "roles" | "status">,
  otherOwners: number
): boolean => isOwner(before) && !isOwner(after) && otherOwners === 0

/** The status of a person that is not removed, by the ways to sign in. */
export const statusWith = (identities: ReadonlyArray<unknown>): PersonStatus =>
  identities.length > 0 ? "active" : "invited"
