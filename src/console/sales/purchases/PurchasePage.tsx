import { useRoute } from "preact-iso"
import { useState } from "preact/hooks"
import type { Purchase, PurchaseWithEvents } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Day, Time } from "../../ground/design/Time.tsx"
import { isBesideLive } from "../../ground/session/Environment.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { MapPrice } from "./MapPrice.tsx"
import { providerName, urlAtProvider } from "./Providers.ts"
import "./purchases.css"
import { PurchaseStory } from "./PurchaseStory.tsx"
import { itemsOf, itemText, needsPerson, payerOf } from "./Waiting.ts"
import { DecideOwner, isDecided, Retry } from "./WaitingNote.tsx"

/** An ID of the provider's, as a link to it where its address is known. */
const AtProvider = ({ of: { external_id, kind, provider } }: { readonly of: Purchase }) => {
  const url = urlAtProvider(provider, kind, external_id, isBesideLive())
  return url === undefined
    ? <Id of={external_id} />
    : <a href={url} target="_blank" rel="noreferrer">{external_id}</a>
}

const About = ({ of }: { readonly of: Purchase }) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Provider", <a href={`/console/purchases/connections/${of.connection_id}`}>{providerName(of.provider)}</a>],
        [of.kind === "subscription" ? "Subscription" : "Order", <AtProvider of={of} />],
        ["Payment", of.state === undefined ? undefined : labelOf("state", of.state)],
        ["Payer", of.payer.name === undefined ? undefined : <bdi>{of.payer.name}</bdi>],
        ["Email", of.payer.email === undefined ? undefined : <bdi>{of.payer.email}</bdi>],
        [
          "Customer",
          of.customer_id === undefined
            ? undefined
            : may("customer:read")
            ? <a href={`/console/customers/${of.customer_id}`}>{of.customer_id}</a>
            : <Id of={of.customer_id} />
        ],
        ["Paid until", of.paid_through && <Day at={of.paid_through} />],
        ["Period ends", of.period_end && <Day at={of.period_end} />],
        ["Cancels", of.cancel_at && <Day at={of.cancel_at} />],
        ["Ended", of.ended_at && <Day at={of.ended_at} />],
        ["Refund", of.refund === "none" ? undefined : of.refund],
        ["Dispute", of.dispute === "none" ? undefined : of.dispute],
        ["Read at the provider", of.read_at && <Time at={of.read_at} />],
        ["ID", <Id of={of.id} />],
        ["Since", <Day at={of.created_at} />]
      ]}
    />
  </Panel>
)

/** The reasons why something is not done, and the cure. */
const Held = ({ of, onChange }: { readonly of: Purchase; readonly onChange: () => void }) => (
  <>
    {of.failure === undefined ? null : (
      <Note tone="bad" title={of.failure.message}>
        <span class="small">
          <code>{of.failure.code}</code>, attempt {count(of.attempts)}
          {of.next_attempt_at === undefined ? null : (
            <>
              ; next attempt <Time at={of.next_attempt_at} />
            </>
          )}
        </span>
      </Note>
    )}
    {of.holds.map((hold) => (
      <Note key={`${hold.code} ${hold.price}`} tone={needsPerson(hold) ? "warn" : "plain"} title={hold.message}>
        <span class="row wraps">
          {hold.price === undefined ? null : (
            <span class="wrap">
              <code>{hold.price}</code> <bdi>{hold.name}</bdi>
            </span>
          )}
          {hold.code === "unmapped" && hold.price !== undefined
            ? (
              <MapPrice
                label="Map it"
                connection={{ id: of.connection_id, provider: of.provider }}
                price={{ price: hold.price, ...(hold.name === undefined ? {} : { name: hold.name }) }}
                isOffered={may("license:write")}
                onChange={onChange}
              />
            )
            : null}
          {isDecided(hold) ? <DecideOwner hold={hold} of={of} onChange={onChange} /> : null}
          {hold.code.startsWith("policy_") || hold.code === "unmapped"
            ? <a href={`/console/purchases/connections/${of.connection_id}`}>Open the mapping</a>
            : null}
        </span>
      </Note>
    ))}
    {of.read_failure === undefined ? null : (
      <Note title="Not read at the provider">
        {of.read_failure.message} The events that came decide meanwhile.
      </Note>
    )}
    {of.is_ambiguous
      ? (
        <Note title="The order of some events is unclear">
          The last event of one moment, or an item, is not certain. An API key of the provider lets Countersign read the
          purchase itself.
        </Note>
      )
      : null}
  </>
)

