import { Context, Schema, SchemaAST } from "effect"
import { OpenApi } from "effect/http-api"
import type { HttpApiEndpoint } from "effect/http-api"
import type { ActivityAction } from "../../domain/evidence/audit/Activity.ts"
import { ActionRequest, ReasonRequest } from "../../domain/ground/wire/Action.ts"
import type { Consequence } from "../../domain/ground/wire/Consequence.ts"
import { Scope } from "../../domain/keys/security/ManagementKey.ts"
import type { ProductRule } from "../../domain/keys/security/ProductRule.ts"
import type { RuntimeWrite } from "../../domain/licensing/entitlements/DecisionInput.ts"
import { isApprovable, secondLooks } from "../../domain/log/SecondLook.ts"
import { Preconditions, RequestBody, SecondLook } from "./Middleware.ts"
import { ifNoneMatch } from "./Parameters.ts"

/** A list in a body whose rows have nothing to do with each other. */
export interface JudgedRows {
  /** The member that is the list. Its elements are anything, for the schema of the payload. */
  readonly list: string
  /** Whether a body asks that what is wrong with a row be answered of that row alone. */
  readonly applies: (body: unknown) => boolean
  /** The decoder of other bodies: their rows are judged with the rest. */
  readonly otherwise: Schema.Decoder<unknown>
}

/**
 * The declaration of an operation, besides its schemas. The OpenAPI document, the scope check, llms.txt and the conformance
 * tests all read it.
 */
export type Declaration = Described & (ForManagement | ForOthers)

/** Operations for management tokens only. */
interface ForManagement {
  /** The minimum scope; `any` means a management token whatever its scopes. */
  readonly scope: Scope | "any"
  /** How it keeps to the products that a token is limited to. */
  readonly products: ProductRule
}

/** Operations for others: `license` for a license key, `publishable` for an app, `none` for everyone. */
interface ForOthers {
  readonly scope: "license" | "publishable" | "none"
}

interface Described extends Consequence {
  /** Further scopes that it needs, where its outcome is one that `scope` does not name. */
  readonly alsoNeeds?: ReadonlyArray<Scope>
  /** A few words, as they stand in a table of contents. */
  readonly summary: string
  /** The effect of the operation, and its edge cases. */
  readonly description: string
  /** An example answer, when the success schema has none. */
  readonly example?: unknown
  /**
   * Set where the answer has an `ETag`. Who has it of a `document`, which is the same for everybody, or of a `file`, which
   * also answers ranges, is answered 304. That of a `resource` stands for what management can change of it, and is taken
   * as `If-Match` by its changes: every PATCH has it.
   */
  readonly conditional?: "document" | "file" | "resource"
  /** Whether the Idempotency-Key header is required; it is accepted on every write. */
  readonly idempotencyKey?: "required"
  /**
   * How a write stores its answer for the Idempotency-Key; `transaction` by default.
   * - `none`: it is a question, or safe to repeat by itself. The key is accepted and ignored; nothing is stored or
   *   replayed.
   * - `transaction`: the operation is one short transaction, opened only for a new key.
   * - `last-step`: the operation first does work that takes time, such as calls over the network, and stores its answer
   *   in its last transaction. A repeat after a crash completes the rest.
   */
  readonly answerKept?: "none" | "transaction" | "last-step"
  /** How a replay of a runtime write is judged: what would be refused today is refused, not replayed. */
  readonly replayedAs?: RuntimeWrite
  /**
   * The action of a write, recorded as an activity when it is refused; `none` for a question with a method other than
   * GET.
   */
  readonly action?: ActivityAction | "none"
  /** The optional body of an operation without a payload: by default {@link ReasonRequest} for a write of management. */
  readonly body?: typeof ActionRequest
  /** Set where the body is bytes that the operation judges itself, whatever they are said to be. */
  readonly rawBody?: true
  /**
   * Set where rows may be judged one by one. What would not be kept of one as it was sent stands in {@link RowFindings};
   * all else that is wrong with it is for the operation to find.
   */
  readonly rows?: JudgedRows
  /**
   * Set for a runtime operation that locks no license, or whose group commit locks it once for all. All other
   * operations of one license wait for each other in memory.
   */
  readonly locks?: "nothing"
}

