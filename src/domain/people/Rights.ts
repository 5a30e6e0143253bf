import { Result } from "effect"
import { missingScopes } from "../keys/security/ManagementKey.ts"
import type { Scope } from "../keys/security/ManagementKey.ts"
import type { Identity, Person, PersonStatus } from "./Person.ts"
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

/**
 * What whoever adds identities to a person needs beside the person's own rights: `admin`, also while there are no rights yet. An
 * account that was planted before would sign in with all that the person is given later, by others who do not know of it.
 */
export const neededToIdentify = (
  before: ReadonlyArray<Identity>,
  after: ReadonlyArray<Identity>
): ReadonlyArray<Scope> =>
  after.every(({ issuer, subject }) => before.some((had) => had.issuer === issuer && had.subject === subject))
    ? []
    : ["admin"]

/** What makes an owner: the role, and a way to sign in. Who is only invited cannot help anybody back in. */
export const isOwner = ({ roles, status }: Pick<Person, "roles" | "status">): boolean =>
  status === "active" && roles.includes(ownerRole)

/** The ways in that a person has: the issuers of accounts, and how many passkeys. */
export interface WaysIn {
  readonly issuers: ReadonlyArray<string>
  readonly passkeys: number
}

/**
 * A person as owners are counted. Who has nothing but accounts at another issuer than the one that people sign in at cannot sign in, and
 * helps nobody back in. Its slash at the end is told apart at sign-ins, and not here.
 */
export const countedOwner = <P extends Pick<Person, "roles" | "status">>(
  person: P,
  { issuers, passkeys }: WaysIn,
  configured: string | undefined
): Pick<Person, "roles" | "status"> => {
  const named = (issuer: string) => issuer.replace(/\/$/, "")
  const isIn = passkeys > 0 || configured === undefined ||
    issuers.some((issuer) => named(issuer) === named(configured))
  return isIn || person.status !== "active" ? person : { roles: person.roles, status: "invited" }
}

/** How many owners there are beside a person, of those who are locked, who can sign in. */
export const ownersBeside = (
  locked: ReadonlyArray<Pick<Person, "id" | "roles" | "status"> & WaysIn>,
  id: string,
  configured: string | undefined
): number => locked.filter((row) => row.id !== id && isOwner(countedOwner(row, row, configured))).length

/** Whether a change of a person takes the last owner. Where there is none, the admin token is the only way to one. */
export const takesLastOwner = (
  before: Pick<Person, "roles" | "status">,
  after: Pick<Person, "roles" | "status">,
  otherOwners: number
): boolean => isOwner(before) && !isOwner(after) && otherOwners === 0

/** The status of a person that is not removed, by how many ways to sign in there are: accounts and passkeys. */
export const statusWith = (ways: number): PersonStatus => ways > 0 ? "active" : "invited"

/** The one rule of who is let in, whatever the way: who was not removed, and has a role. */
export const mayEnter = ({ roles, status }: Pick<Person, "roles" | "status">): boolean =>
  status !== "removed" && roles.length > 0

/** Scopes that somebody has, for some products or for all. */
export interface Grant {
  readonly scopes: ReadonlyArray<Scope>
  readonly products?: ReadonlyArray<string> | undefined
}

/** What somebody may do in one operation: these scopes, on these products or on all. */
interface Rights {
  readonly scopes: ReadonlyArray<Scope>
  readonly products?: ReadonlyArray<string>
}

type Reach = ReadonlyArray<string> | "all"

/** The products on which grants give what `covers` asks of them. */
const reachOf = (grants: ReadonlyArray<Grant>, covers: (grant: Grant) => boolean): Reach => {
  const those = grants.filter(covers)
  return those.some(({ products }) => products === undefined)
    ? "all"
    : [...new Set(those.flatMap(({ products = [] }) => products))]
}

const isNothing = (reach: Reach): boolean => reach !== "all" && reach.length === 0

const within = (a: Reach, b: Reach): Reach =>
  a === "all" ? b : b === "all" ? a : a.filter((product) => b.includes(product))

const isWithin = (inner: Reach, outer: Reach): boolean =>
  outer === "all" || (inner !== "all" && inner.every((product) => outer.includes(product)))

/**
 * What grants come to in an operation that needs some scopes, all of them: the products on which each is given, and what else is
 * given on all of these. Otherwise the scopes that are lacking. A scope on one product never opens another product.
 */
export const rightsFor = (
  grants: ReadonlyArray<Grant>,
  needed: ReadonlyArray<Scope>
): Result.Result<Rights, ReadonlyArray<Scope>> => {
  const reach = (scope: Scope) => reachOf(grants, ({ scopes }) => missingScopes(scopes, [scope]).length === 0)
  const lacking = needed.filter((scope) => isNothing(reach(scope)))
  if (lacking.length > 0) return Result.fail(lacking)
  const products = needed.length === 0 && grants.length > 0
    ? reachOf(grants, () => true)
    : needed.map(reach).reduce(within, "all" as Reach)
  if (isNothing(products)) return Result.fail(needed)
  const scopes = scopesOfRoles(grants).filter((scope) => isWithin(products, reach(scope)))
  return Result.succeed(products === "all" ? { scopes } : { scopes, products })
}

/** The needed scopes that no grant gives on a product. */
export const lackingOn = (
  grants: ReadonlyArray<Grant>,
  needed: ReadonlyArray<Scope>,
  productId: string
): ReadonlyArray<Scope> =>
  missingScopes(
    scopesOfRoles(grants.filter(({ products }) => products === undefined || products.includes(productId))),
    needed
  )
