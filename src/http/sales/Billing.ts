import { Effect, Layer } from "effect"
import { HttpServerRequest } from "effect/http"
import { HttpApiBuilder } from "effect/http-api"
import { Api } from "../../api/composition/Api.ts"
import { filtersOf, pageOf } from "../../api/ground/Parameters.ts"
import { networkOf } from "../../domain/ground/admission/DoorLimits.ts"
import { catalog, failing, PayloadTooLarge, ValidationError } from "../../domain/ground/wire/Errors.ts"
import { KnownCredentials } from "../../services/ground/admission/KnownCredentials.ts"
import { RequestOrigin } from "../../services/log/Provenance.ts"
import { BillingConnections } from "../../services/sales/billing/BillingConnections.ts"
import { Inbox } from "../../services/sales/billing/Inbox.ts"
import { PurchaseOwners } from "../../services/sales/purchases/PurchaseOwners.ts"
import { Purchases } from "../../services/sales/purchases/Purchases.ts"
import { Reconciliations } from "../../services/sales/reconciling/Reconciliations.ts"
import { isTooLarge } from "../ground/edge/Failures.ts"
import { one, page } from "../ground/edge/Reply.ts"

const billing = HttpApiBuilder.group(
  Api,
  "billing",
  Effect.fn(function*(handlers) {
    const connections = yield* BillingConnections
    const owners = yield* PurchaseOwners
    const purchases = yield* Purchases
    const reconciliations = yield* Reconciliations
    return handlers.handleAll({
      listBillingConnections: ({ query }) => page(connections.list(pageOf(query))),
      createBillingConnection: ({ payload }) => one(connections.create(payload)),
      getBillingConnection: ({ params }) => one(connections.get(params.id)),
      updateBillingConnection: ({ params, payload }) => one(connections.update(params.id, payload)),
      deleteBillingConnection: ({ params }) => connections.remove(params.id),
      listPurchases: ({ query }) => page(purchases.list(filtersOf(query), pageOf(query))),
      getPurchase: ({ params }) => one(purchases.get(params.id)),
      retryPurchase: ({ params }) => one(purchases.retry(params.id)),
      decidePurchaseOwner: ({ params, payload }) => one(owners.decide(params.id, payload)),
      listUnmappedPrices: () => one(purchases.unmapped),
      reconcileBillingConnection: ({ params, payload }) => one(reconciliations.create(params.id, payload)),
      listReconciliations: ({ params }) => one(reconciliations.list(params.id)),
      getReconciliation: ({ params }) => one(reconciliations.get(params.id))
    })
  })
)

const inbox = HttpApiBuilder.group(
  Api,
  "billing-inbox",
  Effect.fn(function*(handlers) {
    const { receive, unread } = yield* Inbox
    const known = yield* KnownCredentials

    /** The bytes that the signature is over. */
    const bodyOf = (request: HttpServerRequest.HttpServerRequest) =>
      Effect.mapBoth(request.arrayBuffer, {
        onSuccess: (buffer) => new Uint8Array(buffer),
        onFailure: (error) =>
          isTooLarge(error)
            ? failing(PayloadTooLarge, catalog.PAYLOAD_TOO_LARGE.meaning)
            : failing(ValidationError, "The body could not be read.")
      })

    return handlers.handleAll({
      receiveBillingEvents: ({ params }) =>
        one(Effect.gen(function*() {
          const request = yield* HttpServerRequest.HttpServerRequest
          const { ipAddress = "" } = yield* RequestOrigin
          const body = yield* Effect.tapError(bodyOf(request), () => unread)
          const received = { headers: request.headers, body }
          return yield* Effect.tapError(receive(params.id, received), (error) =>
            // An address that guesses is slowed down. A provider whose signature is right never is.
            error._tag === "VALIDATION_ERROR" ? Effect.void : known.malformed(networkOf(ipAddress)))
        }))
    })
  })
)

export const layer = Layer.mergeAll(billing, inbox)
