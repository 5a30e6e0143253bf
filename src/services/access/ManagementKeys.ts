import { Context, Effect, Layer } from "effect"
import { isWithin, parseCidr } from "../../domain/admission/Address.ts"
import {
  formatLimitedToken,
  formatManagementToken,
  isLimitedToken,
  managementTokenPrefix
} from "../../domain/security/Credential.ts"
import { ManagementKey, missingScopes } from "../../domain/security/ManagementKey.ts"
import type { ManagementKeyCreate, ManagementKeyCreated, TokenIdentity } from "../../domain/security/ManagementKey.ts"
import { failing, NotFound, TokenScopeDenied } from "../../domain/wire/Errors.ts"
import type { InvalidCursor, ValidationError } from "../../domain/wire/Errors.ts"
import { invalidRequest } from "../../domain/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/wire/Page.ts"
import { CurrentEnvironment } from "../environment/CurrentEnvironment.ts"
import { Events } from "../events/Events.ts"
import { bootstrapActor, CurrentActor } from "../events/Provenance.ts"
import { Database } from "../persistence/Database.ts"
import { Identifiers } from "../persistence/Identifiers.ts"
import { sortedPage } from "../persistence/KeysetPagination.ts"
import { isOnlyOfProducts } from "../persistence/ProductLimit.ts"
import { rowReader } from "../persistence/RowToWire.ts"
import { inTransaction } from "../persistence/Transaction.ts"
import { Cryptography } from "../platform/Cryptography.ts"
import { Vault } from "../security/Vault.ts"
import { findKey, findPast, insertKey, listKeys, updateRevoked } from "./ManagementKeySql.ts"
import { unknownProducts } from "./UnknownProducts.ts"

/**
 * The purpose under which a management token is hashed. Those of limited keys have their own, so that a node of a version
 * that knows no limit finds no such key and refuses it, where it would let it do all.
 */
export const tokenHashPurpose = (token: string): string =>
  isLimitedToken(token) ? "limited-management-token" : "management-token"

const readKey = rowReader(ManagementKey)

/** The limits that a key hands on to the keys that it makes. */
type Maker = Pick<ManagementKey, "scopes" | "allowed_cidrs" | "expires_at" | "product_ids">

/** The rights of a new key beyond the key that makes it, in the words of a refusal: its scopes, addresses, end or products. */
const beyondMaker = (
  maker: Maker,
  { allowed_cidrs = [], expires_at, product_ids, scopes = ["admin"] }: ManagementKeyCreate
): ReadonlyArray<string> => {
  const wider = missingScopes(maker.scopes, scopes)
  const isFromAnywhere = allowed_cidrs.length === 0 ||
    !allowed_cidrs.every((range) => isWithin(range, maker.allowed_cidrs))
  const isLonger = maker.expires_at !== undefined &&
    (expires_at === undefined || Date.parse(expires_at) > Date.parse(maker.expires_at))
  const isOfMore = maker.product_ids !== undefined &&
    !(product_ids?.every((id) => maker.product_ids!.includes(id)) ?? false)
  return [
    ...(wider.length > 0 ? [wider.join(" ")] : []),
    ...(maker.allowed_cidrs.length > 0 && isFromAnywhere
      ? [`allowed_cidrs must lie within ${maker.allowed_cidrs.join(", ")}`]
      : []),
    ...(isLonger ? [`expires_at must be at most ${maker.expires_at}`] : []),
    ...(isOfMore ? [`product_ids must lie within ${maker.product_ids!.join(", ")}`] : [])
  ]
}

const missing = () => failing(NotFound, "No API key has this id.")

