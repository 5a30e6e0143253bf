import { useEffect, useState } from "preact/hooks"
import type { Customer, CustomerErasure } from "../../client/api/index.ts"
import { Skeleton } from "../ground/design/Feedback.tsx"
import { some } from "../ground/design/Numbers.ts"
import { Action } from "../ground/session/Action.tsx"
import { unkept } from "../ground/session/Draft.tsx"
import { Failure } from "../ground/session/Failure.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { erasureText } from "./ErasureText.ts"

/** How far licenses are counted. */
const counted = 200

interface DryRunProps {
  readonly id: string
  readonly onKnown: (found: CustomerErasure | undefined) => void
}

/** The effect of an erasure, as the service says it before. */
const DryRun = ({ id, onKnown }: DryRunProps) => {
  const run = useLoad(async (client, signal) => {
    const [erasure, licenses] = await Promise.all([
      client.customers.erase(id, { dry_run: true, signal }),
      client.licenses.list({ customer_id: id, limit: counted }, { signal }).withResponse()
    ])
    return { erasure, licenses: licenses.data.length, hasMore: licenses.page_info.has_more }
  }, [id])
  useEffect(() => {
    onKnown(run.data?.erasure)
    return () => onKnown(undefined)
  }, [run.data])
  return (
    <>
      {run.error === undefined ? null : <Failure error={run.error} onRetry={run.reload} />}
      {run.data === undefined
        ? run.error === undefined ? <Skeleton lines={2} /> : null
        : <p>{erasureText(run.data.erasure, run.data.licenses, run.data.hasMore)}</p>}
    </>
  )
}

/** Erases the personal data of a customer. A dry run says before how much that is. */
export const EraseCustomer = ({ customer, onChange }: {
  readonly customer: Pick<Customer, "code" | "id" | "name">
  readonly onChange: () => void
}) => {
  const [known, setKnown] = useState<CustomerErasure>()
  return (
    <Action
      label="Erase…"
      sendLabel="Erase"
      weight="danger"
      scope="admin"
      asksWhy="customer.erased"
      typed={customer.code}
      says={
        <>
          The personal data of <bdi class="strong">{customer.name}</bdi>{" "}
          is removed permanently, and the notes about it and its licenses are deleted. The code, the metadata and all
          IDs stay.
        </>
      }
      fields={<DryRun id={customer.id} onKnown={setKnown} />}
      draft={unkept("The dialog has nothing to enter.", false)}
      isReady={known !== undefined}
      secondLook="erase_customer"
      perform={(client, options) => client.customers.erase(customer.id, options)}
      done={({ events, exports }) => `Erased from ${some(events, "event")} and ${some(exports, "export")}.`}
      onDone={onChange}
    />
  )
}
