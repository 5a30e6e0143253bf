import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import {
  deleteEarlierDownloads,
  findDownload,
  insertDownload,
  updateQueuedAgain
} from "../../../../src/services/evidence/exports/ExportSql.ts"
import { makeRows } from "../../../fixtures/Rows.ts"
import { Workers } from "../../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const exportId = yield* makeRows(workers.first).reportExport()
  return { ...workers, download: { exportId, actorId: "key_1" } }
})

describe("an export that is tried again", () => {
  layer(Workers.layer)((it) => {
    it.effect("an export is queued again only when it has failed, and from its start", () =>
      Effect.gen(function*() {
        const { first } = yield* Workers
        const rows = makeRows(first)
        const queued = yield* rows.reportExport()
        assert.deepStrictEqual(yield* updateQueuedAgain(first, queued), [])
        const failed = yield* rows.reportExport({
          status: "failed",
          failure: first`'{"code": "X", "message": "m"}'::jsonb`,
          tries: 3,
          progress_rows: 7,
          progress_total: 9
        })
        const [row] = yield* updateQueuedAgain(first, failed)
        assert.deepInclude(row, { id: failed, status: "queued", failure: null })
        const [left] =
          yield* first`SELECT tries, progress_rows, progress_total FROM report_exports WHERE id = ${failed}`
        assert.deepInclude(left, { tries: 0, progress_total: null })
        assert.strictEqual(Number(left!["progress_rows"]), 0)
        assert.deepStrictEqual(yield* updateQueuedAgain(first, failed), [])
      }))
  })
})

describe("the record of downloads", () => {
  layer(Workers.layer)((it) => {
    it.effect("a download is recorded once an hour, also when two ranges are asked for at once", () =>
      Effect.gen(function*() {
        const { download, first, second, waiting } = yield* world
        const [one, other] = yield* waiting(insertDownload(first, download), insertDownload(second, download))
        assert.deepStrictEqual([one.length, other.length], [1, 0])
      }))

    it.effect("keeps no earlier hour of the caller, and is of this hour alone", () =>
      Effect.gen(function*() {
        const { download, first } = yield* world
        yield* insertDownload(first, download)
        yield* first`UPDATE report_export_downloads SET hour = hour - interval '2 hours'
          WHERE export_id = ${download.exportId}`
        assert.deepStrictEqual(yield* findDownload(first, download), [])
        yield* insertDownload(first, download)
        yield* deleteEarlierDownloads(first, download)
        const [left] = yield* first<{ readonly count: number }>`
          SELECT count(*)::int AS count FROM report_export_downloads WHERE export_id = ${download.exportId}`
        assert.strictEqual(left!.count, 1)
        assert.strictEqual((yield* findDownload(first, download)).length, 1)
      }))
  })
})
