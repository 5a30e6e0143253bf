import { Effect, Layer } from "effect"
import { HttpApiBuilder } from "effect/http-api"
import { Invitations } from "../../services/people/Invitations.ts"
import { People } from "../../services/people/People.ts"
import { Roles } from "../../services/people/Roles.ts"
import { one, page } from "../ground/edge/Reply.ts"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"

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

export const layer = Layer.mergeAll(people, roles)