/** Management credentials: issued once, stored as a keyed hash, revoked for good. */
export class ManagementKeys extends Context.Service<ManagementKeys, {
  readonly list: (page: PageRequest) => Effect.Effect<Page<ManagementKey>, InvalidCursor>
  /** Never wider than the key that acts: in scopes, in addresses, in time, in products. */
  readonly create: (
    input: ManagementKeyCreate
  ) => Effect.Effect<ManagementKeyCreated, ValidationError | TokenScopeDenied>
  readonly get: (id: string) => Effect.Effect<ManagementKey, NotFound>
  /** The API key, or the bootstrap token, that acts. */
  readonly acting: Effect.Effect<TokenIdentity>
  /** Repeating it succeeds. */
  readonly revoke: (id: string) => Effect.Effect<void, NotFound>
}>()("countersign/services/access/ManagementKeys") {
  static readonly layer = Layer.effect(
    ManagementKeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const vault = yield* Vault

      const list = Effect.fn("ManagementKeys.list")((page: PageRequest) =>
        sortedPage({
          sql,
          list: "management_keys",
          products: (products) => isOnlyOfProducts(sql, "product_ids", products),
          filters: {},
          page,
          conditions: [],
          rows: (clauses, limit) => listKeys(sql, clauses, limit),
          read: readKey
        })
      )

      const isPast = (instant: string) => Effect.map(findPast(sql, instant), (rows) => rows[0]!.past)

      const get = Effect.fn("ManagementKeys.get")(function*(id: string) {
        const [row] = yield* findKey(sql, id)
        return row === undefined ? yield* missing() : readKey(row)
      })

      const create = Effect.fn("ManagementKeys.create")(function*(input: ManagementKeyCreate) {
        const actor = yield* CurrentActor
        const maker: Maker = actor.id === bootstrapActor.id || actor.person !== undefined
          ? {
            scopes: actor.scopes,
            allowed_cidrs: [],
            ...(actor.products === undefined ? {} : { product_ids: actor.products })
          }
          : yield* Effect.orDie(get(actor.id))
        const unknown = yield* unknownProducts(sql, input.product_ids ?? [], maker.product_ids)
        const malformed = (input.allowed_cidrs ?? []).flatMap((cidr, index) =>
          parseCidr(cidr) === undefined
            ? [{
              path: `allowed_cidrs.${index}`,
              code: "invalid_cidr",
              message: "must be an address range such as 10.0.0.0/8"
            }]
            : []
        )
        const isOver = input.expires_at !== undefined && (yield* isPast(input.expires_at))
        const past = isOver ? [{ path: "expires_at", code: "in_the_past", message: "must be in the future" }] : []
        const fields = [...malformed, ...past, ...unknown]
        if (fields.length > 0) return yield* invalidRequest(fields)
        const beyond = beyondMaker(maker, input)
        if (beyond.length > 0) {
          return yield* failing(TokenScopeDenied, "A key cannot be wider than the key that creates it.", {
            detail: beyond.join("; ")
          })
        }
        const token = (input.product_ids ?? null) === null
          ? formatManagementToken(crypto.randomBytes(32), environment)
          : formatLimitedToken(crypto.randomBytes(31), environment)
        return yield* inTransaction(
          sql,
          Effect.gen(function*() {
            const rows = yield* insertKey(sql, {
              id: identifiers.next("key"),
              hash: vault.keyedHash(tokenHashPurpose(token), token),
              prefix: managementTokenPrefix(token),
              input
            })
            const api_key = readKey(rows[0]!)
            yield* events.append({ type: "api_key.created", resourceId: api_key.id, data: api_key })
            return { api_key, token }
          })
        )
      })

      const acting = Effect.gen(function*() {
        const { id, person, products, scopes } = yield* CurrentActor
        if (person !== undefined) {
          const limit = products === undefined ? {} : { product_ids: products }
          return { kind: "person" as const, id, name: person.name, scopes, allowed_cidrs: [], ...limit }
        }
        if (id === bootstrapActor.id) return { kind: "bootstrap" as const, id, scopes, allowed_cidrs: [] }
        const { is_active: _isActive, ...key } = yield* Effect.orDie(get(id))
        return { kind: "management_key" as const, ...key }
      }).pipe(Effect.withSpan("ManagementKeys.acting"))

      const revoke = Effect.fn("ManagementKeys.revoke")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [row] = yield* updateRevoked(sql, id)
            if (row === undefined) return yield* Effect.asVoid(get(id))
            yield* events.append({ type: "api_key.revoked", resourceId: id, data: readKey(row) })
          })
        )
      )

      return ManagementKeys.of({ list, create, get, acting, revoke })
    })
  )
}
