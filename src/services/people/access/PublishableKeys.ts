import { Context, Effect, Layer } from "effect"
import { failing, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidField, invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { formatPublishableKey } from "../../../domain/keys/security/Credential.ts"
import { againstTrials, PublishableKey } from "../../../domain/keys/security/SigningKey.ts"
import type { PublishableKeyCreate } from "../../../domain/keys/security/SigningKey.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import {
  findByHash,
  findExisting,
  insertKey,
  listKeys,
  lockPolicy,
  lockProduct,
  updateRevoked
} from "./PublishableKeySql.ts"

const readKey = rowReader(PublishableKey)

/** The keys of products that stand in apps. They are stored as they are, because they are no secret. */
export class PublishableKeys extends Context.Service<PublishableKeys, {
  readonly list: (
    productId: string,
    page: PageRequest
  ) => Effect.Effect<Page<PublishableKey>, NotFound | InvalidCursor>
  /** Refuses a policy that no trial can be opened under. */
  readonly create: (
    productId: string,
    input: PublishableKeyCreate
  ) => Effect.Effect<PublishableKey, NotFound | ValidationError>
  /** Repeating it succeeds. */
  readonly revoke: (id: string) => Effect.Effect<void, NotFound>
  /** The hash that a key is found by. */
  readonly hashOf: (key: string) => Uint8Array
  /** The key of a hash, revoked or not. */
  readonly find: (hash: Uint8Array) => Effect.Effect<PublishableKey | undefined>
}>()("countersign/services/people/access/PublishableKeys") {
  static readonly layer = Layer.effect(
    PublishableKeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const vault = yield* Vault
      const hashOf = (key: string) => vault.keyedHash("publishable-key", key)

      const holdProduct = Effect.fnUntraced(function*(id: string) {
        const rows = yield* lockProduct(sql, id)
        if (rows.length === 0) return yield* failing(NotFound, "No product has this id.")
      })

      const list = Effect.fn("PublishableKeys.list")((productId: string, page: PageRequest) =>
        Effect.andThen(
          holdProduct(productId),
          sortedPage({
            sql,
            list: "publishable_keys",
            products: "owned",
            filters: { productId },
            page,
            conditions: [sql`product_id = ${productId}`],
            rows: (clauses, limit) => listKeys(sql, clauses, limit),
            read: readKey
          })
        )
      )

      const create = Effect.fn("PublishableKeys.create")((productId: string, input: PublishableKeyCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* holdProduct(productId)
            const [policy] = yield* lockPolicy(sql, input.policy_id, yield* CurrentProducts)
            if (policy === undefined) return yield* failing(NotFound, "No policy has the id in policy_id.")
            if (policy.product_id !== productId) {
              return yield* invalidField("policy_id", "other_product", "belongs to another product")
            }
            const against = againstTrials(policy)
            if (against.length > 0) {
              return yield* invalidRequest(against.map(({ needs }) => ({
                path: "policy_id",
                code: "contradiction",
                message: `opens trials, so the policy ${needs}`
              })))
            }
            const key = formatPublishableKey(crypto.randomBytes(16), environment)
            const rows = yield* insertKey(sql, {
              id: identifiers.next("pub"),
              productId,
              policyId: input.policy_id,
              name: input.name,
              key,
              hash: hashOf(key)
            })
            const made = readKey(rows[0]!)
            yield* events.append({ type: "publishable_key.created", resourceId: made.id, data: made })
            return made
          })
        )
      )

      const revoke = Effect.fn("PublishableKeys.revoke")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const rows = yield* updateRevoked(sql, id)
            if (rows[0] !== undefined) {
              return yield* events.append({
                type: "publishable_key.revoked",
                resourceId: id,
                data: readKey(rows[0])
              })
            }
            const known = yield* findExisting(sql, id)
            if (known.length === 0) return yield* failing(NotFound, "No publishable key has this id.")
          })
        )
      )

      const find = (hash: Uint8Array) =>
        Effect.map(
          findByHash(sql, hash),
          ([row]) => row === undefined ? undefined : readKey(row)
        )

      return PublishableKeys.of({ list, create, revoke, hashOf, find })
    })
  )
}
