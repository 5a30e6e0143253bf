import { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"
import { CustomerErasure } from "../../domain/customers/CustomerErasure.ts"
import { ActionRequest } from "../../domain/ground/wire/Action.ts"
import { TokenProductDenied } from "../../domain/ground/wire/Errors.ts"
import { Envelope, Idempotency, Management } from "../ground/Middleware.ts"
import { declare } from "../ground/Operation.ts"
import { pathId } from "../ground/Parameters.ts"
import { one, resourceErrors } from "../ground/Responses.ts"

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
    description:
      "Erases personal data, in the service and in its history. Of the customer: the name, email address and custom " +
      "field values. Of its licenses: the customer's name and email address, and custom field values. Of its devices: " +
      "names, hostnames and network addresses. All of these are erased from past events too, and so are the reasons of actions " +
      "on the customer's licenses. Notes about the customer and its licenses are deleted; jobs lose their reason and what their " +
      "filter says of people. The events keep commitments, so that the hash chain and every proof remain valid. " +
      "`code`, `metadata`, the IDs and the reason of the erasure itself stay. Repeatable. `dry_run` counts what would " +
      "be erased, in the same fields."
  }))
).middleware(Idempotency).middleware(Management).middleware(Envelope) {}
