import { useRoute } from "preact-iso"
import { useState } from "preact/hooks"
import type { Device, License } from "../../client/api/index.ts"
import { State } from "../design/Badge.tsx"
import { Id, Named } from "../design/Copy.tsx"
import { Skeleton } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"
import { Day } from "../design/Time.tsx"
import { usePages } from "../lists/Pages.ts"
import { Failure } from "../session/Failure.tsx"
import { useKept } from "../session/Kept.ts"
import { useLoad } from "../session/Load.ts"
import { may } from "../session/Session.ts"
import { useTitle } from "../session/Title.ts"
import { Devices } from "./Devices.tsx"
import { FloatingSeats } from "./FloatingSeats.tsx"
import { LicenseActions } from "./LicenseActions.tsx"
import { metadataFacts } from "./Metadata.tsx"
import { keyOf, ownerOf, productOf } from "./Owner.tsx"
import { Story } from "./Story.tsx"
import { Terms } from "./Terms.tsx"
import { Usage } from "./Usage.tsx"
import { firstQuestion, Why } from "./Why.tsx"

const About = ({ of }: { readonly of: License }) => (
  <Panel title="Details">
    <Facts
      of={[
        ["Product", <Named id={of.product_id} name={productOf(of)} />],
        ["Policy", <Named id={of.policy_id} name={of.names?.policy} />],
        [
          "Customer",
          of.customer_id && (
            <Named
              id={of.customer_id}
              name={of.names?.customer}
              href={may("customer:read") ? `/console/customers/${of.customer_id}` : undefined}
            />
          )
        ],
        ["Email", of.customer_email === undefined ? undefined : <bdi>{of.customer_email}</bdi>],
        ["Key", <code>{keyOf(of)}</code>],
        ["ID", <Id of={of.id} />],
        [
          "Order",
          of.order_id && (
            <Named id={of.order_id} name={of.names?.order} href={`/console/licenses?order_id=${of.order_id}`} />
          )
        ],
        [
          "Subscription",
          of.subscription_id && (
            <Named
              id={of.subscription_id}
              name={of.names?.subscription}
              href={`/console/licenses?subscription_id=${of.subscription_id}`}
            />
          )
        ],
        ["Starts", of.starts_at && <Day at={of.starts_at} />],
        [
          "Expires",
          of.expires_at === undefined
            ? of.awaits_activation === true ? "starts at first use" : "never"
            : <Day at={of.expires_at} />
        ],
        ["Maintenance until", of.maintenance_expires_at && <Day at={of.maintenance_expires_at} />],
        ["Issued", <Day at={of.created_at} />],
        ["Activations", count(of.times_activated)],
        ["Transfers", count(of.times_transferred)],
        ["Usage events", count(of.total_consumptions)],
        ...metadataFacts(of.metadata)
      ]}
    />
  </Panel>
)

/** Everything that support asks of a license at once: its state and why, who has its seats, what is used, what happened. */
const LicenseOf = ({ id }: { readonly id: string }) => {
  const [question, setQuestion] = useKept("question", firstQuestion)
  const [turn, setTurn] = useState(0)
  const explained = useLoad(
    async (client, signal) => {
      const [explanation, { names }] = await Promise.all([
        client.licenses.explain(id, {}, { signal }),
        client.licenses.get(id, { include_names: true }, { signal })
      ])
      return { ...explanation, license: { ...explanation.license, ...(names === undefined ? {} : { names }) } }
    },
    [id, turn]
  )
  const asked = useLoad(
    (client, signal) => {
      const { at, feature, fingerprint, operation } = question
      return client.licenses.explain(id, {
        operation,
        ...(fingerprint.trim() === "" ? {} : { binding: { fingerprint: fingerprint.trim() } }),
        ...(feature.trim() === "" ? {} : { feature_code: feature.trim() }),
        ...(at === "" ? {} : { at: new Date(at).toISOString() })
      }, { signal })
    },
    [id, turn, JSON.stringify(question)],
    { when: question !== firstQuestion }
  )
  const devices = usePages<Device>(
    "devices",
    (client, page, signal) => client.licenses.listDevices(id, { limit: 50, ...page }, { signal }),
    [id],
    { turn }
  )
  const leases = useLoad(
    (client, signal) => client.licenses.listLeases(id, { is_live: true, limit: 100 }, { signal }),
    [id, turn]
  )
  const features = useLoad((client, signal) => client.licenses.listFeatures(id, { limit: 100 }, { signal }), [id, turn])
  const license = explained.data?.license
  useTitle(license === undefined ? "License" : ownerOf(license))
  const onChange = () => setTurn((before) => before + 1)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/licenses">Licenses</a>
          <h1 class="row wraps">
            {license === undefined
              ? explained.error === undefined
                ? (
                  <>
                    <span class="unseen">License</span>
                    <span class="skeleton" style={{ width: "14rem", height: "1.5rem" }} />
                  </>
                )
                : "License"
              : (
                <>
                  <bdi class="wrap">{ownerOf(license)}</bdi>
                  <State of={license.status} />
                </>
              )}
          </h1>
          {license === undefined ? null : (
            <span class="quiet row wraps small">
              <bdi>{productOf(license)}</bdi>
              <span>·</span>
              <bdi>{explained.data?.policy.name}</bdi>
              <span>·</span>
              <code>{keyOf(license)}</code>
            </span>
          )}
        </div>
        {license === undefined ? null : <LicenseActions license={license} onChange={onChange} />}
      </header>
      {explained.error === undefined ? null : <Failure error={explained.error} onRetry={onChange} />}
      {explained.data === undefined
        ? explained.error === undefined
          ? (
            <Panel>
              <Skeleton lines={8} />
            </Panel>
          )
          : null
        : (
          <div class="record">
            <div>
              <Why
                devices={devices.rows ?? []}
                question={question}
                onAsk={setQuestion}
                verdict={question === firstQuestion ? explained : asked}
              />
              <Devices
                devices={devices}
                taken={explained.data.license.active_device_count}
                most={explained.data.terms.max_activations?.value ?? explained.data.policy.max_activations}
                isRevoked={explained.data.status === "revoked"}
                onChange={onChange}
              />
              {explained.data.terms.max_floating_users === undefined ? null : (
                <FloatingSeats
                  licenseId={id}
                  leases={leases}
                  devices={devices.rows ?? []}
                  most={explained.data.terms.max_floating_users.value}
                  onChange={onChange}
                />
              )}
              <Usage licenseId={id} features={features} />
              {may("report:read") ? <Story licenseId={id} turn={turn} devices={devices.rows ?? []} /> : null}
            </div>
            <aside aria-label="License details">
              <About of={explained.data.license} />
              <Terms terms={explained.data.terms} policy={explained.data.policy} />
            </aside>
          </div>
        )}
    </main>
  )
}

/** The page of one license. */
export const LicensePage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <LicenseOf key={id} id={id} />
}
