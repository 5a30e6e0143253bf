import { coversScope } from "../../../client/api/index.ts"
import type { Countersign, ManagementScope, Passkey, Person, Role, Session } from "../../../client/api/index.ts"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { identity } from "../../ground/session/Session.ts"

/** How many roles are read: a team has a handful. */
const mostRoles = 200

/** How many sessions are read, over all people. */
const mostSessions = 1000

/** The roles that there are: the built-in ones, then those of the vendor's own. */
export const findRoles = async (client: Countersign, signal: AbortSignal): Promise<ReadonlyArray<Role>> => {
  const found = await firstOf(client.roles.list({ limit: mostRoles, order: "asc" }, { signal }), mostRoles)
  return [...found.filter((role) => role.is_built_in), ...found.filter((role) => !role.is_built_in)]
}

/** Loads the roles. */
export const useRoles = (): Loaded<ReadonlyArray<Role>> => useLoad(findRoles, [])

/** The sessions of all people who are signed in. */
export const findSessions = (client: Countersign, signal: AbortSignal): Promise<ReadonlyArray<Session>> =>
  firstOf(client.sessions.list({ limit: 200 }, { signal }), mostSessions)

/** How many passkeys are read, over all people. */
const mostPasskeys = 2000

/** The passkeys of all people. */
export const findPasskeys = (client: Countersign, signal: AbortSignal): Promise<ReadonlyArray<Passkey>> =>
  firstOf(client.passkeys.list({ limit: 200 }, { signal }), mostPasskeys)

/** The sessions of a person, the last used first. */
export const sessionsOf = (sessions: ReadonlyArray<Session>, personId: string): ReadonlyArray<Session> =>
  sessions.filter(({ person_id }) => person_id === personId)
    .toSorted((a, b) => b.last_used_at.localeCompare(a.last_used_at))

/** The name of a role; its ID where that is not known. */
export const roleName = (roles: ReadonlyArray<Role>, id: string): string =>
  roles.find((role) => role.id === id)?.name ?? id

/** All scopes of some roles. */
export const scopesOf = (roles: ReadonlyArray<Role>, ids: ReadonlyArray<string>): ReadonlyArray<ManagementScope> => [
  ...new Set(roles.filter(({ id }) => ids.includes(id)).flatMap(({ scopes }) => scopes))
]

/** Whether the caller may give a role: nobody gives what they do not have. */
export const mayGiveRole = ({ scopes }: Pick<Role, "scopes">): boolean =>
  scopes.every((scope) => coversScope(identity.value?.scopes ?? [], scope))

/** Whether a person is the caller. */
export const isMe = ({ id }: Pick<Person, "id">): boolean => identity.value?.id === id

/** Whether a person is an owner who can sign in. Somebody who is only invited cannot help anybody back in. */
export const isOwner = ({ roles, status }: Pick<Person, "roles" | "status">): boolean =>
  status === "active" && roles.includes("owner")
