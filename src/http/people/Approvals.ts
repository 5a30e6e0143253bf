import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { declarationOf, scopesOf, takesMember } from "../../api/ground/Operation.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { failing, StateConflict, Unavailable } from "../../domain/ground/wire/Errors.ts"
import type { FieldFinding } from "../../domain/ground/wire/Errors.ts"
import { finding, invalidBody } from "../../domain/ground/wire/FieldFindings.ts"
import { LicenseJobCreate } from "../../domain/jobs/LicenseJob.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { isApprovable } from "../../domain/log/SecondLook.ts"
import type { ApprovableOperation } from "../../domain/log/SecondLook.ts"
import type { Approval, ApprovalCreate } from "../../domain/people/approvals/Approval.ts"
import { approvalReach } from "../../domain/people/approvals/ApprovalReach.ts"
import type { OperationScopes } from "../../domain/people/approvals/ApprovalReach.ts"
import { CurrentProducts } from "../../services/ground/persistence/ProductLimit.ts"
import { Jobs } from "../../services/jobs/Jobs.ts"
import { CurrentActor, CurrentReason } from "../../services/log/Provenance.ts"
import { Approvals } from "../../services/people/approvals/Approvals.ts"
import { actorFor } from "../../services/people/PersonActor.ts"
import { CurrentHandover, one, page } from "../ground/edge/Reply.ts"
import type { Handover } from "../ground/edge/Reply.ts"
import { refusedByOperation } from "../ground/middleware/Idempotency.ts"

/** A request of an operation that may need a second person. */
interface ApprovedRequest {
  readonly operation: ApprovableOperation
  readonly params: Readonly<Record<string, string>>
  readonly body: string | undefined
  readonly ifMatch: string | undefined
}

const declared: ReadonlyArray<HttpApiEndpoint.Top> = Object.values(Api.groups).flatMap((
  group
): ReadonlyArray<HttpApiEndpoint.Top> => Object.values(group.endpoints))

const endpoints: ReadonlyMap<ApprovableOperation, HttpApiEndpoint.Top> = new Map(
  declared.flatMap((endpoint) => isApprovable(endpoint.identifier) ? [[endpoint.identifier, endpoint] as const] : [])
)

/** The declaration of an operation that may need a second person. */
const endpointOf = (operation: ApprovableOperation): HttpApiEndpoint.Top => endpoints.get(operation)!

/** The scopes of operations that need some only where they may need a second person: everybody removes own passkeys. */
const scopesOfOthers: Partial<Record<ApprovableOperation, ReadonlyArray<Scope>>> = { deletePasskey: ["people:write"] }

/** The scopes that each operation needs which may need a second person. */
const approvableScopes: OperationScopes = new Map(
  Array.from(endpoints, ([operation, endpoint]) => [
    operation,
    scopesOfOthers[operation] ?? scopesOf(declarationOf(endpoint))
  ])
)

/** Whether an operation tells by a dry run what it would do. */
const isRehearsedByItself = ({ operation }: ApprovedRequest): boolean => takesMember(endpointOf(operation), "dry_run")

/** The names of the parameters in a path. */
const parametersIn = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)

/** The findings about parameters that are missing, or that the operation does not have. */
const parameterFindings = ({ operation, params }: ApprovedRequest): ReadonlyArray<FieldFinding> => {
  const names = parametersIn(endpointOf(operation).path)
  return [
    ...names.filter((name) => params[name] === undefined).map((name) =>
      finding(["params", name], "required", "is required by the operation")
    ),
    ...Object.keys(params).filter((name) => !names.includes(name)).map((name) =>
      finding(["params", name], "not_allowed", "is no parameter of the operation")
    )
  ]
}

/** An approved request as it would be sent. */
const sent = ({ body, ifMatch, operation, params }: ApprovedRequest, key: string | undefined) => {
  const { method, path } = endpointOf(operation)
  const url = path.replaceAll(/:(\w+)/g, (_, name: string) => encodeURIComponent(params[name] ?? ""))
  return HttpServerRequest.fromWeb(
    new Request(`http://localhost${url}`, {
      method,
      headers: {
        ...(body === undefined ? {} : {
          "content-type": "application/json",
          "content-length": String(new TextEncoder().encode(body).length)
        }),
        ...(ifMatch === undefined ? {} : { "if-match": ifMatch }),
        ...(key === undefined ? {} : { "idempotency-key": key })
      },
      ...(body === undefined ? {} : { body })
    })
  )
}

