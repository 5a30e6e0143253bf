import { Context, Effect, Layer } from "effect"
import { policyDefaults, policyFindings, PolicyRecord } from "../../domain/catalog/Policy.ts"
import type { Policy, PolicyCreate, PolicyUpdate } from "../../domain/catalog/Policy.ts"
import type { WrittenPage } from "../../domain/ground/rows/WrittenRows.ts"
import type {
  Conflict,
  FieldFinding,
  InUse,
  InvalidCursor,
  NotFound,
  PreconditionFailed,
  ValidationError
} from "../../domain/ground/wire/Errors.ts"
import { failing, TokenScopeDenied } from "../../domain/ground/wire/Errors.ts"
import { invalidRequest } from "../../domain/ground/wire/FieldFindings.ts"
import type { Page, PageRequest } from "../../domain/ground/wire/Page.ts"
import { againstTrials } from "../../domain/keys/security/SigningKey.ts"
import { Database, inTransaction, rehearsed } from "../ground/persistence/Database.ts"
import { CurrentPrecondition } from "../ground/persistence/Precondition.ts"
import { lackedScopesOn } from "../log/Provenance.ts"
import { findTrialKey } from "./CatalogSql.ts"
import { makeCrudResource } from "./CrudResource.ts"
import { countedPolicies, Products } from "./Products.ts"

/** A write of a policy that was not kept. */
export interface RehearsedPolicy {
  /** Undefined where the policy would be a new one. */
  readonly before: Policy | undefined
  readonly after: Policy
  /** The reasons for which the write is refused; empty if it is not. */
  readonly findings: ReadonlyArray<FieldFinding>
}

/** The rules under which licenses are issued. */
export class Policies extends Context.Service<Policies, {
  readonly list: (productId: string, page: PageRequest) => Effect.Effect<WrittenPage<Policy>, NotFound | InvalidCursor>
  /** The same with how many licenses there are of each. */
  readonly listCounted: (productId: string, page: PageRequest) => Effect.Effect<Page<Policy>, NotFound | InvalidCursor>
  /** Rules that contradict each other are refused, as they would be left. */
  readonly create: (
    productId: string,
    input: PolicyCreate
  ) => Effect.Effect<Policy, NotFound | Conflict | ValidationError>
  readonly get: (id: string) => Effect.Effect<Policy, NotFound>
  readonly update: (
    id: string,
    changes: PolicyUpdate
  ) => Effect.Effect<Policy, NotFound | Conflict | PreconditionFailed | ValidationError | TokenScopeDenied>
  /** Carries {@link create} out and rolls it back; contradictions are found, not refused. */
  readonly rehearseCreation: (
    productId: string,
    input: PolicyCreate
  ) => Effect.Effect<RehearsedPolicy, NotFound | Conflict>
  /** The same of {@link update}. */
  readonly rehearseUpdate: (
    id: string,
    changes: PolicyUpdate
  ) => Effect.Effect<RehearsedPolicy, NotFound | Conflict | PreconditionFailed | TokenScopeDenied>
  /** Refused while licenses were issued under the policy. */
  readonly remove: (id: string) => Effect.Effect<void, NotFound | InUse | PreconditionFailed>
}>()("countersign/services/catalog/Policies") {
  static readonly layer = Layer.effect(
    Policies,
    Effect.gen(function*() {
      const sql = yield* Database
      const products = yield* Products
      const policies = yield* makeCrudResource({
        table: "policies",
        schema: PolicyRecord,
        idType: "pol",
        family: "policy",
        noun: "policy",
        products: "owned"
      })
      const list = (productId: string, page: PageRequest) =>
        Effect.andThen(products.get(productId), policies.list(page, { product_id: productId }))

      /** The policy to create, and the contradictions in it. The product stays until the surrounding transaction ends. */
      const toCreate = (productId: string, input: PolicyCreate) =>
        Effect.map(products.hold(productId), () => {
          const values = { product_id: productId, ...policyDefaults, metadata: {}, ...input }
          return { values, findings: policyFindings(values) }
        })

      /**
       * Publishable keys in use hold their policy to what a trial needs. Anybody has them, so whoever writes such a
       * policy issues licenses under it, and needs the scope of that.
       */
      const findingsOfTrials = Effect.fnUntraced(function*(id: string, left: Policy) {
        const [key] = yield* findTrialKey(sql, id)
        if (key === undefined) return []
        if ((yield* lackedScopesOn(["license:write"], left.product_id)).length > 0) {
          return yield* failing(
            TokenScopeDenied,
            `The publishable key ${key.id} issues licenses under this policy, so changing it needs the scope of that too.`,
            { detail: "license:write" }
          )
        }
        return againstTrials(left).map(({ member, needs }): FieldFinding => ({
          path: member,
          code: "contradiction",
          message: `${needs}, because the publishable key ${key.id} opens trials with this policy: revoke it first`
        }))
      })

      /** The policy to change, which is locked, and the contradictions in what would be left of it. */
      const toUpdate = Effect.fnUntraced(function*(id: string, changes: PolicyUpdate) {
        const before = yield* policies.lockToChange(id)
        const left = { ...before, ...changes } as Policy
        const contradictory = policyFindings(left)
        return { before, findings: contradictory.length > 0 ? contradictory : yield* findingsOfTrials(id, left) }
      })

      const refuseFound = ({ findings }: { readonly findings: ReadonlyArray<FieldFinding> }) =>
        findings.length === 0 ? Effect.void : Effect.fail(invalidRequest(findings))

      return Policies.of({
        list,
        listCounted: (productId, page) =>
          Effect.flatMap(
            list(productId, page),
            ({ page_info, rows }) =>
              Effect.map(countedPolicies(sql, policies.rows.read(rows)), (items) => ({ items, page_info }))
          ),
        create: (productId, input) =>
          inTransaction(
            sql,
            toCreate(productId, input).pipe(
              Effect.tap(refuseFound),
              Effect.flatMap(({ values }) => policies.create(values))
            )
          ),
        get: policies.get,
        update: (id, changes) =>
          inTransaction(
            sql,
            Effect.andThen(Effect.flatMap(toUpdate(id, changes), refuseFound), policies.update(id, changes))
          ),
        rehearseCreation: (productId, input) =>
          rehearsed(
            sql,
            Effect.flatMap(toCreate(productId, input), ({ findings, values }) =>
              Effect.map(policies.create(values), (after) => ({ before: undefined, after, findings })))
          ),
        rehearseUpdate: (id, changes) =>
          rehearsed(
            sql,
            Effect.flatMap(toUpdate(id, changes), ({ before, findings }) =>
              policies.update(id, changes).pipe(
                // The tag of the answer stays that of the policy as it is.
                Effect.provideService(CurrentPrecondition, undefined),
                Effect.map((after) => ({ before, after, findings }))
              ))
          ),
        remove: (id) => policies.remove(id, { licenses: "policy_id", publishable_keys: "policy_id" })
      })
    })
  )
}
