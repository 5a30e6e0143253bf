import type { ComponentChildren } from "preact"
import { useRoute } from "preact-iso"
import { useState } from "preact/hooks"
import { consequenceOf } from "../../../client/api/Consequence.ts"
import type {
  Countersign,
  Device,
  FloatingLease,
  License,
  LicenseExplanation,
  Purchase
} from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Id, Named } from "../../ground/design/Copy.tsx"
import { Empty, Skeleton } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table, TwoLines } from "../../ground/design/Table.tsx"
import { Day, Time } from "../../ground/design/Time.tsx"
import { deviceNameOf } from "../../ground/lists/DeviceName.ts"
import { useFilters } from "../../ground/lists/Filters.ts"
import { ownerOf } from "../../ground/lists/NamesOf.ts"
import { usePages } from "../../ground/lists/Pages.ts"
import { Action } from "../../ground/session/Action.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useKept } from "../../ground/session/Kept.ts"
import { useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { WaitingApprovals } from "../../ground/session/SecondLook.tsx"
import { may, mayOfAll } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { NotesPanel } from "../../people/notes/NotesPanel.tsx"
import { TagsPanel } from "../../people/notes/TagsPanel.tsx"
import { AddCredits, EditLicense, OwnFeature, RemoveOwnFeature } from "../changes/AddCredits.tsx"
import { EditTerms } from "../changes/EditTerms.tsx"
import { ReportUsage } from "../changes/ReportUsage.tsx"
import { GrantsPanel } from "../grants/GrantsPanel.tsx"
import { UsersPanel } from "../users/UsersPanel.tsx"
import { Devices, SeatsPanel } from "./Devices.tsx"
import { LicenseActions } from "./LicenseActions.tsx"
import { Story } from "./LicenseColumns.tsx"
import { metadataFacts } from "./Metadata.tsx"
import { keyOf, productOf } from "./Owner.tsx"
import { Terms } from "./Terms.tsx"
import { Usage } from "./Usage.tsx"
import { explainRequest, firstQuestion, Why } from "./Why.tsx"

interface FloatingSeatsProps {
  readonly licenseId: string
  readonly leases: Loaded<ReadonlyArray<FloatingLease>>
  /** The devices that are loaded, to name the holders. */
  readonly devices: ReadonlyArray<Device>
  readonly most: number
  readonly onChange: () => void
}

/** The floating seats that are taken now, by whom, and until when. */
const FloatingSeats = ({ devices, leases, licenseId, most, onChange }: FloatingSeatsProps) => {
  const taken = leases.data?.length ?? 0
  return (
    <SeatsPanel title="Floating seats" label="Floating seats in use" taken={taken} most={most}>
      <Loading of={leases}>
        {(rows) =>
          rows.length === 0 ? <Empty title="No floating seats in use" /> : (
            <Table
              label="Floating seats"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                {
                  name: "Device",
                  cell: ({ device_id, process_id }) => {
                    const device = devices.find(({ id }) => id === device_id)
                    return (
                      <TwoLines
                        first={device === undefined ? device_id : deviceNameOf(device)}
                        second={process_id && `Process ${process_id}`}
                      />
                    )
                  }
                },
                {
                  name: "Since",
                  cell: ({ checked_out_at }) => <Time at={checked_out_at} isQuiet />
                },
                {
                  name: "Until",
                  cell: ({ expires_at }) => <Time at={expires_at} isQuiet />
                },
                {
                  name: "",
                  cell: ({ id }) => (
                    <span class="row ends">
                      <Action
                        label="Release"
                        asksWhy="lease.checked_in"
                        small
                        scope="license:write"
                        says={consequenceOf("releaseLicenseLease")}
                        perform={(client, options) => client.licenses.releaseLease(licenseId, id, options)}
                        done={() => "Seat released."}
                        onDone={onChange}
                      />
                    </span>
                  )
                }
              ]}
            />
          )}
      </Loading>
    </SeatsPanel>
  )
}

/** The purchase that a license was issued for; undefined where it was issued otherwise, or the token may not see it. */
const usePurchase = (licenseId: string): Purchase | undefined =>
  useLoad(
    (client, signal) => client.purchases.list({ license_id: licenseId, limit: 1 }, { signal }),
    [licenseId],
    { when: mayOfAll("product:read") }
  ).data?.[0]

/** The order and the subscription of a license. */
const boughtBy = (of: License): ReadonlyArray<readonly [string, ComponentChildren]> => [
  [
    "Order",
    of.order_id && <Named id={of.order_id} name={of.names?.order} href={`/console/licenses?order_id=${of.order_id}`} />
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
  ]
]

