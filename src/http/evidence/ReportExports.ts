import { Effect, Stream } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { namesBeside } from "../../domain/evidence/exports/FileName.ts"
import { archiveType, contentTypes } from "../../domain/evidence/exports/ReportExport.ts"
import { Admission } from "../../services/ground/admission/Admission.ts"
import { ReportExports } from "../../services/evidence/exports/ReportExports.ts"
import type { ExportFile } from "../../services/evidence/exports/ReportExports.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { archiveOf } from "../ground/edge/ArchivedFiles.ts"
import { sendFile } from "../ground/edge/FileReply.ts"
import { one, page, signed } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
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
