import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer, Schedule } from "effect"
import * as NodeCompression from "../../../../src/runtime/node/NodeCompression.ts"
import * as PgDatabase from "../../../../src/runtime/postgres/Database.ts"
import { DatabaseTarget } from "../../../../src/runtime/postgres/Database.ts"
import { DatabasePools } from "../../../../src/runtime/postgres/DatabaseServer.ts"
import { ExportClaims, ExportFiles } from "../../../../src/services/evidence/exports/ExportClaims.ts"
import { ExportFreezer } from "../../../../src/services/evidence/exports/ExportFreezer.ts"
import { ReportSource } from "../../../../src/services/evidence/reports/ReportSource.ts"
import { Checkpoints } from "../../../../src/services/evidence/transparency/Checkpoints.ts"
import { Witnesses, WitnessUnavailable } from "../../../../src/services/evidence/transparency/WitnessKeeper.ts"
import { Database } from "../../../../src/services/ground/persistence/Database.ts"
import { Identifiers } from "../../../../src/services/ground/persistence/Identifiers.ts"
import { Grants } from "../../../../src/services/licensing/metering/Grants.ts"
import { FeedSignal } from "../../../../src/services/log/FeedPosition.ts"
import { Sequencer } from "../../../../src/services/log/Sequencer.ts"
import { migratedDatabase } from "../../../fixtures/Postgres.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { layerStatements } from "../../../fixtures/StatementVendor.ts"

/** One connection for snapshots, as an environment beside live has it; and a witness that is away. */
const freezing = (quorum: number) =>
  Layer.unwrap(Effect.map(migratedDatabase, ({ target, url }) =>
    ExportFreezer.layer.pipe(
      Layer.provide([Layer.fresh(ReportSource.layer), Layer.fresh(Checkpoints.layer)]),
      Layer.provide([FeedSignal.layer, PgDatabase.layerUnhurried]),
      Layer.provideMerge(Layer.mergeAll(ExportClaims.layer, ExportFiles.layer, Sequencer.layer, Checkpoints.layer)),
      Layer.provide(NodeCompression.layer),
      Layer.provideMerge(layerStatements(url)),
      Layer.provide(Layer.succeed(DatabaseTarget, target)),
      Layer.provide(Layer.effect(DatabasePools, Effect.map(DatabasePools, (pools) => ({ ...pools, unhurried: 1 })))),
      Layer.provide(Layer.succeed(Witnesses, {
        quorum,
        all: quorum === 0 ? [] : [{
          id: "away+00000000",
          key: { name: "away", type: 4, publicKey: new Uint8Array(32) },
          add: () => Effect.fail(new WitnessUnavailable({ message: "away" })),
          addKeyEvent: () => Effect.fail(new WitnessUnavailable({ message: "away" })),
          checkpoint: () => Effect.fail(new WitnessUnavailable({ message: "away" }))
        }]
      }))
    )))

/** A customer with a license that was given units, and the log at work. */
const vendor = Effect.gen(function*() {
  const sql = yield* Database
  const rows = makeRows(sql)
  const product_id = yield* rows.product()
  const customer_id = `cus_${product_id}`
  const feature_id = `feat_${product_id}`
  yield* rows.insert("customers", { id: customer_id, name: "C", code: customer_id, metadata: sql`'{}'` })
  yield* rows.insert("features", { id: feature_id, product_id, name: "F", code: "render", metadata: sql`'{}'` })
  const license_id = yield* rows.license({ customer_id }, { product_id })
  yield* rows.insert("license_features", {
    license_id,
    feature_id,
    enabled: true,
    max_consumptions: 0,
    metadata: sql`'{}'`
  })
  yield* (yield* Grants).ofLicenses.give(license_id, { feature_id, amount: 7 } as never)
  yield* Effect.forkScoped((yield* Sequencer).run)
  yield* Effect.forkScoped((yield* Checkpoints).run)
  return { customer_id, rows }
})

/** Freezes so many statements at once; answers their snapshots. */
const frozen = Effect.fnUntraced(function*(count: number, customer_id: string) {
  const sql = yield* Database
  const claims = yield* ExportClaims
  const files = yield* ExportFiles
  const freezer = yield* ExportFreezer
  const identifiers = yield* Identifiers
  const day = 86_400_000
  const [from, to] = [Date.now() - day, Date.now() + day].map((at) => new Date(at).toISOString())
  const filters = JSON.stringify({ customer_id, from, to })
  const rows = makeRows(sql)
  for (let index = 0; index < count; index++) {
    yield* rows.reportExport({
      id: identifiers.next("rptx"),
      report_kind: "statement",
      format: "json",
      filters: sql`${filters}::jsonb`
    })
  }
  const claimed = yield* Effect.forEach(Array.from({ length: count }), () => claims.claim("any"))
  return yield* Effect.forEach(
    claimed,
    Effect.fnUntraced(function*(claim) {
      const { row } = yield* freezer.freeze(claim!, 20_000)
      const text = new TextDecoder().decode(yield* files.piece(row.id, "snapshot", 0))
      return JSON.parse(text)
    }),
    { concurrency: "unbounded" }
  )
})

describe("statements that are frozen at once", () => {
  it.live("take one connection each: fifty are frozen with their evidence by a pool of one", () =>
    Effect.gen(function*() {
      const { customer_id } = yield* vendor
      for (const snapshot of yield* frozen(50, customer_id)) {
        assert.strictEqual(snapshot.evidence?.chain, "complete")
        assert.deepInclude(snapshot.table.rows[0], { given: 7, closing: 7 })
      }
    }).pipe(Effect.provide(freezing(0)), Effect.scoped))

  it.live("wait for no witness that is away", () =>
    Effect.gen(function*() {
      const sql = yield* Database
      const { customer_id } = yield* vendor
      const checkpoints = yield* Checkpoints
      yield* checkpoints.latest.pipe(Effect.retry(Schedule.spaced("10 millis")))
      yield* sql`UPDATE event_checkpoints SET created_at = created_at - interval '1 minute'`
      for (const snapshot of yield* frozen(3, customer_id)) {
        assert.strictEqual(snapshot.evidence?.chain, "complete")
        assert.isUndefined(snapshot.checkpoint)
      }
    }).pipe(Effect.provide(freezing(1)), Effect.scoped))
})
