import type { Customer } from "../../client/api/index.ts"
import { Time } from "../ground/design/Time.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { mayOfAll } from "../ground/session/Session.ts"

/** Says that no link can be sent, to those who may know the settings; others are told by the service when they try. */
const LinksOff = () => {
  const { data } = useLoad((client, signal) => client.settings.getMail({ signal }), [], { when: mayOfAll("admin") })
  if (data === undefined || (data.is_configured && data.is_portal_on)) return null
  return (
    <span class="strong">
      {data.is_portal_on
        ? " Mails are off: none is sent until a mail server is set."
        : " The portal is off: COUNTERSIGN_PORTAL=on switches it on, in the live environment."}
    </span>
  )
}

/** Mails a customer a link into the portal. The service refuses it with the reason where the portal or mails are off. */
export const SendPortalLink = ({ customer, onChange }: {
  readonly customer: Pick<Customer, "email" | "id" | "name">
  readonly onChange: () => void
}) =>
  customer.email === undefined ? null : (
    <Action
      label="Send portal link…"
      sendLabel="Send"
      scope="customer:write"
      says={
        <>
          A mail to <bdi class="strong">{customer.email}</bdi>{" "}
          has a link by which the customer signs in to the portal, once, within 15 minutes. A link before it ends.
          <LinksOff />
        </>
      }
      perform={(client, { idempotencyKey }) => client.customers.createPortalLink(customer.id, {}, { idempotencyKey })}
      done={({ expires_at, recipient }) => (
        <>
          A link is on its way to <bdi class="strong">{recipient}</bdi>. It works until{" "}
          <Time at={expires_at} exactly />.
        </>
      )}
      onDone={onChange}
    />
  )
