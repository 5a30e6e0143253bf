import { Effect } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { MailSuppressions } from "../../services/mail/MailSuppressions.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

export const layer = HttpApiBuilder.group(
  Api,
  "mail-suppressions",
  Effect.fn(function*(handlers) {
    const suppressions = yield* MailSuppressions
    return handlers.handleAll({
      listMailSuppressions: ({ query: { address, reason, ...query } }) =>
        page(suppressions.list({ address, reason }, pageOf(query))),
      getMailSuppression: ({ params }) => one(suppressions.get(params.id)),
      createMailSuppression: ({ payload }) => one(suppressions.create(payload)),
      deleteMailSuppression: ({ params }) => suppressions.remove(params.id)
    })
  })
)
