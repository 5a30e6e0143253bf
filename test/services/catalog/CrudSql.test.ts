import { assert, describe, layer } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Metadata, Timestamp } from "../../../src/domain/ground/wire/Fields.ts"
import {
  deleteResource,
  findIdentical,
  findResource,
  findUser,
  insertResource,
  lockHeld,
  lockIdentical,
  lockResource,
  lockToDelete,
  updateResource
} from "../../../src/services/catalog/CrudSql.ts"
import type { ResourceTable } from "../../../src/services/catalog/CrudSql.ts"
import { recordRows } from "../../../src/services/ground/records/RecordCells.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const productColumns = { id: Schema.String, name: Schema.String, metadata: Metadata }
const products: ResourceTable = {
  table: "products",
  columns: ["id", "name", "metadata", "former_codes"],
  rows: recordRows(Schema.Struct(productColumns)),
  instants: []
}
const versions: ResourceTable = {
  table: "product_versions",
  columns: ["id", "released_at"],
  rows: recordRows(Schema.Struct({ id: Schema.String, released_at: Timestamp })),
  instants: ["released_at"]
}

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const rows = makeRows(workers.first)
  return { ...workers, rows, id: yield* rows.product() }
})

describe("the statements of a plain resource", () => {
  layer(Workers.layer)((it) => {
    it.effect("changes of a resource wait for each other, and the later one sees what the earlier one left", () =>
      Effect.gen(function*() {
        const { first, id, second, waiting } = yield* world
        const change = updateResource(first, products, id, { name: "Q", metadata: { a: 1 }, former_codes: ["old"] })
        const [[written], [locked]] = yield* waiting(change, lockResource(second, products, id))
        assert.deepStrictEqual(written, { id, name: "Q", metadata: { a: 1 }, former_codes: ["old"] })
        assert.deepStrictEqual(locked, written)
      }))

    it.effect("whoever goes by a name waits for who takes it away", () =>
      Effect.gen(function*() {
        const { first, id, second, waiting } = yield* world
        yield* updateResource(first, products, id, { name: `Named ${id}` })
        const named = { name: `Named ${id}` }
        const [, found] = yield* waiting(
          updateResource(first, products, id, { name: "R" }),
          lockIdentical(second, products, named)
        )
        assert.deepStrictEqual(found, [])
        const [[locked]] = yield* waiting(lockIdentical(first, products, { id }), lockResource(second, products, id))
        assert.strictEqual(locked!["id"], id)
      }))

    it.effect("a resource that is held is not deleted, and may be held by others and changed", () =>
      Effect.gen(function*() {
        const { first, id, passing, second, undone } = yield* world
        yield* passing(lockHeld(first, products, id), lockHeld(second, products, id))
        yield* passing(lockHeld(first, products, id), updateResource(second, products, id, { name: "R" }))
        const [, [gone]] = yield* undone(lockHeld(first, products, id), deleteResource(second, products, id))
        assert.deepInclude(gone, { id, name: "R" })
        assert.deepStrictEqual(yield* findResource(second, products, id), [])
      }))

    it.effect("a resource that is deleted gets no reference: who would hold it waits, and finds it gone", () =>
      Effect.gen(function*() {
        const { first, id, second, waiting } = yield* world
        const remove = Effect.andThen(lockToDelete(first, products, id), deleteResource(first, products, id))
        const [, held] = yield* waiting(remove, lockHeld(second, products, id))
        assert.deepStrictEqual(held, [])
      }))

    it.effect("a lock before the deletion keeps new references out already", () =>
      Effect.gen(function*() {
        const { first, id, second, waiting } = yield* world
        yield* waiting(lockToDelete(first, products, id), lockHeld(second, products, id))
      }))

    it.effect("two resources of one identity are not made: the second waits for the first, and is none", () =>
      Effect.gen(function*() {
        const { first, id, second, waiting } = yield* world
        const version = (of: string) => ({
          id: of,
          product_id: id,
          version: "9",
          released_at: "2027-01-01T00:00:00.000Z",
          metadata: {}
        })
        const [, none] = yield* waiting(
          insertResource(first, versions, version(`ver_first_${id}`)),
          insertResource(second, versions, version(`ver_second_${id}`))
        )
        assert.deepStrictEqual(none, [])
        const [same] = yield* findIdentical(first, versions, { product_id: id, version: "9" })
        assert.strictEqual(same!["id"], `ver_first_${id}`)
      }))

    it.effect("instants are written as instants, and users are found by a column or an array of it", () =>
      Effect.gen(function*() {
        const { first, id, rows } = yield* world
        const released_at = "2027-01-01T00:00:00.000Z"
        const [version] = yield* insertResource(first, versions, {
          id: `ver_of_${id}`,
          product_id: id,
          version: "1",
          released_at,
          metadata: {}
        })
        assert.deepStrictEqual(version!["released_at"], new Date(released_at))
        const isUsed = (table: string, column: string, of = id) =>
          Effect.map(findUser(first, table, column, of), ({ length }) => length > 0)
        assert.isTrue(yield* isUsed("product_versions", "product_id"))
        assert.isFalse(yield* isUsed("licenses", "product_ids"))
        yield* rows.license({ product_ids: ["prod_x", id] })
        assert.isTrue(yield* isUsed("licenses", "product_ids"))
        assert.isFalse(yield* isUsed("product_versions", "product_id", "prod_x"))
      }))
  })
})
