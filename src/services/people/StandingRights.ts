import { Effect, Result } from "effect"
import type { Author } from "../../domain/notes/Author.ts"
import { missingScopes } from "../../domain/security/ManagementKey.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import { failing, TokenScopeDenied } from "../../domain/wire/Errors.ts"
import { bootstrapActor } from "../events/Provenance.ts"
import type { Actor } from "../events/Provenance.ts"
import type { Database } from "../persistence/Database.ts"
import { personActor } from "./PersonActor.ts"
import { findGoodKey, findWithRoles } from "./StandingRightSql.ts"

/** Work that goes on after its request is of no session. */
const noSession = "none"

const lost = (detail: string) =>
  failing(TokenScopeDenied, "The author of the job has lost the right to it.", { detail })

/**
 * The rights that somebody has at this moment, without a request of theirs: for what goes on after it. Where a session began or a
 * key is allowed from was judged by the request.
 */
export const standingRights = Effect.fnUntraced(function*(
  sql: Database,
  { id, type }: Pick<Author, "id" | "type">,
  needed: ReadonlyArray<Scope>
): Effect.fn.Return<Actor, TokenScopeDenied> {
  if (type === "person") {
    const [person] = yield* findWithRoles(sql, id)
    if (person === undefined) return yield* lost("The person was removed.")
    const actor = personActor(person, needed, noSession)
    return Result.isSuccess(actor) ? actor.success : yield* lost(actor.failure.join(" "))
  }
  if (id === bootstrapActor.id) return bootstrapActor
  const [key] = yield* findGoodKey(sql, id)
  if (key === undefined) return yield* lost("The API key was revoked or has expired.")
  const lacking = missingScopes(key.scopes, needed)
  if (lacking.length > 0) return yield* lost(lacking.join(" "))
  return { type: "api_key", id, scopes: key.scopes, ...(key.product_ids === null ? {} : { products: key.product_ids }) }
})
