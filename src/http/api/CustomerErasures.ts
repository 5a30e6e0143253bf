import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { CustomerErasure } from "../../domain/commerce/CustomerErasure.ts"
import { ActionRequest } from "../../domain/wire/Action.ts"
import { TokenProductDenied } from "../../domain/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "./Middleware.ts"
import { declare, one, resourceErrors } from "./Operation.ts"
import { pathId } from "./Parameters.ts"

export class CustomerErasures extends HttpApiGroup.make("customer-erasures").add(
  HttpApiEndpoint.post("eraseCustomer", "/api/v1/customers/:id/erase", {
    params: { id: pathId },
    success: one(CustomerErasure),
    error: [...resourceErrors, TokenProductDenied]
  }).pipe(declare({
    scope: "admin",
    products: { of: "customer", whole: true },
    action: "customer.erased",
    body: ActionRequest,
    answerKept: "last-step",
    summary: "Erase a customer's personal data",
    consequence: "The personal data of the customer is removed from licenses, devices, events and reports.",
    risk: "final",
    description: "Erases what is personal, in the service and in its history. " +
      "Name, e-mail address and custom field values of the customer, the customer's name and address on its " +
      "licenses, the custom field values of these, hostnames and network addresses of its devices, and all of these in past events. The events keep commitments, " +
      "so that the hash chain and every proof still hold. `code`, `metadata` and the ids stay. Repeatable. The reasons of actions that concern the customer's licenses go " +
      "too; that of the erasure itself stays. `dry_run` counts what would be erased."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
