import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { OfflineFiles } from "../../services/licensing/offline/OfflineFiles.ts"
import { one, oneWarned, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

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
