import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OfflineFiles } from "../../services/offline/OfflineFiles.ts"
import { one, oneWarned, page } from "../answers/Reply.ts"
import { Api } from "../api/Api.ts"
import { pageOf } from "../api/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "offline-files",
  Effect.fn(function*(handlers) {
    const files = yield* OfflineFiles
    return handlers.handleAll({
      listOfflineFiles: ({ params, query }) => page(files.list(params.id, pageOf(query))),
      issueOfflineFile: ({ params, payload }) => oneWarned(files.issue(params.id, payload)),
      revokeOfflineFile: ({ params }) => one(files.revoke(params.id, params.file_id))
    })
  })
)
