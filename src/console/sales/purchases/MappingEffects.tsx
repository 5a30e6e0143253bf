import type { BillingConnection, BillingMapping, Purchase } from "../../../client/api/index.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import type { SoldBefore } from "../selling/MappingChange.ts"
import { becomingOf } from "./Waiting.ts"
import type { Draft } from "./Waiting.ts"

const soldBeforeChoices: ReadonlyArray<readonly [SoldBefore, string]> = [
  ["keep", "Keep their policy and limits"],
  ["renewal", "Follow with their next renewal"],
  ["now", "Follow now"]
]

interface SoldBeforeProps {
  readonly connection: Pick<BillingConnection, "id">
  /** The mapping as it would be saved. */
  readonly mapping: BillingMapping
  readonly value: SoldBefore
  readonly onChange: (value: SoldBefore) => void
}

/** Says how many licenses were sold while their price was mapped otherwise, and asks what is to become of them; nothing where there is none. */
export const SoldBeforeField = ({ connection, mapping, onChange, value }: SoldBeforeProps) => {
  const asked = useLoad(
    (client, signal) => client.billingConnections.update(connection.id, { mapping, dry_run: true }, { signal }),
    [connection.id, JSON.stringify(mapping)]
  )
  return (
    <Loading of={asked} lines={1}>
      {({ sold_otherwise = 0 }) =>
        sold_otherwise === 0 ? null : (
          <Choice
            label="Licenses sold before"
            value={value}
            options={soldBeforeChoices}
            onChange={(choice) => onChange(choice as SoldBefore)}
            hint={`${some(sold_otherwise, "license was", "licenses were")} sold while this was mapped otherwise`}
          />
        )}
    </Loading>
  )
}

/** The waiting purchases that become licenses, before anything is saved. */
export const DryRun = ({ draft, waiting }: { readonly draft: Draft; readonly waiting: ReadonlyArray<Purchase> }) => {
  const { becoming, licenses, mismatched } = becomingOf(waiting, draft)
  const named = becoming.slice(0, 3).map(({ text }) => text)
  if (mismatched > 0) {
    return (
      <Note tone="warn" title={`${some(mismatched, "purchase")} still would not become a license`}>
        {draft.licenseType === "subscription"
          ? "This was paid once. Select a policy of another type than subscription."
          : "This is a subscription. Select a policy of the type subscription."}
      </Note>
    )
  }
  return becoming.length === 0
    ? <span class="small quiet" role="status">No purchase waits for this. Future ones become licenses.</span>
    : (
      <Note
        tone="good"
        title={`${some(becoming.length, "waiting purchase becomes", "waiting purchases become")} ${
          some(licenses, "license")
        }`}
      >
        <bdi>
          {named.join(", ")}
          {becoming.length > named.length ? ` and ${count(becoming.length - named.length)} more` : ""}
        </bdi>
      </Note>
    )
}
