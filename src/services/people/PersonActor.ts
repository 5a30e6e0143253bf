import { Effect, Result } from "effect"
import { failing, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { withWaysAround } from "../../domain/log/SecondLook.ts"
import type { SecondLookAction } from "../../domain/log/SecondLook.ts"
import { rightsFor } from "../../domain/people/Rights.ts"
import type { Grant } from "../../domain/people/Rights.ts"
import { builtInRole } from "../../domain/people/Role.ts"
import type { Actor, Opener } from "../log/Provenance.ts"

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
  /** The actions that any of the roles needs a second person for; null where none does. */
  readonly second_look: ReadonlyArray<SecondLookAction> | null
}

/** The one who opened a session of somebody else, as its row has it: the name and the second looks are those of this moment. */
export interface OpenerColumns {
  readonly opener_type: Opener["type"] | null
  readonly opener_id: string | null
  readonly opener_name: string | null
  readonly opener_look: ReadonlyArray<SecondLookAction> | null
}

/** The one who opened the session of somebody else, by its row. */
export const openerIn = (
  { opener_id, opener_look, opener_name, opener_type }: OpenerColumns
): Opener | undefined =>
  opener_id === null || opener_type === null ? undefined : {
    type: opener_type,
    id: opener_id,
    ...(opener_name === null ? {} : { name: opener_name }),
    secondLook: withWaysAround(opener_look ?? [])
  }

/** The maker of an invitation or a link, by its row. */
export const invitingIn = (
  { opener_id, opener_type }: Pick<OpenerColumns, "opener_id" | "opener_type">
): Pick<Opener, "id" | "type"> | undefined =>
  opener_id === null || opener_type === null ? undefined : { type: opener_type, id: opener_id }

/**
 * The opener that a link or an invitation of an actor makes: the actor, or the person who opened the session of this one, whose second
 * looks go with it. The service's own work opens nothing.
 */
export const openerBy = ({ id, openedBy, type }: Actor): Pick<Opener, "id" | "type"> | undefined =>
  openedBy?.type === "person" ? openedBy : type === "api_key" || type === "person" ? { type, id } : undefined

/** The actor with the rights that some scopes need, which his or her roles may give elsewhere than those of the current operation. */
export const actorFor = (actor: Actor, needed: ReadonlyArray<Scope>): Effect.Effect<Actor, TokenScopeDenied> => {
  const { products: _products, scopes, ...who } = actor
  const rights = rightsFor(actor.person?.grants ?? [{ scopes, products: actor.products }], needed)
  return Result.isSuccess(rights) ? Effect.succeed({ ...who, ...rights.success }) : Effect.fail(
    failing(TokenScopeDenied, "Your roles do not have the scope that the operation needs.", {
      detail: rights.failure.join(" ")
    })
  )
}

/** A person as the actor, with what the roles allow where some scopes are needed; otherwise the scopes that are lacking. */
export const personActor = (
  { id, name, own, roles, second_look }: PersonWithRoles,
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
      person: {
        name,
        roles: held.map((role) => role.name),
        sessionId,
        grants: held.map(({ grant }) => grant),
        secondLook: withWaysAround(second_look ?? [])
      }
    })
  )
}
