import { Result } from "effect"
import { rightsFor } from "../../domain/people/Rights.ts"
import type { Grant } from "../../domain/people/Rights.ts"
import { builtInRole } from "../../domain/people/Role.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import type { Actor } from "../events/Provenance.ts"

/** A person with the roles that he or she has at this moment. */
export interface PersonWithRoles {
  readonly id: string
  readonly name: string
  readonly roles: ReadonlyArray<string>
  /** The roles of the vendor's own among them. */
  readonly own: ReadonlyArray<{
    readonly id: string
    readonly name: string
    readonly scopes: ReadonlyArray<Scope>
    readonly product_ids: ReadonlyArray<string> | null
  }>
}

/** A person as the actor, with what the roles allow where some scopes are needed; otherwise the scopes that are lacking. */
export const personActor = (
  { id, name, own, roles }: PersonWithRoles,
  needed: ReadonlyArray<Scope>,
  sessionId: string
): Result.Result<Actor, ReadonlyArray<Scope>> => {
  const held = roles.flatMap((role) => {
    const found = builtInRole(role) ?? own.find((candidate) => candidate.id === role)
    return found === undefined ? [] : [{
      name: found.name,
      grant: { scopes: found.scopes, products: found.product_ids ?? undefined } satisfies Grant
    }]
  })
  return Result.map(
    rightsFor(held.map(({ grant }) => grant), needed),
    (rights): Actor => ({
      type: "person",
      id,
      ...rights,
      person: { name, roles: held.map((role) => role.name), sessionId, grants: held.map(({ grant }) => grant) }
    })
  )
}