/** The declaration, stored on its endpoint as an annotation. */
export class Declared extends Context.Service<Declared, Declaration>()("countersign/api/ground/Declared") {}

/** The declaration of an endpoint. A test ensures that every endpoint has one. */
export const declarationOf = (endpoint: HttpApiEndpoint.Top): Declaration =>
  Context.getUnsafe(endpoint.annotations, Declared)

/** Whether apps call an operation, with a credential of their own. */
export const isForApps = ({ scope }: Declaration): boolean => scope === "license" || scope === "publishable"

/** Whether an operation needs a scope of a management token, rather than another credential or none. */
const isScope = Schema.is(Scope)

/** The body of an operation without a payload: every member may be left out, and so may the body. */
type OptionalBody = typeof ReasonRequest | typeof ActionRequest

/** The optional body of an operation without a payload; undefined where it takes none. */
const optionalBodyOf = (endpoint: HttpApiEndpoint.Top): OptionalBody | undefined => {
  const { action, body, scope } = declarationOf(endpoint)
  const isOfManagement = scope === "any" || isScope(scope)
  return body ?? (isOfManagement && action !== undefined && action !== "none" ? ReasonRequest : undefined)
}

/** The schema of the body of an operation; undefined where it takes none. */
export const bodySchemaOf = (endpoint: HttpApiEndpoint.Top): Schema.Top | undefined => {
  const [payload] = endpoint.payload.values()
  return payload?.schemas[0] ?? optionalBodyOf(endpoint)
}

/** The names of the members that a body may have. */
const bodyMembers = (endpoint: HttpApiEndpoint.Top): ReadonlySet<string> => {
  const ast = bodySchemaOf(endpoint)?.ast
  return new Set(
    ast !== undefined && SchemaAST.isObjects(ast) ? ast.propertySignatures.map(({ name }) => String(name)) : []
  )
}

const memberNames = new WeakMap<HttpApiEndpoint.Top, ReadonlySet<string>>()

/** Whether the body of an operation may have a member. */
export const takesMember = (endpoint: HttpApiEndpoint.Top, name: string): boolean => {
  const known = memberNames.get(endpoint) ?? bodyMembers(endpoint)
  memberNames.set(endpoint, known)
  return known.has(name)
}

/** The scopes of a management token that an operation needs, all of them. */
export const scopesOf = ({ alsoNeeds = [], scope }: Declaration): ReadonlyArray<Scope> =>
  isScope(scope) ? [scope, ...alsoNeeds] : []

/** How an operation keeps to the products of a limited key; undefined where no management token is asked for. */
export const productsOf = (declaration: Declaration): ProductRule | undefined =>
  "products" in declaration ? declaration.products : undefined

/** Whether an operation under a rule may be refused because a key is limited to products. */
export const mayDenyProducts = (rule: ProductRule | undefined): boolean =>
  rule === "refused" || (typeof rule === "object" && rule.whole === true)

/** The rule in the contract: how the operation treats a key that is limited to products. */
const limitedKeyOf = (rule: ProductRule): "own" | "narrowed" | "refused" | "open" =>
  typeof rule === "object" ? "own" : rule

interface OpenApiOperation {
  [member: string]: unknown
  parameters?: Array<{ name: string; in: string; schema: unknown; required?: boolean; description?: string }>
  requestBody?: { content: Record<string, { schema?: unknown; example?: unknown }> }
}

const idempotencyParameter = ({ answerKept, idempotencyKey, replayedAs }: Declaration) => ({
  name: "Idempotency-Key",
  in: "header",
  required: idempotencyKey === "required",
  description: answerKept === "none"
    ? "Accepted and ignored: every request runs again."
    : "Makes a retry safe: the first response is stored with its effect and returned byte for byte for at least 24 " +
      "hours." +
      (replayedAs === undefined
        ? ""
        : " A retry that would be refused by then is refused. A nonce is part of the request."),
  example: "8e03978e-40d5-43e8-bc93-6894a57f9324",
  schema: { type: "string", minLength: 1, maxLength: 255 }
})

