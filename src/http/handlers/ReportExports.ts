import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { contentTypes } from "../../domain/exports/ReportExport.ts"
import { Admission } from "../../services/admission/Admission.ts"
import { ReportExports } from "../../services/exports/ReportExports.ts"
import { Settings } from "../../services/platform/Settings.ts"
import { sendFile } from "../answers/FileReply.ts"
import { one, page, signed } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { filtersOf, pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "report-exports",
  Effect.fn(function*(handlers) {
    const admission = yield* Admission
    const exports = yield* ReportExports
    const settings = yield* Settings
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
          name: file.export.file_name.replace(/\.\w+$/, ".snapshot.json"),
          contentType: contentTypes.json
        })).pipe(Effect.provideService(Settings, settings)),
      getReportExportManifest: ({ params }) => signed(exports.manifest(params.id))
    })
  })
)