/** Makes what hands a request over: it takes the way of every request, from its credential on. */
const makeHandingOver = Effect.map(
  HttpRouter.HttpRouter,
  (router) =>
  (
    request: ApprovedRequest,
    handover: Handover,
    /** Its `Idempotency-Key`: under it, the answer is kept. */
    key?: string
  ): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
    router.asHttpEffect().pipe(
      Effect.provideService(HttpServerRequest.HttpServerRequest, sent(request, key)),
      Effect.provideService(CurrentHandover, handover),
      Effect.scoped,
      Effect.orDie
    )
)

const readRefusal = Schema.decodeUnknownOption(Schema.fromJsonString(Schema.Struct({
  error: Schema.Struct({ code: Schema.String, message: Schema.String })
})))

const utf8 = new TextDecoder()

/** The refusal in an answer; undefined where there is none. */
const refusalIn = ({ body, status }: HttpServerResponse.HttpServerResponse) =>
  status < 400
    ? undefined
    : Option.match(readRefusal(body._tag === "Uint8Array" ? utf8.decode(body.body) : ""), {
      onNone: () => ({ code: "INTERNAL", message: "The service failed. Its log says why." }),
      onSome: ({ error }) => error
    })

/** The requests that the caller sees, and may decide. */
const reach = Effect.map(
  CurrentActor,
  ({ id, person, products, scopes }) => approvalReach(id, person?.grants ?? [{ scopes, products }], approvableScopes)
)

/** The request that somebody asks for. */
const requestOf = ({ body, if_match, operation, params = {} }: ApprovalCreate): ApprovedRequest => ({
  operation,
  params,
  body: body === undefined ? undefined : JSON.stringify(body),
  ifMatch: if_match
})

/** The members that a rotation of a webhook secret has: the URL of an endpoint may hold a secret of its receiver. */
const rotating: ReadonlySet<string> = new Set(["rotate_secret", "secret_overlap_seconds", "reason"])

/** The findings about members that a waiting request of an operation may not have, or needs. */
const findingsOf = (operation: ApprovalCreate["operation"], body: Readonly<Record<string, unknown>>) => {
  if (operation === "updateWebhookEndpoint") {
    return Object.keys(body).filter((name) => !rotating.has(name)).map((name) =>
      finding(["body", name], "not_allowed", "is changed by a separate request")
    )
  }
  const { selection } = body
  const isByFilter = isMembers(selection) && selection["filter"] !== undefined
  // A filter may match more licenses by the time when it is approved.
  return operation === "createLicenseJob" && isByFilter && body["expected_total"] === undefined
    ? [finding(["body", "expected_total"], "required", "is needed with a filter: the number that a dry run found")]
    : []
}

/** The findings about members that no waiting request may have: it is kept, and shown to others. */
const findingsIn = (request: ApprovedRequest, { body = {} }: ApprovalCreate) => [
  ...parameterFindings(request),
  ...findingsOf(request.operation, body),
  ...(body["dry_run"] === undefined
    ? []
    : [finding(["body", "dry_run"], "not_allowed", "must be omitted: a dry run needs no approval")]),
  ...(/"(?:q|customer_email)":/.test(JSON.stringify(body["selection"] ?? ""))
    ? [finding(["body", "selection"], "not_allowed", "must not name a person: select by IDs or by other filters")]
    : [])
]

const readJob = Schema.decodeUnknownEffect(LicenseJobCreate)

