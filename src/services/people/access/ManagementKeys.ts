import { Context, Effect, Layer } from "effect"
import { isWithin, parseCidr } from "../../../domain/ground/admission/Address.ts"
import { failing, NotFound, StateConflict, TokenScopeDenied } from "../../../domain/ground/wire/Errors.ts"
import type { FieldFinding, InvalidCursor, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import {
  formatLimitedToken,
  formatManagementToken,
  formatResellerToken,
  isLimitedToken,
  isResellerToken,
  managementTokenPrefix
} from "../../../domain/keys/security/Credential.ts"
import { defaultOverlapMinutes, ManagementKey, missingScopes } from "../../../domain/keys/security/ManagementKey.ts"
import type {
  ManagementKeyCreate,
  ManagementKeyCreated,
  ManagementKeyRotate,
  ManagementKeyRotated,
  TokenIdentity
} from "../../../domain/keys/security/ManagementKey.ts"
import { resellerScopes } from "../../../domain/keys/security/ProductRule.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { isOnlyOfProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Vault } from "../../keys/security/Vault.ts"
import { Events } from "../../log/Events.ts"
import { bootstrapActor, CurrentActor } from "../../log/Provenance.ts"
import {
  deleteOwnViews,
  findKey,
  findPast,
  insertKey,
  isMadeBy,
  isNamed,
  listKeys,
  listProducts,
  lockKey,
  updateEnd,
  updateRevoked,
  works
} from "./ManagementKeySql.ts"

/**
 * Findings about products that a key or a role is to be limited to, and that there are not. Of what is beyond the `limit` of
 * its maker nothing is said.
 */
export const unknownProducts = (
  sql: Database,
  ids: ReadonlyArray<string>,
  limit: ProductLimit
): Effect.Effect<ReadonlyArray<FieldFinding>> =>
  ids.length === 0 ? Effect.succeed([]) : Effect.map(listProducts(sql, ids), (rows) => {
    const known = new Set(rows.map(({ id }) => id))
    return ids.flatMap((id, index) =>
      known.has(id) || limit?.includes(id) === false
        ? []
        : [{ path: `product_ids.${index}`, code: "not_found", message: "names no product" }]
    )
  })

/** The limits that a key hands on to the keys that it makes. */
type Maker = Pick<ManagementKey, "scopes" | "allowed_cidrs" | "expires_at" | "product_ids" | "license_tag">

/** The rights of a new key beyond the key that makes it, in the words of a refusal: its scopes, addresses, end, products or tag. */
export const beyondMaker = (
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
    // A reseller is let to no operation that makes a key. What would let it makes none that is not a reseller's.
    ...(maker.license_tag !== undefined ? [`license_tag is ${maker.license_tag}, and a reseller makes no keys`] : []),
    ...(isOfMore ? [`product_ids must lie within ${maker.product_ids!.join(", ")}`] : [])
  ]
}

/** Findings about a reseller's key that would not be one. */
const resellerFindings = ({ license_tag, max_licenses, product_ids, scopes }: ManagementKeyCreate) => {
  const is = (path: string, code: string, message: string) => ({ path, code, message })
  if (license_tag === undefined) {
    return max_licenses === undefined ? [] : [is("max_licenses", "contradiction", "needs license_tag")]
  }
  const allowed: ReadonlyArray<string> = resellerScopes
  const isOfAll = (product_ids ?? null) === null
  return [
    ...(isOfAll ? [is("product_ids", "required", "is required with license_tag")] : []),
    ...(scopes?.every((scope) => allowed.includes(scope)) === true
      ? []
      : [is("scopes", "contradiction", `with license_tag must be among ${resellerScopes.join(", ")}`)])
  ]
}

/**
 * The purpose under which a management token is hashed. Those of limited keys have their own, and those of resellers, so that a
 * node of a version that knows no such limit finds no such key and refuses it, where it would let it do all.
 */
export const tokenHashPurpose = (token: string): string =>
  isResellerToken(token)
    ? "reseller-management-token"
    : isLimitedToken(token)
    ? "limited-management-token"
    : "management-token"

const readKey = rowReader(ManagementKey)

/** Filters of the list. */
export interface KeyFilters {
  readonly q?: string
  readonly created_by?: string
  readonly is_active?: "true" | "false"
}

