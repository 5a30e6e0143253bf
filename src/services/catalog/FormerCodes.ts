import { Context, Effect, Layer, Schema } from "effect"
import { FormerCodeUse } from "../../domain/catalog/Product.ts"
import { Database } from "../ground/persistence/Database.ts"
import { rowReader } from "../ground/persistence/RowToWire.ts"
import { writeBehind } from "../ground/platform/Supervised.ts"
import { deleteFormerCodes, insertFormerCode, listUses, updateLastAsked } from "./FormerCodesSql.ts"
import type { CodeUse } from "./FormerCodesSql.ts"

/** How exactly it is known when a code was asked for, in milliseconds: no more often is it written. */
const precision = 60_000

const readUse = rowReader(Schema.Struct({ product_id: Schema.String, ...FormerCodeUse.fields }))

const nameOf = (productId: string, code: string) => `${productId}\n${code}`

/**
 * Since when a code of a product is a former one, and when an app last asked by it. Questions are written behind
 * (write-behind), at most once a minute for a code: a vendor asks on which day the last app did.
 */
export class FormerCodes extends Context.Service<FormerCodes, {
  /** Notes that an app asked for a product by a former code, at an instant of the database's clock. */
  readonly noteUse: (productId: string, code: string, at: Date) => void
  /** Begins to watch a code that its product has no more. */
  readonly begin: (productId: string, code: string) => Effect.Effect<void>
  /** Forgets all codes of a product but those that stay, and answers what was known of the others. */
  readonly keepOnly: (productId: string, staying: ReadonlyArray<string>) => Effect.Effect<ReadonlyArray<FormerCodeUse>>
  /** The former codes of products, by product, in the order in which they became that. */
  readonly usesOf: (
    productIds: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyMap<string, ReadonlyArray<FormerCodeUse>>>
}>()("countersign/services/catalog/FormerCodes") {
  static readonly layer = Layer.effect(
    FormerCodes,
    Effect.gen(function*() {
      const sql = yield* Database
      const noted = new Map<string, number>()
      let pending: Array<CodeUse> = []

      const someWait = yield* writeBehind({
        name: "Writing when former codes were asked for",
        // It comes again with the next request.
        lost: "The use of former codes was not written",
        take: () => {
          const all = pending
          pending = []
          return all
        },
        write: (uses) => updateLastAsked(sql, uses)
      })

      const usesOf = Effect.fnUntraced(function*(productIds: ReadonlyArray<string>) {
        const uses = new Map<string, Array<FormerCodeUse>>()
        if (productIds.length === 0) return uses
        const rows = yield* listUses(sql, productIds)
        for (const { product_id, ...use } of rows.map(readUse)) {
          uses.set(product_id, [...uses.get(product_id) ?? [], use])
        }
        return uses
      })

      return FormerCodes.of({
        noteUse: (productId, code, at) => {
          const name = nameOf(productId, code)
          const before = noted.get(name)
          if (before !== undefined && at.getTime() - before < precision) return
          noted.set(name, at.getTime())
          pending.push({ productId, code, at })
          someWait()
        },
        begin: (productId, code) => Effect.asVoid(insertFormerCode(sql, productId, code)),
        keepOnly: (productId, staying) =>
          Effect.map(deleteFormerCodes(sql, productId, staying), (rows) => rows.map(readUse)),
        usesOf
      })
    })
  )
}
