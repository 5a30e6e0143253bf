import { Context, Effect, Layer } from "effect"
import type { InvalidCursor, NotFound } from "../../../domain/ground/wire/Errors.ts"
import type { Page, PageRequest } from "../../../domain/ground/wire/Page.ts"
import { snapshotOf } from "../../../domain/licensing/entitlements/Snapshot.ts"
import type { SnapshotRow } from "../../../domain/licensing/entitlements/Snapshot.ts"
import { licenseBalance } from "../../../domain/licensing/metering/CustomerBalance.ts"
import type { LicenseBalance } from "../../../domain/licensing/metering/CustomerBalance.ts"
import { Customers } from "../../customers/Customers.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { keysetPageBy } from "../../ground/persistence/KeysetPagination.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import type { ProductLimit } from "../../ground/persistence/ProductLimit.ts"
import { listLicensesOf } from "./GrantSql.ts"
import { listStandings } from "./ReportedUseSql.ts"

/** The balances of a license by its products, those alone that the caller may see. The first is among them. */
const balanceOf = (row: SnapshotRow, products: ProductLimit, code: string | undefined): LicenseBalance => {
  const further = (row.further ?? []).map(({ id }) => id).filter((id) => id !== row.product_id)
  const seen = further.filter((id) => products === undefined || products.includes(id))
  return licenseBalance(
    [snapshotOf(row, { id: row.product_id }), ...seen.map((id) => snapshotOf(row, { id }))],
    code
  )
}

/** Balances of the licenses of a customer: what they may still use of quotas, grants and pools, read together. */
export class Balances extends Context.Service<Balances, {
  /** A page of the licenses of a customer, each with its balances as they are at one instant. */
  readonly list: (
    customerId: string,
    filters: { readonly feature_code?: string | undefined },
    page: PageRequest
  ) => Effect.Effect<Page<LicenseBalance>, InvalidCursor | NotFound>
}>()("countersign/services/licensing/metering/Balances") {
  static readonly layer = Layer.effect(
    Balances,
    Effect.gen(function*() {
      const sql = yield* Database
      const customers = yield* Customers

      const list = Effect.fn("Balances.list")(function*(
        customerId: string,
        { feature_code }: { readonly feature_code?: string | undefined },
        page: PageRequest
      ) {
        yield* customers.get(customerId)
        const products = yield* CurrentProducts
        return yield* keysetPageBy({
          list: "customer_balances",
          products: "narrowed",
          filters: { customerId, feature_code },
          page,
          idOf: ({ license_id }: LicenseBalance) => license_id,
          rows: Effect.fnUntraced(function*(after, limit) {
            const ids = (yield* listLicensesOf(sql, customerId, { after, limit, products })).map(({ id }) => id)
            if (ids.length === 0) return []
            const rows = new Map((yield* listStandings(sql, ids)).map((row) => [row.license_id, row]))
            return ids.flatMap((id) => {
              const row = rows.get(id)
              return row === undefined ? [] : [balanceOf(row, products, feature_code)]
            })
          })
        })
      })

      return Balances.of({ list })
    })
  )
}
