import type { ComponentChildren } from "preact"
import { useLocation, useRoute } from "preact-iso"
import type { BillingConnection, Policy } from "../../../client/api/index.ts"
import { Copy, Id } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Day, Time } from "../../ground/design/Time.tsx"
import { isBesideLive } from "../../ground/session/Environment.ts"
import { baseUrl } from "../../ground/session/Environment.ts"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { UnitEntries } from "../selling/UnitEntries.tsx"
import {
  choiceFacts,
  DeleteConnection,
  SetApiKey,
  SetChoices,
  SetCustomerPortal,
  SetSecret
} from "./ConnectionActions.tsx"
import { ConnectionState } from "./Connections.tsx"
import { Mapping, policiesOf } from "./Mapping.tsx"
import { providers } from "./Providers.ts"
import "./purchases.css"
import { Reconcile } from "./Reconcile.tsx"

/** How often the page loads again, in milliseconds: a person waits for the first event. */
const again = 5000

interface ConnectionProps {
  readonly of: BillingConnection
  readonly onChange: () => void
}

interface ConnectedProps extends ConnectionProps {
  /** The policies that are sold, by their ids; undefined until they are loaded. */
  readonly policies: ReadonlyMap<string, Policy> | undefined
}

/** A step on the way to a connected provider. */
const Step = ({ children, isDone, title }: {
  readonly title: string
  readonly isDone: boolean
  readonly children: ComponentChildren
}) => (
  <li class={isDone ? "good" : ""}>
    <span class="stack">
      <span class="strong">
        {title}
        {isDone ? <span class="quiet">{" (done)"}</span> : null}
      </span>
      {children}
    </span>
  </li>
)

const mailsKey = ({ mails = [] }: Policy): boolean => mails.includes("license_issued")

/** How buyers get their keys: by a mail of each policy that is sold, once a mail server is named. A program of the vendor's may do it instead. */
const DeliverKey = ({ policies }: Pick<ConnectedProps, "policies">) => {
  const mail = useLoad((client, signal) => client.settings.getMail({ signal }), [], { when: may("admin") })
  const sold = [...policies?.values() ?? []]
  const silent = sold.filter((policy) => !mailsKey(policy))
  const isOn = mail.data?.is_configured
  return (
    <Step title="3. Deliver the key" isDone={isOn === true && sold.length > 0 && silent.length === 0}>
      <span class="small">
        Countersign mails the key to the buyer, if a mail server is named and the policy has the mail “License issued”.
      </span>
      <a class="small target" href="/docs/guides/send-mail" target="_blank" rel="noreferrer">Guide to mails</a>
      {isOn === false
        ? <span class="strong">No mail server is named: a buyer gets no key from Countersign.</span>
        : null}
      {isOn === undefined && !mail.isLoading
        ? <span class="small quiet">Administrators see whether a mail server is named.</span>
        : null}
      {silent.length === 0 ? null : (
        <span class="small">
          Policies that send no mail with the key. Your own program has to make a key and deliver it there:
        </span>
      )}
      {silent.map(({ id, name, product_id }) => (
        <a class="small target" key={id} href={`/console/products/${product_id}/policies/${id}`}>
          <bdi class="wrap">{name}</bdi>
        </a>
      ))}
    </Step>
  )
}

/** How the provider is connected, step by step: each reads what is there, so that a reload loses none. */
const Steps = ({ of, onChange, policies }: ConnectedProps) => {
  const { events, guide, name, notice, place } = providers[of.provider]
  return (
    <Panel
      title={`Connect ${name}`}
      aside={<a class="small" href={guide} target="_blank" rel="noreferrer">Guide</a>}
    >
      <ol class="timeline">
        <Step title={`1. Create a webhook at ${name} with this URL`} isDone={of.has_secret}>
          <span class="small quiet">{place}</span>
          <Copy label="Webhook URL" text={`${baseUrl}${of.events_path}`} />
          {/^https?:\/\/(localhost|127\.|\[::1\])/.test(baseUrl)
            ? (
              <span class="small quiet">
                {name} cannot reach this address. Use the public URL of the service instead of {baseUrl}.
              </span>
            )
            : null}
          {events.length === 0
            ? <span class="small">Select all events.</span>
            : (
              <details class="more">
                <summary>Select these {events.length} events</summary>
                <Copy label="Events" text={events.join("\n")} />
              </details>
            )}
        </Step>
        <Step title="2. Enter the secret of that webhook here" isDone={of.has_secret}>
          <span>
            <SetSecret of={of} onChange={onChange} />
          </span>
        </Step>
        <DeliverKey policies={policies} />
        <Step title="4. Send a test event, or buy something" isDone={of.last_event_at !== undefined}>
          <span class="small" role="status">
            {of.last_event_at === undefined
              ? "Waiting for the first event with a valid signature…"
              : (
                <>
                  Received, signature valid: <Time at={of.last_event_at} />
                </>
              )}
          </span>
        </Step>
      </ol>
      <Note title="Good to know">
        {notice}
        {isBesideLive() ? "" : " Test purchases belong in the test environment, with a connection there."}
      </Note>
    </Panel>
  )
}

const About = ({ of, onChange }: ConnectionProps) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Provider", providers[of.provider].name],
        ["Last event", of.last_event_at === undefined ? "none yet" : <Time at={of.last_event_at} />],
        ["Secret", of.has_secret ? "stored" : "missing"],
        ["API key", of.has_api_key ? "stored" : "none"],
        ["Customer portal", of.customer_portal_url ?? "none"],
        ...choiceFacts(of),
        ["ID", <Id of={of.id} />],
        ["Since", <Day at={of.created_at} />]
      ]}
    />
    <span class="row wraps">
      <SetApiKey of={of} onChange={onChange} />
      <SetCustomerPortal of={of} onChange={onChange} />
      <SetChoices of={of} onChange={onChange} />
    </span>
  </Panel>
)

const Connected = ({ of, onChange }: ConnectionProps) => {
  const { data: policies } = useLoad(
    (client, signal) => policiesOf(client, of.mapping, signal),
    [of.id, of.updated_at]
  )
  return (
    <div class="record">
      <div>
        <Steps of={of} onChange={onChange} policies={policies} />
        <Mapping of={of} onChange={onChange} policies={policies} />
        <UnitEntries
          of={of}
          by={providers[of.provider].by}
          provider={providers[of.provider].name}
          onChange={onChange}
        />
        <Reconcile of={of} />
      </div>
      <aside aria-label="Connection details">
        <About of={of} onChange={onChange} />
      </aside>
    </div>
  )
}

const ConnectionOf = ({ id }: { readonly id: string }) => {
  const { route } = useLocation()
  const connection = useLoad((client, signal) => client.billingConnections.get(id, { signal }), [id], { every: again })
  const { data, reload } = connection
  useTitle(data?.name ?? "Connection")
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/purchases">Purchases</a>
          <h1 class="row wraps">
            <bdi class="wrap">{data?.name ?? "Connection"}</bdi>
            {data === undefined ? null : <ConnectionState of={data} />}
          </h1>
        </div>
        {data === undefined ? null : (
          <span class="row wraps">
            <a class="small" href={`/console/purchases?connection_id=${id}`}>Show purchases</a>
            <DeleteConnection of={data} onChange={() => route("/console/purchases")} />
          </span>
        )}
      </header>
      <Loading of={connection} lines={8}>
        {(found) => <Connected of={found} onChange={reload} />}
      </Loading>
    </main>
  )
}

/** The page of one connection to a payment provider. */
export const ConnectionPage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <ConnectionOf key={id} id={id} />
}
