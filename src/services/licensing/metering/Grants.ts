import { Context, Effect, Layer } from "effect"
import { isNamed, onlyNamed } from "../../../domain/catalog/NamedFeature.ts"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { failing, IdempotencyConflict, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { InvalidCursor, StateConflict, ValidationError } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { Grant } from "../../../domain/licensing/grants/Grant.ts"
import type { GrantCreate } from "../../../domain/licensing/grants/Grant.ts"
import { grantIssued, repeats } from "../../../domain/licensing/grants/GrantIssue.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { makeRollovers } from "../../catalog/terms/Rollovers.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { sortedPage } from "../../ground/persistence/KeysetPagination.ts"
import { rowReader } from "../../ground/persistence/RowToWire.ts"
import { Events } from "../../log/Events.ts"
import { lockProducts, updateGrantsVersion } from "../licenses/LicenseFeatureSql.ts"
import { Licenses } from "../licenses/Licenses.ts"
import { countOpen, findGrant, findReferred, insertGrant, isOfLicense, listGrants, updateRevoked } from "./GrantSql.ts"

const readGrant = rowReader(Grant)

const noLicense = failing(NotFound, "No license has this id.")
const noGrant = failing(NotFound, "The license has no grant with this id.")

/** Units that licenses have beside their quotas: packs that were bought, gifts and corrections. */
export class Grants extends Context.Service<Grants, {
  readonly list: (
    licenseId: string,
    filters: { readonly feature_id?: string | undefined },
    page: PageRequest
  ) => Effect.Effect<Page<Grant>, InvalidCursor | NotFound>
  readonly get: (licenseId: string, id: string) => Effect.Effect<Grant, NotFound>
  /** Gives units. A repeated reference answers the grant that is there. */
  readonly give: (
    licenseId: string,
    input: GrantCreate
  ) => Effect.Effect<Grant, IdempotencyConflict | NotFound | StateConflict | ValidationError>
  /** Takes back what is left of a grant; repeating it succeeds. */
  readonly revoke: (licenseId: string, id: string) => Effect.Effect<Grant, NotFound>
}>()("countersign/services/licensing/metering/Grants") {
  static readonly layer = Layer.effect(
    Grants,
    Effect.gen(function*() {
      const sql = yield* Database
      const events = yield* Events
      const identifiers = yield* Identifiers
      const licenses = yield* Licenses
      const rollovers = makeRollovers(sql, events, identifiers)

      const append = (type: "license.grant_given" | "license.grant_revoked", grant: Grant) =>
        events.append({
          type,
          resourceId: grant.license_id,
          data: grant,
          metadata: { grant_id: grant.id, feature_id: grant.feature_id, feature_code: grant.feature_code }
        })

      const lock = Effect.fnUntraced(function*(licenseId: string) {
        if ((yield* lockProducts(sql, licenseId)).length === 0) return yield* noLicense
      })

      const found = (rows: ReadonlyArray<object>) =>
        rows[0] === undefined ? noGrant : Effect.succeed(readGrant(rows[0]))

      const list = Effect.fn("Grants.list")(function*(
        licenseId: string,
        { feature_id }: { readonly feature_id?: string | undefined },
        page: PageRequest
      ) {
        yield* licenses.get(licenseId)
        return yield* sortedPage({
          sql,
          list: "license_grants",
          products: "owned",
          filters: { licenseId, feature_id },
          page,
          conditions: isOfLicense(sql, licenseId, feature_id),
          rows: (clauses, limit) => listGrants(sql, clauses, limit),
          read: readGrant
        })
      })

      const get = Effect.fn("Grants.get")((licenseId: string, id: string) =>
        Effect.flatMap(findGrant(sql, licenseId, id), found)
      )

      /** The grant that a request with a reference has given before, if it has. */
      const given = Effect.fnUntraced(function*(licenseId: string, input: GrantCreate) {
        if (input.reference === undefined) return undefined
        const [row] = yield* findReferred(sql, licenseId, input.reference)
        if (row === undefined) return undefined
        const grant = readGrant(row)
        if (repeats(grant, input)) return grant
        return yield* failing(IdempotencyConflict, "The license has another grant with this reference.", {
          detail: grant.id
        })
      })

      /** The end of the quota's period in which units of a request begin, where it is theirs: of a correction without an end of its own. */
      const periodEndOf = Effect.fnUntraced(function*(
        licenseId: string,
        feature: EffectiveFeature,
        { amount, expires_at, starts_at }: GrantCreate,
        now: Date
      ) {
        const start = starts_at === undefined ? now : new Date(starts_at)
        if (start <= now || amount > 0 || expires_at !== undefined) return feature.periodEnd
        const then = yield* readFeatureTerms(sql, licenseId, start)
        return then.find(({ feature: { id } }) => id === feature.id)?.feature.periodEnd
      })

      const give = Effect.fn("Grants.give")((licenseId: string, input: GrantCreate) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(licenseId)
            const before = yield* given(licenseId, input)
            if (before !== undefined) return before
            yield* rollovers.settle(licenseId)
            const named = (yield* readFeatureTerms(sql, licenseId)).filter(({ feature: { code, id } }) =>
              isNamed(input, { feature_id: id, feature_code: code })
            )
            const feature = (yield* Effect.fromResult(onlyNamed(named)))?.feature
            if (feature === undefined) return yield* failing(NotFound, "The license does not have this feature.")
            const [counted] = yield* countOpen(sql, licenseId, feature.id)
            const { now, open } = counted!
            const periodEnd = yield* periodEndOf(licenseId, feature, input, now)
            const issued = yield* Effect.fromResult(
              grantIssued({ feature: { ...feature, periodEnd }, open, now: now.getTime() }, input)
            )
            const id = identifiers.next("grant")
            const [row] = yield* insertGrant(sql, { id, licenseId, featureId: feature.id }, issued)
            yield* updateGrantsVersion(sql, licenseId, 1)
            const grant = readGrant(row!)
            yield* append("license.grant_given", grant)
            return grant
          })
        )
      )

      const revoke = Effect.fn("Grants.revoke")((licenseId: string, id: string) =>
        inTransaction(
          sql,
          Effect.gen(function*() {
            yield* lock(licenseId)
            yield* rollovers.settle(licenseId)
            const [row] = yield* updateRevoked(sql, licenseId, id)
            if (row === undefined) return yield* get(licenseId, id)
            const grant = readGrant(row)
            yield* updateGrantsVersion(sql, licenseId, 1)
            yield* append("license.grant_revoked", grant)
            return grant
          })
        )
      )

      return Grants.of({ list, get, give, revoke })
    })
  )
}
