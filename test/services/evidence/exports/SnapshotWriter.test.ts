import { assert, describe, it } from "@effect/vitest"
import { Cause, Effect, Exit, Stream } from "effect"
import type { Progress } from "../../../../src/domain/evidence/exports/ExportChange.ts"
import type { SnapshotHead } from "../../../../src/domain/evidence/exports/ReportSnapshot.ts"
import type { ReportRow } from "../../../../src/domain/evidence/reports/Report.ts"
import { reportColumns } from "../../../../src/domain/evidence/reports/ReportColumns.ts"
import { writeSnapshot } from "../../../../src/services/evidence/exports/ExportFreezer.ts"
import type { ExportRow } from "../../../../src/services/evidence/exports/ExportRecord.ts"
import type { ExportPart } from "../../../../src/services/evidence/exports/ExportSql.ts"
import { Slices } from "../../../../src/services/ground/environments/CurrentEnvironment.ts"

const columns = reportColumns("usage-summary", { group_by: "feature_code" } as never)

const head: SnapshotHead = {
  as_of_sequence: 5,
  filters: { group_by: "feature_code" },
  frozen_at: "2026-11-21T10:30:00.000Z",
  report_kind: "usage-summary",
  report_schema: "countersign/report/usage-summary/v1",
  row_count: 3,
  summary: { uses: 6 },
  columns
}

const rows: ReadonlyArray<ReportRow> = ["a", "b", "c"].map((group, uses) => ({ group, uses, amount: uses }))

/** Writes a report of these chunks; answers what was written of each part, and how far it was said to be. */
const written = (format: ExportRow["format"], chunks: ReadonlyArray<ReadonlyArray<ReportRow>>, total: number) =>
  Effect.gen(function*() {
    const parts = new Map<ExportPart, string>()
    const told: Array<Progress> = []
    const named: Array<number> = []
    const done = yield* writeSnapshot({
      claim: { format } as ExportRow,
      head,
      report: { columns, rows: Stream.fromIterable(chunks), total },
      name: (some) => Effect.sync(() => void named.push(some.length)),
      open: (part) => ({
        add: () => Effect.die("a row is added as text"),
        put: () => assert.fail("a row is added as text"),
        flush: () => Effect.die("a row is added as text"),
        addTexts: (texts, progress, prefix = "") =>
          Effect.sync(() => {
            told.push(progress)
            parts.set(part, (parts.get(part) ?? "") + texts.map((text) => prefix + text).join(""))
          }),
        end: (progress) =>
          Effect.sync(() => {
            told.push(progress)
            return { digest: `sha256:${part}`, size: parts.get(part)!.length }
          })
      })
    })
    return { done, named, parts, last: told.at(-1) }
  })

describe("the snapshot of a report", () => {
  it.effect("is one JSON text with all rows in order, however they arrive", () =>
    Effect.gen(function*() {
      for (const chunks of [[rows], [rows.slice(0, 1), [], rows.slice(1)], rows.map((row) => [row])]) {
        const { done, last, named, parts } = yield* written("json", chunks, 3)
        const { table, ...rest } = JSON.parse(parts.get("snapshot")!)
        assert.deepStrictEqual(table, { columns, rows })
        assert.deepInclude(rest, { as_of_sequence: 5, row_count: 3 })
        assert.deepStrictEqual(named, chunks.map(({ length }) => length))
        assert.strictEqual(done.snapshot.digest, "sha256:snapshot")
        assert.isUndefined(done.file)
        assert.deepStrictEqual(last, { rows: 3, total: 3 })
      }
    }))

  it.effect("has a CSV beside it, a line for each row after its head", () =>
    Effect.gen(function*() {
      const { done, parts } = yield* written("csv", [rows.slice(0, 2), rows.slice(2)], 3)
      assert.strictEqual(done.file?.digest, "sha256:artifact")
      const lines = parts.get("artifact")!.trimEnd().split("\r\n")
      assert.lengthOf(lines, 4)
      assert.deepStrictEqual(lines.slice(1).map((line) => line.split(",")[0]), ["a", "b", "c"])
    }))

  it.effect("is half of the work where a document is still to be rendered from it", () =>
    Effect.gen(function*() {
      const { done, last } = yield* written("pdf", [rows], 3)
      assert.isUndefined(done.file)
      assert.deepStrictEqual(last, { rows: 1, total: 3 })
    }))

  it.effect("is none when it has not as many rows as it said", () =>
    Effect.gen(function*() {
      for (const total of [2, 4]) {
        const exit = yield* Effect.exit(written("json", [rows], total))
        assert.isTrue(Exit.isFailure(exit) && Cause.hasDies(exit.cause))
      }
    }))

  it.effect("is written in slices of 200 rows, each when it may run, and none inside of another", () =>
    Effect.gen(function*() {
      const many = Array.from({ length: 450 }, () => rows[0]!)
      const steps: Array<string> = []
      const run: Slices["run"] = (slice) =>
        Effect.sync(() => void steps.push("begins")).pipe(
          Effect.andThen(slice),
          Effect.tap(() => Effect.sync(() => void steps.push("ends")))
        )
      const { last } = yield* Effect.provideService(written("csv", [many, rows], 453), Slices, { run })
      assert.deepStrictEqual(steps, Array.from({ length: 4 }, () => ["begins", "ends"]).flat())
      assert.deepStrictEqual(last, { rows: 453, total: 453 })
    }))
})
