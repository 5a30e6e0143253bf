import { Effect, Layer } from "effect"
import { HttpServerRequest, HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { passkeyCookie, passkeysTooMany, passkeyTextIn } from "../../domain/people/PasskeyFlow.ts"
import type { KeptFlow } from "../../domain/people/PasskeyFlow.ts"
import { Settings } from "../../services/ground/platform/Settings.ts"
import { Notes } from "../../services/people/notes/Notes.ts"
import { Passkeys } from "../../services/people/passkeys/Passkeys.ts"
import { Invitations, People } from "../../services/people/People.ts"
import { Roles } from "../../services/people/Roles.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { expiring, isSecure } from "../ground/middleware/OwnPages.ts"

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

export const notesLayer = Layer.mergeAll(ofLicenses, ofCustomers)

/** The text that the browser of the request keeps of the passkey that it answers about. */
export const keptFlow = (publicUrl: string, { client_data }: { readonly client_data: string }) =>
  Effect.map(
    HttpServerRequest.HttpServerRequest,
    ({ headers }) => passkeyTextIn(headers["cookie"], client_data, isSecure(publicUrl))
  )

/** An answer of data, with the flow that the browser keeps meanwhile in its cookie. */
export const answerKept = Effect.fnUntraced(function*(
  data: unknown,
  status: number,
  flow: KeptFlow | undefined,
  publicUrl: string
) {
  const secure = isSecure(publicUrl)
  const { headers } = yield* HttpServerRequest.HttpServerRequest
  return HttpServerResponse.jsonUnsafe(yield* one(Effect.succeed(data)), {
    status,
    headers: flow === undefined ? {} : { "set-cookie": passkeyCookie(flow, secure) }
  }).pipe(expiring(flow === undefined ? [] : passkeysTooMany(headers["cookie"], secure), secure))
})

export const passkeysLayer = HttpApiBuilder.group(
  Api,
  "passkeys",
  Effect.fn(function*(handlers) {
    const passkeys = yield* Passkeys
    const { publicUrl } = yield* Settings
    return handlers.handleAll({
      listPasskeys: ({ query }) => page(passkeys.list(pageOf(query), query.person_id)),
      beginPasskey: () =>
        Effect.gen(function*() {
          const { creation, flow } = yield* passkeys.begin
          return yield* answerKept(creation, 201, flow, publicUrl)
        }),
      createPasskey: ({ payload }) =>
        Effect.flatMap(keptFlow(publicUrl, payload), (flow) => one(passkeys.create(flow, payload))),
      renamePasskey: ({ params, payload }) => one(passkeys.rename(params.id, payload)),
      deletePasskey: ({ params }) => passkeys.remove(params.id)
    })
  })
)

const people = HttpApiBuilder.group(
  Api,
  "people",
  Effect.fn(function*(handlers) {
    const people = yield* People
    const invitations = yield* Invitations
    return handlers.handleAll({
      listPeople: ({ query }) => page(people.list(filtersOf(query), pageOf(query))),
      listScopeGranters: ({ query }) => one(people.granters(query.scope)),
      createPerson: ({ payload }) => one(people.create(payload)),
      getPerson: ({ params }) => one(people.get(params.id)),
      updatePerson: ({ params, payload }) => one(people.update(params.id, payload)),
      removePerson: ({ params }) => people.remove(params.id),
      reinstatePerson: ({ params }) => one(people.reinstate(params.id)),
      invitePerson: ({ params }) => one(invitations.create(params.id))
    })
  })
)

const roles = HttpApiBuilder.group(
  Api,
  "roles",
  Effect.fn(function*(handlers) {
    const roles = yield* Roles
    return handlers.handleAll({
      listRoles: ({ query }) => page(roles.list(pageOf(query))),
      createRole: ({ payload }) => one(roles.create(payload)),
      getRole: ({ params }) => one(roles.get(params.id)),
      updateRole: ({ params, payload }) => one(roles.update(params.id, payload)),
      deleteRole: ({ params }) => roles.remove(params.id)
    })
  })
)

export const peopleLayer = Layer.mergeAll(people, roles)
