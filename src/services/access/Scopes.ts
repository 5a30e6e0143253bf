import { Context, Effect, Layer } from "effect"
import { inCidrs } from "../../domain/admission/Address.ts"
import { networkOf } from "../../domain/admission/DoorLimits.ts"
import { isBootstrapToken, isManagementToken } from "../../domain/security/Credential.ts"
import { missingScopes } from "../../domain/security/ManagementKey.ts"
import type { Scope } from "../../domain/security/ManagementKey.ts"
import {
  catalog,
  failing,
  TokenExpired,
  TokenIpDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated
} from "../../domain/wire/Errors.ts"
import type { RateLimited } from "../../domain/wire/Errors.ts"
import { CurrentShare, FairShares } from "../admission/FairShare.ts"
import { KnownCredentials, nameOf, remembered } from "../admission/KnownCredentials.ts"
import { RecentMap } from "../admission/RecentMap.ts"
import { bootstrapActor } from "../events/Provenance.ts"
import type { Actor } from "../events/Provenance.ts"
import { Database, databaseOf } from "../persistence/Database.ts"
import { QuestionSql } from "../platform/QuestionSql.ts"
import { Vault } from "../security/Vault.ts"
import { BootstrapTokens } from "./BootstrapTokens.ts"
import { tokenHashPurpose } from "./ManagementKeys.ts"
import { findByHash, updateLastUsed } from "./ManagementKeySql.ts"

type Denial = Unauthenticated | TokenExpired | TokenRevoked | TokenIpDenied | TokenScopeDenied | RateLimited

/** A management token that is to be judged for an operation. */
export interface Judgement {
  /** Answers who acts, or why not. */
  readonly actor: Effect.Effect<Actor, Denial>
  /**
   * The actor of the token when it was last judged, if it had the scopes then. Only {@link Judgement.actor} says whether it
   * may act now.
   */
  readonly presumed: Actor | undefined
}

/**
 * Decides whether a management token may do an operation. The database judges each request, so that a revocation is
 * effective at once.
 */
export class Scopes extends Context.Service<Scopes, {
  /**
   * Judges a token that needs all of the scopes, at the caller's address. The token of a read is looked up on the
   * connections that read, so that both statements reach the database in one flight; that of a write is looked up beside
   * them, where no transaction delays it.
   */
  readonly judge: (
    token: string,
    scopes: ReadonlyArray<Scope>,
    caller: { readonly address: string; readonly reads: boolean }
  ) => Judgement
}>()("countersign/services/access/Scopes") {
  static readonly layer = Layer.effect(
    Scopes,
    Effect.gen(function*() {
      const sql = yield* Database
      const questions = databaseOf(yield* QuestionSql)
      const vault = yield* Vault
      const bootstrapTokens = yield* BootstrapTokens
      const known = yield* KnownCredentials
      const shares = yield* FairShares

      const unauthenticated = failing(Unauthenticated, catalog.UNAUTHENTICATED.meaning)

      const touch = (id: string) => Effect.ignore(updateLastUsed(sql, id).fallible)

      /** Looks a credential up, in the turn of the address that sent it. */
      const lookUp = <A, E>(hash: Uint8Array, address: string, question: Effect.Effect<A, E>) =>
        shares.questions.run(question).pipe(
          Effect.orDie,
          Effect.provideService(CurrentShare, {
            address,
            principal: known.ownerOf(hash) ?? "unknown",
            license: undefined
          })
        )

      const authorizeBootstrap = Effect.fnUntraced(function*(
        hash: Uint8Array,
        address: string,
        database: Database,
        isConfigured: boolean
      ) {
        const admission = isConfigured ? undefined : yield* known.admit(hash, address)
        const standing = yield* lookUp(hash, address, bootstrapTokens.standing(database, hash))
        yield* admission?.settle(standing === undefined) ?? Effect.void
        if (standing === "withdrawn") {
          return yield* failing(
            TokenRevoked,
            "This bootstrap token was withdrawn. `countersign token` prints the one that is valid."
          )
        }
        if (standing === undefined) return yield* unauthenticated
        known.learn(hash, bootstrapActor.id)
        return bootstrapActor
      })

      const authorize = Effect.fnUntraced(function*(
        token: string,
        hash: Uint8Array | undefined,
        scopes: ReadonlyArray<Scope>,
        { address, from: database }: { readonly address: string; readonly from: Database }
      ) {
        const from = networkOf(address)
        const isConfigured = hash !== undefined && bootstrapTokens.isConfigured(hash)
        if (hash !== undefined && (isConfigured || isBootstrapToken(token))) {
          return yield* authorizeBootstrap(hash, from, database, isConfigured)
        }
        if (hash === undefined || !isManagementToken(token)) {
          return yield* Effect.andThen(known.malformed(from), Effect.fail(unauthenticated))
        }
        const admission = yield* known.admit(hash, from)
        const [key] = yield* lookUp(hash, from, findByHash(database, hash))
        yield* admission.settle(key === undefined)
        if (key === undefined) return yield* unauthenticated
        known.learn(hash, key.id)
        if (key.revoked) {
          return yield* failing(
            TokenRevoked,
            "This API key was revoked. Send another one; `POST /api/v1/api-keys` creates one."
          )
        }
        if (key.expired) {
          return yield* failing(
            TokenExpired,
            `This API key expired on ${key.expires_at?.toISOString()}. Send another one; \`POST /api/v1/api-keys\` creates one.`
          )
        }
        if (key.allowed_cidrs.length > 0 && !inCidrs(address, key.allowed_cidrs)) {
          return yield* failing(
            TokenIpDenied,
            `This API key cannot be used from ${address}: the address is not in allowed_cidrs.`
          )
        }
        const lacking = missingScopes(key.scopes, scopes)
        if (lacking.length > 0) {
          return yield* failing(TokenScopeDenied, "This API key does not have the scope that the operation needs.", {
            detail: lacking.join(" ")
          })
        }
        if (key.stale) yield* Effect.forkDetach(touch(key.id))
        return {
          type: "api_key",
          id: key.id,
          scopes: key.scopes,
          ...(key.product_ids === null ? {} : { products: key.product_ids })
        } satisfies Actor
      })

      /** The actor of each token, by the name of its hash, when it was last judged. */
      const actors = new RecentMap<Actor>(remembered)

      const judge: Scopes["Service"]["judge"] = (token, scopes, { address, reads }) => {
        const hash = token === "" ? undefined : vault.keyedHash(tokenHashPurpose(token), token)
        const name = hash === undefined ? "" : nameOf(hash)
        const before = actors.get(name)
        return {
          actor: Effect.tap(
            authorize(token, hash, scopes, { address, from: reads ? sql : questions }).pipe(
              Effect.tapError(() => Effect.sync(() => actors.delete(name)))
            ),
            (actor) => Effect.sync(() => actors.set(name, actor))
          ),
          presumed: before !== undefined && missingScopes(before.scopes, scopes).length === 0 ? before : undefined
        }
      }

      return Scopes.of({ judge })
    })
  )
}