/** A key as events have it: without the name of its maker, which may be that of a person. */
const inEvent = (key: ManagementKey): object => {
  if (key.created_by === undefined) return key
  const { name: _name, ...maker } = key.created_by
  return { ...key, created_by: maker }
}

const missing = () => failing(NotFound, "No API key has this id.")

/** Management credentials: issued once, stored as a keyed hash, revoked for good. */
export class ManagementKeys extends Context.Service<ManagementKeys, {
  readonly list: (filters: KeyFilters, page: PageRequest) => Effect.Effect<Page<ManagementKey>, InvalidCursor>
  /** Never wider than the key that acts: in scopes, in addresses, in time, in products. */
  readonly create: (
    input: ManagementKeyCreate
  ) => Effect.Effect<ManagementKeyCreated, ValidationError | TokenScopeDenied>
  /** Makes a key that does the same, and has the one before end; never wider than the key that acts. */
  readonly rotate: (
    id: string,
    input: ManagementKeyRotate
  ) => Effect.Effect<ManagementKeyRotated, NotFound | StateConflict | TokenScopeDenied | ValidationError>
  readonly get: (id: string) => Effect.Effect<ManagementKey, NotFound>
  /** The API key, or the bootstrap token, that acts. */
  readonly acting: Effect.Effect<TokenIdentity>
  /** Repeating it succeeds. */
  readonly revoke: (id: string) => Effect.Effect<void, NotFound>
}>()("countersign/services/people/access/ManagementKeys") {
  static readonly layer = Layer.effect(
    ManagementKeys,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const vault = yield* Vault

      const list = Effect.fn("ManagementKeys.list")((filters: KeyFilters, page: PageRequest) =>
        sortedPage({
          sql,
          list: "management_keys",
          products: (products) => isOnlyOfProducts(sql, "product_ids", products),
          filters,
          page,
          conditions: [
            ...(filters.q === undefined ? [] : [isNamed(sql, filters.q.trim())]),
            ...(filters.created_by === undefined ? [] : [isMadeBy(sql, filters.created_by)]),
            ...(filters.is_active === undefined ? [] : [works(sql, filters.is_active === "true")])
          ],
          rows: (clauses, limit) => listKeys(sql, clauses, limit),
          read: readKey
        })
      )

      const isPast = (instant: string) => Effect.map(findPast(sql, instant), (rows) => rows[0]!.past)

      const get = Effect.fn("ManagementKeys.get")(function*(id: string) {
        const [row] = yield* findKey(sql, id)
        return row === undefined ? yield* missing() : readKey(row)
      })

      /** The limits of whoever acts. */
      const acts = Effect.flatMap(
        CurrentActor,
        ({ id, person, products, scopes }): Effect.Effect<Maker> =>
          id === bootstrapActor.id || person !== undefined
            ? Effect.succeed({
              scopes,
              allowed_cidrs: [],
              ...(products === undefined ? {} : { product_ids: products })
            })
            : Effect.orDie(get(id))
      )

      /** Fails where a key is asked for that cannot be, or is beyond its maker. */
      const check = Effect.fnUntraced(function*(input: ManagementKeyCreate) {
        const maker = yield* acts
        const unknown = yield* unknownProducts(sql, input.product_ids ?? [], maker.product_ids)
        const isOver = input.expires_at !== undefined && (yield* isPast(input.expires_at))
        const past = isOver ? [{ path: "expires_at", code: "in_the_past", message: "must be in the future" }] : []
        const fields = [...malformedRanges(input), ...past, ...unknown, ...resellerFindings(input)]
        if (fields.length > 0) return yield* invalidRequest(fields)
        const beyond = beyondMaker(maker, input)
        if (beyond.length === 0) return
        return yield* failing(TokenScopeDenied, "A key cannot be wider than the key that creates it.", {
          detail: beyond.join("; ")
        })
      })

      /** Makes a key, in the surrounding transaction. */
      const make = Effect.fnUntraced(function*(input: ManagementKeyCreate) {
        const { id, type } = yield* CurrentActor
        const token = input.license_tag !== undefined
          ? formatResellerToken(crypto.randomBytes(30), environment)
          : (input.product_ids ?? null) === null
          ? formatManagementToken(crypto.randomBytes(32), environment)
          : formatLimitedToken(crypto.randomBytes(31), environment)
        const rows = yield* insertKey(sql, {
          id: identifiers.next("key"),
          hash: vault.keyedHash(tokenHashPurpose(token), token),
          prefix: managementTokenPrefix(token),
          maker: { type, id },
          input
        })
        const api_key = readKey(rows[0]!)
        yield* events.append({ type: "api_key.created", resourceId: api_key.id, data: inEvent(api_key) })
        return { api_key, token }
      })

      const create = Effect.fn("ManagementKeys.create")((input: ManagementKeyCreate) =>
        Effect.andThen(check(input), inTransaction(sql, make(input)))
      )

      /** The products of a key that there still are; undefined where it has no limit. */
      const existing = Effect.fnUntraced(function*(ids: ReadonlyArray<string> | undefined) {
        if (ids === undefined) return undefined
        const found = (yield* listProducts(sql, ids)).map(({ id }) => id)
        if (found.length > 0) return ids.filter((id) => found.includes(id))
        return yield* failing(
          StateConflict,
          "All products that this API key is limited to were deleted. Revoke it, and create another one."
        )
      })

      const rotate = Effect.fn("ManagementKeys.rotate")((
        id: string,
        { expires_at, overlap_minutes = defaultOverlapMinutes }: ManagementKeyRotate
      ) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [row] = yield* lockKey(sql, id)
            if (row === undefined) return yield* missing()
            const before = readKey(row)
            if (!before.is_active) {
              return yield* failing(
                StateConflict,
                "This API key was revoked or has expired. Create another one instead."
              )
            }
            const { allowed_cidrs, license_tag, max_licenses, name, scopes } = before
            const product_ids = yield* existing(before.product_ids)
            const end = expires_at === undefined ? before.expires_at : expires_at ?? undefined
            const input = {
              name,
              scopes,
              allowed_cidrs,
              ...(product_ids === undefined ? {} : { product_ids }),
              ...(license_tag === undefined ? {} : { license_tag }),
              ...(max_licenses === undefined ? {} : { max_licenses }),
              ...(end === undefined ? {} : { expires_at: end })
            }
            yield* check(input)
            const made = yield* make(input)
            const [ended] = yield* updateEnd(sql, id, overlap_minutes)
            const previous = readKey(ended!)
            yield* events.append({ type: "api_key.updated", resourceId: id, data: inEvent(previous) })
            return { ...made, previous }
          })
        )
      )

      const acting = Effect.gen(function*() {
        const { id, person, products, scopes } = yield* CurrentActor
        if (person !== undefined) {
          const { secondLook = [] } = person
          const limit = {
            ...(products === undefined ? {} : { product_ids: products }),
            ...(secondLook.length === 0 ? {} : { second_look: secondLook })
          }
          return { kind: "person" as const, id, name: person.name, scopes, allowed_cidrs: [], ...limit }
        }
        if (id === bootstrapActor.id) return { kind: "bootstrap" as const, id, scopes, allowed_cidrs: [] }
        const { created_by: _maker, is_active: _isActive, ...key } = yield* Effect.orDie(get(id))
        return { kind: "management_key" as const, ...key }
      }).pipe(Effect.withSpan("ManagementKeys.acting"))

      const revoke = Effect.fn("ManagementKeys.revoke")((id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            const [row] = yield* updateRevoked(sql, id)
            if (row === undefined) return yield* Effect.asVoid(get(id))
            yield* deleteOwnViews(sql, { type: "api_key", id })
            yield* events.append({ type: "api_key.revoked", resourceId: id, data: inEvent(readKey(row)) })
          })
        )
      )

      return ManagementKeys.of({ list, create, rotate, get, acting, revoke })
    })
  )
}

/** Findings about ranges of addresses that are none. */
const malformedRanges = ({ allowed_cidrs = [] }: ManagementKeyCreate) =>
  allowed_cidrs.flatMap((cidr, index) =>
    parseCidr(cidr) === undefined
      ? [{
        path: `allowed_cidrs.${index}`,
        code: "invalid_cidr",
        message: "must be an address range such as 10.0.0.0/8"
      }]
      : []
  )
