import type { ApiKey, Countersign, Passkey, Person, Role, Session } from "../../../client/api/index.ts"
import { firstOf } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { findRoles, isOwner, sessionsOf } from "./Team.ts"

/** How many keys that a person made are listed, and how many people are looked at for other owners. */
const most = 200

/** Everything that the page shows of a person. */
export interface KnownPerson {
  readonly person: Person
  readonly etag: string | undefined
  readonly roles: ReadonlyArray<Role>
  readonly sessions: ReadonlyArray<Session>
  readonly passkeys: ReadonlyArray<Passkey>
  /** The API keys that the person made; undefined where the caller may not see them. */
  readonly keys: ReadonlyArray<ApiKey> | undefined
  readonly isLastOwner: boolean
}

/** Loads everything of a person. */
export const findPerson = async (client: Countersign, id: string, signal: AbortSignal): Promise<KnownPerson> => {
  const [{ data: person, response }, roles, sessions, passkeys, members, keys] = await Promise.all([
    client.people.get(id, { signal }).withResponse(),
    findRoles(client, signal),
    firstOf(client.sessions.list({ person_id: id, limit: most }, { signal }), most),
    firstOf(client.passkeys.list({ person_id: id, limit: most }, { signal }), most),
    firstOf(client.people.list({ status: "active", limit: most }, { signal }), most),
    may("admin") ? firstOf(client.apiKeys.list({ created_by: id, limit: most }, { signal }), most) : undefined
  ])
  return {
    person,
    etag: response.headers.get("etag") ?? undefined,
    roles,
    sessions: sessionsOf(sessions, id),
    passkeys,
    keys,
    isLastOwner: isOwner(person) && !members.some((other) => other.id !== id && isOwner(other))
  }
}
