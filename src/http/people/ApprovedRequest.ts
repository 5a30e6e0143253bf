import { Effect, Option, Schema } from "effect"
import { HttpRouter, HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { HttpApiEndpoint } from "effect/http-api"
import type { OperationScopes } from "../../domain/people/approvals/ApprovalReach.ts"
import type { Scope } from "../../domain/keys/security/ManagementKey.ts"
import { isApprovable } from "../../domain/log/SecondLook.ts"
import type { ApprovableOperation } from "../../domain/log/SecondLook.ts"
import type { FieldFinding } from "../../domain/ground/wire/Errors.ts"
import { finding } from "../../domain/ground/wire/FieldFindings.ts"
import { CurrentHandover } from "../ground/edge/Handover.ts"
import type { Handover } from "../ground/edge/Handover.ts"
import { Api } from "../../api/composition/Api.ts"
import { declarationOf, scopesOf, takesMember } from "../../api/ground/Operation.ts"

/** A request of an operation that may need a second person. */
export interface ApprovedRequest {
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
export const approvableScopes: OperationScopes = new Map(
  Array.from(endpoints, ([operation, endpoint]) => [
    operation,
    scopesOfOthers[operation] ?? scopesOf(declarationOf(endpoint))
  ])
)

/** Whether an operation tells by a dry run what it would do. */
export const isRehearsedByItself = ({ operation }: ApprovedRequest): boolean =>
  takesMember(endpointOf(operation), "dry_run")

/** The names of the parameters in a path. */
const parametersIn = (path: string): ReadonlyArray<string> =>
  Array.from(path.matchAll(/:(\w+)/g), ([, name = ""]) => name)

/** The findings about parameters that are missing, or that the operation does not have. */
export const parameterFindings = ({ operation, params }: ApprovedRequest): ReadonlyArray<FieldFinding> => {
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
export const makeHandingOver = Effect.map(
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
export const refusalIn = ({ body, status }: HttpServerResponse.HttpServerResponse) =>
  status < 400
    ? undefined
    : Option.match(readRefusal(body._tag === "Uint8Array" ? utf8.decode(body.body) : ""), {
      onNone: () => ({ code: "INTERNAL", message: "The service failed. Its log says why." }),
      onSome: ({ error }) => error
    })
