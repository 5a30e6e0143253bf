import { Context, Effect, Layer } from "effect"
import { inCidrs } from "../../../domain/ground/admission/Address.ts"
import { networkOf } from "../../../domain/ground/admission/DoorLimits.ts"
import {
  catalog,
  failing,
  NotFound,
  TokenExpired,
  TokenIpDenied,
  TokenProductDenied,
  TokenRevoked,
  TokenScopeDenied,
  Unauthenticated
} from "../../../domain/ground/wire/Errors.ts"
import type { RateLimited } from "../../../domain/ground/wire/Errors.ts"
import { isBootstrapToken, isManagementToken } from "../../../domain/keys/security/Credential.ts"
import { missingScopes } from "../../../domain/keys/security/ManagementKey.ts"
import type { Scope } from "../../../domain/keys/security/ManagementKey.ts"
import type { LimitedResource, Reseller } from "../../../domain/keys/security/ProductRule.ts"
import { CurrentShare, FairShares } from "../../ground/admission/FairShare.ts"
import { KnownCredentials } from "../../ground/admission/KnownCredentials.ts"
import { Database, databaseOf } from "../../ground/persistence/Database.ts"
import { QuestionSql } from "../../ground/platform/DatabaseHealthSql.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { bootstrapActor } from "../../log/Provenance.ts"
import type { Actor } from "../../log/Provenance.ts"
import { BootstrapTokens } from "./BootstrapTokens.ts"
import { tokenHashPurpose } from "./ManagementKeys.ts"
import { findByHash, updateLastUsed } from "./ManagementKeySql.ts"
import type { KeyRow } from "./ManagementKeySql.ts"
import { findReach } from "./ProductReachSql.ts"

/** The names of resources in a refusal. */
const nouns: Readonly<Record<LimitedResource, string>> = {
  product: "product",
  policy: "policy",
  feature: "feature",
  license: "license",
  customer: "customer",
  order: "order of the product",
  subscription: "subscription of the product",
  publishable_key: "publishable key",
  report_export: "report export",
  api_key: "API key",
  job: "job"
}

/** Whether what a key that is limited to products names is within them. */
export class ProductReach extends Context.Service<ProductReach, {
  /**
   * Fails as if there were no such resource where it is beyond these products. What there is not is for the operation to
   * find, which may have deleted it before and be repeated; but an owner that there is not must not be told from one that
   * is beyond. With `whole`, it is refused where it belongs to further products too. To a reseller there are
   * only licenses that have the tag.
   */
  readonly check: (
    named: {
      readonly of: LimitedResource
      readonly id: string
      readonly isOwner: boolean
      readonly whole: boolean
    },
    products: ReadonlyArray<string>,
    reseller?: Reseller
  ) => Effect.Effect<void, NotFound | TokenProductDenied>
}>()("countersign/services/people/access/ProductReach") {
  static readonly layer = Layer.effect(
    ProductReach,
    Effect.gen(function*() {
      const sql = yield* Database

      const check: ProductReach["Service"]["check"] = Effect.fn("ProductReach.check")(
        function*({ id, isOwner, of, whole }, products, reseller) {
          const noun = nouns[of]
          const [row] = yield* findReach(sql, { id, of, whole, tag: reseller?.tag }, products)
          if (row === undefined ? isOwner : !row.within) return yield* failing(NotFound, `No ${noun} has this id.`)
          if (row?.others === true) {
            return yield* failing(
              TokenProductDenied,
              `The ${noun} also belongs to products that this API key does not cover.`,
              { detail: products.join(" ") }
            )
          }
        }
      )

      return ProductReach.of({ check })
    })
  )
}

export type Denial = Unauthenticated | TokenExpired | TokenRevoked | TokenIpDenied | TokenScopeDenied | RateLimited

/** Decides whether a management token may do an operation. There is no cache: a revocation is effective at once. */
export class Scopes extends Context.Service<Scopes, {
  /** Answers who acts, or why not. It needs all of the scopes; `address` is the caller's. */
  readonly authorize: (
    token: string,
    scopes: ReadonlyArray<Scope>,
    address: string
  ) => Effect.Effect<Actor, Denial>
}>()("countersign/services/people/access/Scopes") {
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

      const authorize = Effect.fnUntraced(function*(token: string, scopes: ReadonlyArray<Scope>, address: string) {
        const from = networkOf(address)
        const hash = token === "" ? undefined : vault.keyedHash(tokenHashPurpose(token), token)
        const isConfigured = hash !== undefined && bootstrapTokens.isConfigured(hash)
        if (hash !== undefined && (isConfigured || isBootstrapToken(token))) {
          const find = lookUp(hash, from, bootstrapTokens.standing(hash))
          const standing = yield* isConfigured ? find : known.attempt(hash, from, find)
          if (standing === "withdrawn") {
            return yield* failing(
              TokenRevoked,
              "This bootstrap token was withdrawn. `countersign token` prints the one that is valid."
            )
          }
          if (standing === undefined) return yield* unauthenticated
          known.learn(hash, bootstrapActor.id)
          return bootstrapActor
        }
        if (hash === undefined || !isManagementToken(token)) {
          return yield* Effect.andThen(known.malformed(from), Effect.fail(unauthenticated))
        }
        const key = yield* known.attempt(
          hash,
          from,
          Effect.map(lookUp(hash, from, findByHash(questions, hash)), ([key]) => key)
        )
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
        return actorOf(key)
      })

      return Scopes.of({ authorize })
    })
  )
}

/** A key as the actor, with all that it is limited to. */
const actorOf = ({ id, license_tag, max_licenses, product_ids, scopes }: KeyRow): Actor => ({
  type: "api_key",
  id,
  scopes,
  ...(product_ids === null ? {} : { products: product_ids }),
  ...(license_tag === null ? {} : { reseller: { tag: license_tag, most: max_licenses ?? undefined } })
})
