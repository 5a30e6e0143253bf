import { Context, Effect, Layer } from "effect"
import { SqlClient } from "effect/sql"
import { inCidrs } from "../domain/Address.ts"
import { isManagementToken } from "../domain/Credential.ts"
import {
  failing,
  RateLimited,
  TokenExpired,
  TokenIpDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated
} from "../domain/Errors.ts"
import type { Scope } from "../domain/ManagementKey.ts"
import { BootstrapTokens } from "./BootstrapTokens.ts"
import { tokenHashPurpose } from "./ManagementKeys.ts"
import { RateLimits } from "./RateLimits.ts"
import type { Actor } from "./RequestContext.ts"
import { Vault } from "./Vault.ts"

type Denial = Unauthenticated | TokenExpired | TokenRevoked | TokenIpDenied | TokenScopeDenied | RateLimited

interface KeyRow {
  readonly id: string
  readonly scopes: ReadonlyArray<Scope>
  readonly allowed_cidrs: ReadonlyArray<string>
  readonly revoked: boolean
  readonly expired: boolean
  readonly stale: boolean
}

/** Decides whether a management token may do an operation. There is no cache: a revocation is effective at once. */
export class Scopes extends Context.Service<Scopes, {
  /** Answers who acts, or why not. `address` is the caller's. */
  readonly authorize: (
    token: string,
    scope: Scope | undefined,
    address: string
  ) => Effect.Effect<Actor, Denial>
}>()("countersign/services/Scopes") {
  static readonly layer = Layer.effect(
    Scopes,
    Effect.gen(function*() {
      const sql = yield* SqlClient.SqlClient
      const bootstrapTokens = yield* BootstrapTokens
      const vault = yield* Vault
      const limits = yield* RateLimits
      const bootstrap: Actor = { type: "api_key", id: "bootstrap", scopes: ["admin"] }

      const unknown = (address: string) =>
        Effect.andThen(
          limits.failedAuthentication(address),
          Effect.fail(failing(Unauthenticated, "Send a management key as `Authorization: Bearer <token>`."))
        )

      /** At most one write a minute and key: it says when a key was last used, not how often. */
      const touch = (id: string) =>
        sql`
          UPDATE management_keys SET last_used_at = now()
          WHERE id = ${id} AND (last_used_at IS NULL OR last_used_at < now() - interval '1 minute')`.pipe(
          Effect.ignore
        )

      const authorize = Effect.fnUntraced(function*(token: string, scope: Scope | undefined, address: string) {
        if (token === "") return yield* unknown(address)
        const hash = vault.keyedHash(tokenHashPurpose, token)
        const standing = yield* bootstrapTokens.standing(token, hash)
        if (standing === "valid") return bootstrap
        if (standing === "withdrawn") return yield* failing(TokenRevoked, "This bootstrap token was withdrawn.")
        if (!isManagementToken(token)) return yield* unknown(address)
        const rows = yield* sql<KeyRow>`
          SELECT id, scopes, allowed_cidrs, revoked_at IS NOT NULL AS revoked,
            expires_at IS NOT NULL AND expires_at <= now() AS expired,
            last_used_at IS NULL OR last_used_at < now() - interval '1 minute' AS stale
          FROM management_keys WHERE key_hash = ${hash}`.pipe(Effect.orDie)
        const key = rows[0]
        if (key === undefined) return yield* unknown(address)
        if (key.revoked) return yield* failing(TokenRevoked, "This management key was revoked.")
        if (key.expired) return yield* failing(TokenExpired, "This management key has expired.")
        if (key.allowed_cidrs.length > 0 && !inCidrs(address, key.allowed_cidrs)) {
          return yield* failing(TokenIpDenied, "This management key may not be used from this address.")
        }
        if (scope !== undefined && !key.scopes.includes("admin") && !key.scopes.includes(scope)) {
          return yield* failing(TokenScopeDenied, "This management key lacks the scope that the operation needs.", {
            detail: scope
          })
        }
        if (key.stale) yield* Effect.forkDetach(touch(key.id))
        return { type: "api_key", id: key.id, scopes: key.scopes } satisfies Actor
      })

      return Scopes.of({ authorize })
    })
  )
}
