import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Jobs } from "../../services/jobs/Jobs.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "jobs",
  Effect.fn(function*(handlers) {
    const jobs = yield* Jobs
    return handlers.handleAll({
      createLicenseJob: ({ payload }) => one(jobs.create(payload)),
      listJobs: ({ query }) => page(jobs.list(pageOf(query))),
      getJob: ({ params }) => one(jobs.get(params.id)),
      listJobRows: ({ params, query }) => page(jobs.rows(params.id, query.outcome, pageOf(query))),
      stopJob: ({ params }) => one(jobs.stop(params.id)),
      retryJob: ({ params }) => one(jobs.retry(params.id))
    })
  })
)
