import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { RuntimeCaller } from "../../api/ground/Middleware.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { namesBeside } from "../../domain/evidence/exports/FileName.ts"
import { archiveType, contentTypes } from "../../domain/evidence/exports/ReportExport.ts"
import { pageLimit } from "../../domain/ground/wire/Page.ts"
import { Activities } from "../../services/evidence/audit/Activities.ts"
import { ReportExports } from "../../services/evidence/exports/ReportExports.ts"
import type { ExportFile } from "../../services/evidence/exports/ReportExports.ts"
import { Receipts } from "../../services/evidence/receipts/Receipts.ts"
import { Overviews } from "../../services/evidence/reports/Overviews.ts"
import { Reports } from "../../services/evidence/reports/Reports.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { archiveOf, sendFile } from "../ground/edge/FileReply.ts"
import { one, page, signed, writtenPage } from "../ground/edge/Reply.ts"

export const reportExportsLayer = HttpApiBuilder.group(
  Api,
  "report-exports",
  Effect.fn(function*(handlers) {
    const admission = yield* Admission
    const exports = yield* ReportExports
    const settings = yield* Settings

    /** The file with its snapshot and its manifest; a JSON export is its own snapshot. */
    const archive = Effect.fnUntraced(function*(id: string) {
      const artifact = yield* exports.file(id, "artifact")
      const snapshot = yield* exports.file(id, "snapshot")
      const { data, signature } = yield* exports.manifest(id)
      const manifest = new TextEncoder().encode(`{"data":${data},"signature":${JSON.stringify(signature)}}`)
      const { file_name, format, frozen_at, created_at } = artifact.export
      const names = namesBeside(file_name)
      const stored = (name: string, { bytes, size }: ExportFile) => ({
        name,
        size,
        bytes: size === 0 ? Stream.empty : bytes({ start: 0, end: size - 1 })
      })
      const { bytes, size } = archiveOf(
        [
          stored(file_name, artifact),
          ...(format === "json" ? [] : [stored(names.snapshot, snapshot)]),
          { name: names.manifest, size: manifest.length, bytes: Stream.make(manifest) }
        ],
        frozen_at ?? created_at
      )
      return { ...artifact, digest: `zip:${artifact.digest}`, size, bytes } satisfies ExportFile
    })

    return handlers.handleAll({
      listReportExports: ({ query }) => page(exports.list(pageOf(query), filtersOf(query))),
      createReportExport: ({ payload }) => one(exports.create(payload)),
      getReportExport: ({ params }) => one(exports.get(params.id)),
      retryReportExport: ({ params }) => one(exports.retry(params.id)),
      downloadReportExport: ({ params }) =>
        sendFile(admission, exports.file(params.id, "artifact"), (file) => ({
          name: file.export.file_name,
          contentType: file.export.content_type
        })).pipe(Effect.provideService(Settings, settings)),
      downloadReportExportSnapshot: ({ params }) =>
        sendFile(admission, exports.file(params.id, "snapshot"), (file) => ({
          name: namesBeside(file.export.file_name).snapshot,
          contentType: contentTypes.json
        })).pipe(Effect.provideService(Settings, settings)),
      downloadReportExportArchive: ({ params }) =>
        sendFile(admission, archive(params.id), (file) => ({
          name: namesBeside(file.export.file_name).archive,
          contentType: archiveType
        })).pipe(Effect.provideService(Settings, settings)),
      getReportExportManifest: ({ params }) => signed(exports.manifest(params.id))
    })
  })
)

export const reportsLayer = HttpApiBuilder.group(
  Api,
  "reports",
  Effect.fn(function*(handlers) {
    const reports = yield* Reports
    const overviews = yield* Overviews
    return handlers.handleAll({
      getOverview: ({ query }) => one(overviews.read(query)),
      getUsageSummary: ({ query }) => one(reports.usage(query)),
      listUsageLedger: ({ query: { cursor: _cursor, limit: _limit, ...filters }, query }) =>
        writtenPage(reports.ledger(filters, pageOf(query))),
      getLicenseAudit: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("license-audit", filters, limit)),
      getCustomerSummary: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("customer-summary", filters, limit)),
      getSubscriptionSettlement: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("subscription-settlement", filters, limit)),
      getPurchasesReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.purchases(filters, limit)),
      getLicensesReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.licenses(filters, limit)),
      getAdoptionReport: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.adoption(filters, limit)),
      getStatement: ({ query: { limit = pageLimit.default, ...filters } }) =>
        one(reports.read("statement", filters, limit))
    })
  })
)

export const receiptsLayer = HttpApiBuilder.group(
  Api,
  "receipts",
  Effect.fn(function*(handlers) {
    const receipts = yield* Receipts
    return handlers.handleAll({
      getUsageReceipt: ({ headers, query }) =>
        signed(
          Effect.flatMap(RuntimeCaller, (caller) =>
            receipts.find(caller, {
              eventId: query.event_id,
              featureCode: query.feature_code,
              userToken: headers["x-user-token"],
              nonce: headers["x-nonce"]
            }))
        )
    })
  })
)

export const activitiesLayer = HttpApiBuilder.group(
  Api,
  "activities",
  Effect.fn(function*(handlers) {
    const activities = yield* Activities
    return handlers.handleAll({
      listActivities: (
        { query: { cursor: _cursor, include_changes, include_names, limit: _limit, ...filters }, query }
      ) => {
        const details = { changes: include_changes === "true", names: include_names === "true" }
        return details.changes || details.names
          ? page(activities.listDetailed(filters, pageOf(query), details))
          : writtenPage(activities.list(filters, pageOf(query)))
      },
      getActivity: ({ params }) => one(activities.get(params.id))
    })
  })
)