export const layer = HttpApiBuilder.group(
  Api,
  "approvals",
  Effect.fn(function*(handlers) {
    const approvals = yield* Approvals
    const jobs = yield* Jobs
    const handOver = yield* makeHandingOver

    /** Tries a request in the name of the caller, and keeps nothing of it. */
    const rehearse = Effect.fnUntraced(function*(request: ApprovedRequest) {
      const actor = yield* CurrentActor
      const handover: Handover = {
        isRehearsal: true,
        authorize: (needed) => Effect.map(actorFor(actor, needed), (actor) => ({ actor, alsoWithin: [] })),
        begin: Effect.void,
        run: approvals.rehearse
      }
      return yield* handOver(
        isRehearsedByItself(request) ? { ...request, body: withDryRun(request.body) } : request,
        handover
      )
    })

    /** The licenses that the filter of a job matches now, for the rights with which it would run: the second person is asked about these. */
    const selected = Effect.fnUntraced(function*({ body, operation }: ApprovalCreate) {
      if (operation !== "createLicenseJob") return undefined
      const actor = yield* actorFor(yield* CurrentActor, approvableScopes.get(operation) ?? [])
      // The rehearsal has judged the body.
      const job = yield* Effect.orDie(readJob(body))
      return yield* jobs.matching(job).pipe(
        Effect.provideService(CurrentActor, actor),
        Effect.provideService(CurrentProducts, actor.products)
      )
    })

    const request = Effect.fnUntraced(function*(payload: ApprovalCreate) {
      const asked = requestOf(payload)
      const findings = findingsIn(asked, payload)
      if (findings.length > 0) return yield* invalidBody(findings)
      yield* approvals.checkPerson
      const foreseen = yield* rehearse(asked)
      if (foreseen.status >= 400) return foreseen
      return yield* one(approvals.ask({ ...asked, reason: payload.reason, selected: yield* selected(payload) }))
    })

    /** Does a request in the name of whoever asked; answers why it was refused, if it was. */
    const carryOut = Effect.fnUntraced(function*(approval: Approval, request: ApprovedRequest, reason: string) {
      const needed = approvableScopes.get(request.operation) ?? []
      const both = yield* approvals.bothPeople(approval, needed)
      const { products } = both.approver
      const judged = { ...both, needed, reason }
      const handover: Handover = {
        isRehearsal: false,
        authorize: () =>
          Effect.succeed({ actor: both.requester, alsoWithin: products === undefined ? [] : [products] }),
        begin: refusedByOperation(approvals.begin(approval, judged)),
        run: (transaction) => refusedByOperation(approvals.settle(approval, judged, transaction))
      }
      const answer = yield* Effect.provideService(
        handOver(request, handover, approval.id),
        CurrentReason,
        approval.reason
      )
      return refusalIn(answer)
    })

    const approve = Effect.fnUntraced(function*(id: string, reason: string) {
      const seen = yield* reach
      const before = yield* approvals.get(id, seen)
      const { id: me } = yield* CurrentActor
      if (before.state === "approved" && before.decided_by?.id === me) return before
      const { approval, body } = yield* approvals.toDecide(id, seen)
      const { if_match: ifMatch, operation, params } = approval
      // The database may end one of two approvals at the same time, where each waits for what the other has locked.
      const refusal = yield* carryOut(approval, { operation, params, body, ifMatch }, reason).pipe(
        Effect.repeat({ while: (refusal) => refusal?.code === "UNAVAILABLE", times: 2 })
      )
      if (refusal !== undefined) {
        if (refusal.code === "UNAVAILABLE" || refusal.code === "INTERNAL") {
          return yield* failing(Unavailable, "The service could not do it right now. The request waits on.")
        }
        if (refusal.code === "IDEMPOTENCY_IN_FLIGHT") {
          return yield* failing(StateConflict, "Another person approves this at the moment.", { detail: refusal.code })
        }
        yield* approvals.noteFailure(id, refusal)
        return yield* failing(StateConflict, `The request could not be done: ${refusal.message}`, {
          detail: refusal.code
        })
      }
      const after = yield* approvals.get(id, seen)
      if (after.state === "approved" && after.decided_by?.id === me) return after
      return yield* failing(StateConflict, "Another person has decided this meanwhile.", { detail: after.state })
    })

    return handlers.handleAll({
      requestApproval: ({ payload }) => request(payload),
      listApprovals: ({ query }) => {
        const { awaiting_me, ...filters } = filtersOf(query)
        const asked = { ...filters, ...(awaiting_me === undefined ? {} : { awaiting_me: awaiting_me === "true" }) }
        return page(Effect.flatMap(reach, (seen) => approvals.list(asked, pageOf(query), seen)))
      },
      getApproval: ({ params }) => one(Effect.flatMap(reach, (seen) => approvals.get(params.id, seen))),
      approveApproval: ({ params, payload }) => one(approve(params.id, payload.reason)),
      declineApproval: ({ params }) => one(Effect.flatMap(reach, (seen) => approvals.decline(params.id, seen))),
      cancelApproval: ({ params }) => one(Effect.flatMap(reach, (seen) => approvals.cancel(params.id, seen)))
    })
  })
)

/** A body that asks for a dry run. */
const withDryRun = (body: string | undefined): string =>
  body === undefined || body === "{}" ? `{"dry_run":true}` : `${body.slice(0, -1)},"dry_run":true}`