const ifMatch = {
  name: "If-Match",
  in: "header",
  required: false,
  description: "The `ETag` of the resource when you read it. If the resource has changed since, the response is 412 " +
    "PRECONDITION_FAILED and nothing changes (RFC 9110 section 13.1.1). Separate several by commas; `*` matches any.",
  example: "\"5f0c4a1f0e2f0bb1dd1f6a6e5d3f0f7e\"",
  schema: { type: "string", minLength: 1, maxLength: 4096 }
}

const documentedBody = (body: OptionalBody) => ({
  content: {
    "application/json": { schema: { $ref: `#/components/schemas/${SchemaAST.resolveIdentifier(body.ast)!}` } }
  },
  required: false
})

/** A method that only reads. For any other method without an action, the compiler shows the second text. */
interface Reads {
  readonly method: "GET" | "any other, whose declaration needs an `action`"
}

/** A method that changes no state that a caller has read. For PATCH, the compiler shows the last text. */
interface MakesNoChange {
  readonly method: "GET" | "POST" | "PUT" | "DELETE" | "PATCH, whose declaration needs `conditional: resource`"
}

/**
 * Sets the name, scope and documentation of an endpoint; the operationId is the endpoint's name. Every operation that
 * may write declares its action, and every PATCH that two of it cannot overwrite each other unseen.
 */
export function declare(
  declaration: Declaration & { readonly action: ActivityAction; readonly conditional: "resource" }
): <E extends HttpApiEndpoint.Constraint>(endpoint: E) => E
export function declare(
  declaration: Declaration & { readonly action: ActivityAction | "none" }
): <E extends HttpApiEndpoint.Constraint & MakesNoChange>(endpoint: E) => E
export function declare(declaration: Declaration): <E extends HttpApiEndpoint.Constraint & Reads>(endpoint: E) => E
export function declare(declaration: Declaration) {
  // An endpoint that all three signatures take: the compiler compares each of them with this one.
  return (endpoint: HttpApiEndpoint.Top & Reads & MakesNoChange): HttpApiEndpoint.Top => document(declaration, endpoint)
}

const document = (declaration: Declaration, top: HttpApiEndpoint.Top): HttpApiEndpoint.Top => {
  const write = top.method !== "GET" && declaration.scope !== "none"
  // The first middleware of an endpoint is the innermost: authorization runs before the body is judged. Every operation
  // has it, so that nothing that was sent is dropped in silence.
  const looked: HttpApiEndpoint.Top = isApprovable(top.identifier) ? top.middleware(SecondLook) : top
  const judged: HttpApiEndpoint.Top = looked.middleware(RequestBody)
  const isConditional = declaration.conditional === "resource"
  const conditional: HttpApiEndpoint.Top = isConditional ? judged.middleware(Preconditions) : judged
  const declared: HttpApiEndpoint.Top = conditional.annotate(Declared, declaration)
  const body = top.payload.size > 0 ? undefined : optionalBodyOf(declared)
  return declared.annotateMerge(OpenApi.annotations({
    identifier: top.identifier,
    summary: declaration.summary,
    description: declaration.description,
    transform: (operation: OpenApiOperation) => {
      const parameters = operation.parameters ?? []
      return {
        ...operation,
        ...(body === undefined ? {} : { requestBody: documentedBody(body) }),
        parameters: [
          ...parameters,
          ...write ? [idempotencyParameter(declaration)] : [],
          ...write && isConditional ? [ifMatch] : [],
          ...declaration.conditional === "document" ? [ifNoneMatch] : []
        ],
        "x-required-scopes": scopesOf(declaration),
        ...isApprovable(top.identifier) ? { "x-second-look": secondLooks[top.identifier] } : {},
        ...productsOf(declaration) === undefined ? {} : { "x-limited-key": limitedKeyOf(productsOf(declaration)!) }
      }
    }
  }))
}