type Units = NonNullable<Purchase["units"]>

const Licenses = ({ of }: { readonly of: Purchase }) => (
  <Panel title="Licenses" flush>
    {of.licenses.length === 0
      ? <Empty title="No license yet" />
      : (
        <Table
          label="Licenses"
          rows={of.licenses}
          keyOf={({ index, item, license_id }) => `${license_id} ${item} ${index}`}
          hrefOf={({ license_id }) => `/console/licenses/${license_id}`}
          columns={[
            { name: "License", cell: ({ license_id }) => <code class="clip">{license_id}</code> },
            {
              name: "State",
              cell: ({ adopted, stopped }) =>
                stopped !== undefined
                  ? `suspended: ${stopped}`
                  : adopted === true
                  ? "taken over by a later purchase"
                  : <span class="quiet">follows the payments</span>
            }
          ]}
        />
      )}
  </Panel>
)

/** The state of units that were given for a payment. */
const unitsState = ({ revoked }: Units[number]) =>
  revoked === true ? "revoked: the payment was refunded" : <span class="quiet">given</span>

const UnitsPanel = ({ units }: { readonly units: Units }) => (
  <Panel title="Units" flush>
    <Table
      label="Units"
      rows={units}
      keyOf={({ grant_id }) => grant_id}
      hrefOf={({ customer_id, license_id }) =>
        license_id === undefined ? `/console/customers/${customer_id}` : `/console/licenses/${license_id}`}
      columns={[
        { name: "Units", cell: ({ amount, feature_code }) => `${count(amount)} × ${feature_code}` },
        { name: "Paid by", cell: ({ paid_by }) => <code class="clip">{paid_by}</code> },
        {
          name: "Given to",
          cell: ({ customer_id, license_id }) => <code class="clip">{license_id ?? customer_id}</code>
        },
        { name: "State", cell: unitsState }
      ]}
    />
  </Panel>
)

const Bought = ({ of }: { readonly of: Purchase }) => {
  const items = itemsOf(of)
  return items.length === 0 ? null : (
    <span class="quiet small wrap">
      <bdi>{items.map(itemText).join(", ")}</bdi>
    </span>
  )
}

interface RecordProps {
  readonly of: PurchaseWithEvents
  readonly turn: number
  readonly onChange: () => void
}

const Record = ({ of, onChange, turn }: RecordProps) => (
  <div class="record">
    <div>
      <Held of={of} onChange={onChange} />
      <PurchaseStory of={of} turn={turn} />
      {of.licenses.length === 0 && of.units !== undefined ? null : <Licenses of={of} />}
      {of.units === undefined ? null : <UnitsPanel units={of.units} />}
    </div>
    <aside aria-label="Purchase details">
      <About of={of} />
    </aside>
  </div>
)

/** How often a purchase that is not complete is loaded again, in milliseconds. */
const again = 5000

const PurchaseOf = ({ id }: { readonly id: string }) => {
  const [turn, setTurn] = useState(0)
  const purchase = useLoad((client, signal) => client.purchases.get(id, { signal }), [id, turn], { every: again })
  const { data } = purchase
  useTitle(data === undefined ? "Purchase" : payerOf(data))
  const onChange = () => setTurn((before) => before + 1)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/purchases">Purchases</a>
          <h1 class="row wraps">
            <bdi class="wrap">{data === undefined ? "Purchase" : payerOf(data)}</bdi>
            {data === undefined ? null : <State of={data.status} />}
          </h1>
          {data === undefined ? null : <Bought of={data} />}
        </div>
        {data === undefined ? null : <Retry of={data} isOffered={data.status !== "done"} onChange={onChange} />}
      </header>
      <Loading of={purchase} lines={8}>{(found) => <Record of={found} turn={turn} onChange={onChange} />}</Loading>
    </main>
  )
}

/** The page of one purchase. */
export const PurchasePage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <PurchaseOf key={id} id={id} />
}
