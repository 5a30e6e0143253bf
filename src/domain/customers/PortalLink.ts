import { Schema } from "effect"
import { field, optional, Timestamp } from "../ground/wire/Fields.ts"
import * as Id from "../ground/wire/Id.ts"

/** How a link reaches the customer. */
const PortalLinkDelivery = Schema.Literals(["mail", "response"]).annotate({
  identifier: "PortalLinkDelivery",
  description:
    "How a link reaches the customer. `mail`: in a mail to the address of the customer. `response`: in the response to this request alone, for " +
    "you to hand over."
})

/** A link as it is asked for. */
export const PortalLinkCreate = Schema.Struct({
  delivery: optional(
    PortalLinkDelivery,
    "How the link reaches the customer. Default: `mail`. `response` also needs the scope `license:write`, since who has the link may change " +
      "license keys."
  )
}).annotate({
  identifier: "PortalLinkCreateRequest",
  description: "How a link into the portal reaches a customer.",
  examples: [{ delivery: "mail" }]
})
export type PortalLinkCreate = typeof PortalLinkCreate.Type

/** A link into the portal as its maker sees it. */
export const PortalLink = Schema.Struct({
  customer_id: Id.text("cus"),
  delivery: PortalLinkDelivery,
  recipient: optional(Schema.String, "The address that the mail goes to; absent where no mail was asked for."),
  url: optional(Schema.String, "The link, which is shown only now; absent where it is mailed."),
  expires_at: field(
    Timestamp,
    "The end of the link: 15 minutes after it was made, or when it was used, or when a newer one was made. The 15 minutes of a " +
      "mailed one begin when the mail server takes the mail, which may wait two hours."
  )
}).annotate({
  identifier: "PortalLink",
  description: "A link by which a customer signs in to the portal, once.",
  examples: [{
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    delivery: "mail",
    recipient: "ada@example.com",
    expires_at: "2026-11-21T10:45:00.000Z"
  }]
})
export type PortalLink = typeof PortalLink.Type

/** What the event of a link says. */
export const PortalLinkCreated = Schema.Struct({
  customer_id: Id.text("cus"),
  delivery: PortalLinkDelivery,
  expires_at: field(Timestamp, "The end of the link, if it is not used before.")
}).annotate({
  identifier: "PortalLinkEventData",
  description: "A link into the portal was made for a customer.",
  examples: [{
    customer_id: "cus_06eqpx1trxz3h94vqjm3a6kz7c",
    delivery: "mail",
    expires_at: "2026-11-21T10:45:00.000Z"
  }]
})
export type PortalLinkCreated = typeof PortalLinkCreated.Type
