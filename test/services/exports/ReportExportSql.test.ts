import { assert, describe, layer } from "@effect/vitest"
import { Effect } from "effect"
import { deleteEarlierDownloads, findDownload, insertDownload } from "../../../src/services/exports/ReportExportSql.ts"
import { makeRows } from "../../fixtures/Rows.ts"
import { Workers } from "../../fixtures/Workers.ts"

const world = Effect.gen(function*() {
  const workers = yield* Workers
  const exportId = yield* makeRows(workers.first).reportExport()
  return { ...workers, download: { exportId, actorId: "key_1" } }
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