const About = ({ action, of, purchase }: {
  readonly of: License
  readonly purchase: Purchase | undefined
  readonly action: ComponentChildren
}) => (
  <Panel title="Details" aside={action}>
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
        ...boughtBy(of),
        [
          "Purchase",
          purchase && (
            <Named id={purchase.external_id} name={purchase.external_id} href={`/console/purchases/${purchase.id}`} />
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

/** The license with its names, its rules and whether it works: one request for each. */
const findLicense = async (client: Countersign, id: string, signal: AbortSignal) => {
  const [explanation, { names }] = await Promise.all([
    client.licenses.explain(id, {}, { signal }),
    client.licenses.get(id, { include_names: true }, { signal })
  ])
  return { ...explanation, license: { ...explanation.license, ...(names === undefined ? {} : { names }) } }
}

/** All data of the page; another `turn` loads all of it again. */
const useLicense = (id: string, turn: number) => {
  const [question, setQuestion] = useKept("question", firstQuestion)
  const named = useFilters().query["device"] ?? ""
  const explained = useLoad((client, signal) => findLicense(client, id, signal), [id, turn])
  const answer = useLoad(
    (client, signal) => client.licenses.explain(id, explainRequest(question), { signal }),
    [id, turn, JSON.stringify(question)],
    { when: question !== firstQuestion }
  )
  const devices = usePages<Device>(
    "devices",
    (client, page, signal) =>
      client.licenses.listDevices(id, { limit: 50, ...(named === "" ? {} : { q: named }), ...page }, { signal }),
    [id, named],
    { turn }
  )
  const leases = useLoad(
    (client, signal) => client.licenses.listLeases(id, { is_live: true, limit: 100 }, { signal }),
    [id, turn]
  )
  const features = useLoad((client, signal) => client.licenses.listFeatures(id, { limit: 100 }, { signal }), [id, turn])
  const purchase = usePurchase(id)
  const verdict = question === firstQuestion ? explained : answer
  return { explained, question, setQuestion, verdict, devices, leases, features, purchase }
}

/** The owner and the status, below a link to all licenses. */
const Heading = ({ license, policy }: { readonly license: License; readonly policy: string }) => (
  <>
    <h1 class="row wraps">
      <bdi class="wrap">{ownerOf(license)}</bdi>
      <State of={license.status} />
    </h1>
    <span class="quiet row wraps small">
      <bdi>{productOf(license)}</bdi>
      <span>·</span>
      <bdi>{policy}</bdi>
      <span>·</span>
      <code>{keyOf(license)}</code>
    </span>
  </>
)

const HeadingToCome = ({ hasFailed }: { readonly hasFailed: boolean }) => (
  <h1 class="row wraps">
    {hasFailed ? "License" : (
      <>
        <span class="visually-hidden">License</span>
        <span class="skeleton" style={{ width: "14rem", height: "1.5rem" }} />
      </>
    )}
  </h1>
)

interface RecordProps {
  readonly id: string
  readonly turn: number
  readonly loaded: ReturnType<typeof useLicense>
  readonly explanation: LicenseExplanation
  readonly onChange: () => void
}

const Record = ({ explanation, id, loaded, onChange, turn }: RecordProps) => {
  const { license, policy, status, terms } = explanation
  const { devices, features, leases, purchase, question, setQuestion, verdict } = loaded
  const known = devices.rows ?? []
  const isRevoked = status === "revoked"
  return (
    <div class="record">
      <div>
        <Why devices={known} question={question} onAsk={setQuestion} verdict={verdict} />
        <Devices
          devices={devices}
          taken={license.active_device_count}
          most={terms.max_activations?.value ?? policy.max_activations}
          isRevoked={isRevoked}
          onChange={onChange}
        />
        {terms.max_floating_users === undefined ? null : (
          <FloatingSeats
            licenseId={id}
            leases={leases}
            devices={known}
            most={terms.max_floating_users.value}
            onChange={onChange}
          />
        )}
        <UsersPanel {...{ isRevoked, license, onChange, turn }} most={terms.max_users?.value} />
        <NotesPanel about="license" id={id} />
        <Usage
          licenseId={id}
          features={features}
          action={
            <span class="row wraps">
              {isRevoked ? null : <OwnFeature license={license} onChange={onChange} />}
              {isRevoked ? null : <ReportUsage licenseId={id} features={features.data ?? []} onChange={onChange} />}
              <AddCredits license={license} features={features.data ?? []} onChange={onChange} />
            </span>
          }
          actionsOf={(feature) =>
            isRevoked ? null : (
              <>
                <OwnFeature license={license} feature={feature} onChange={onChange} />
                <RemoveOwnFeature license={license} feature={feature} onChange={onChange} />
              </>
            )}
        />
        <GrantsPanel licenseId={id} features={features.data ?? []} turn={turn} onChange={onChange} />
        {may("report:read") ? <Story license={license} turn={turn} onChange={onChange} /> : null}
      </div>
      <aside aria-label="License details">
        <About
          of={license}
          purchase={purchase}
          action={isRevoked ? null : <EditLicense license={license} onChange={onChange} />}
        />
        <TagsPanel of={license} onChange={onChange} />
        <Terms
          terms={terms}
          policy={policy}
          action={isRevoked ? null : <EditTerms license={license} terms={terms} onChange={onChange} />}
        />
      </aside>
    </div>
  )
}

/** Everything that support needs about a license: its status and the reason, its devices, usage and activity. */
const LicenseOf = ({ id }: { readonly id: string }) => {
  const [turn, setTurn] = useState(0)
  const loaded = useLicense(id, turn)
  const { data, error } = loaded.explained
  useTitle(data === undefined ? "License" : ownerOf(data.license))
  const onChange = () => setTurn((before) => before + 1)
  return (
    <main class="page" id="main">
      <header>
        <div class="stack" style={{ gap: "var(--s1)" }}>
          <a class="small" href="/console/licenses">Licenses</a>
          {data === undefined
            ? <HeadingToCome hasFailed={error !== undefined} />
            : <Heading license={data.license} policy={data.policy.name} />}
        </div>
        {data === undefined
          ? null
          : <LicenseActions license={data.license} policy={data.policy} terms={data.terms} onChange={onChange} />}
      </header>
      {error === undefined ? null : <Failure error={error} onRetry={onChange} />}
      <WaitingApprovals about={id} turn={turn} />
      {data !== undefined
        ? <Record id={id} turn={turn} loaded={loaded} explanation={data} onChange={onChange} />
        : error === undefined
        ? (
          <Panel>
            <Skeleton lines={8} />
          </Panel>
        )
        : null}
    </main>
  )
}

/** The page of one license. */
export const LicensePage = () => {
  const { params } = useRoute()
  const id = params["id"] ?? ""
  return <LicenseOf key={id} id={id} />
}
