import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Notes } from "../../services/people/notes/Notes.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { pageOf } from "../../api/ground/Parameters.ts"

const ofLicenses = HttpApiBuilder.group(
  Api,
  "license-notes",
  Effect.fn(function*(handlers) {
    const notes = yield* Notes
    return handlers.handleAll({
      listLicenseNotes: ({ params, query }) => page(notes.list("license", params.id, pageOf(query))),
      createLicenseNote: ({ params, payload }) => one(notes.create("license", params.id, payload.text)),
      updateLicenseNote: ({ params, payload }) =>
        one(notes.update({ of: "license", subjectId: params.id, id: params.note_id }, payload.text)),
      deleteLicenseNote: ({ params }) => notes.remove({ of: "license", subjectId: params.id, id: params.note_id })
    })
  })
)

const ofCustomers = HttpApiBuilder.group(
  Api,
  "customer-notes",
  Effect.fn(function*(handlers) {
    const notes = yield* Notes
    return handlers.handleAll({
      listCustomerNotes: ({ params, query }) => page(notes.list("customer", params.id, pageOf(query))),
      createCustomerNote: ({ params, payload }) => one(notes.create("customer", params.id, payload.text)),
      updateCustomerNote: ({ params, payload }) =>
        one(notes.update({ of: "customer", subjectId: params.id, id: params.note_id }, payload.text)),
      deleteCustomerNote: ({ params }) => notes.remove({ of: "customer", subjectId: params.id, id: params.note_id })
    })
  })
)

export const layer = Layer.mergeAll(ofLicenses, ofCustomers)
