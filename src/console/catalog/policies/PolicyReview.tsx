import { useState } from "preact/hooks"
import type {
  Countersign,
  PolicyChangeRequest,
  PolicyFeature,
  PolicyRehearsal,
  PolicyWritten,
  ReportFormat
} from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { Badge, Code } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Choice, NumberField, wholeOf } from "../../ground/design/Field.tsx"
import { count, some } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import type { FieldName, PolicyDraft } from "./PolicyDraft.ts"
import { labelOf, shownIn } from "./PolicyGroups.ts"

/** The effect of a write, as the service says it before. */
export type Effect = NonNullable<PolicyWritten["dry_run"]>

/** How many licenses a change reaches, in words. */
export const reachedText = ({ is_complete, licenses }: Effect["reach"]): string =>
  `${count(licenses)}${is_complete ? "" : " or more"} ${licenses === 1 ? "license" : "licenses"}`

type RuleChange = Effect["reach"]["changes"][number]

/** The licenses that a changed rule is not the same for, in words. */
const exceptions = ({ beyond = 0, name, overridden }: RuleChange): ReadonlyArray<string> => {
  const label = labelOf(name as FieldName)
  return [
    ...(overridden === 0
      ? []
      : [
        `${label}: ${
          some(overridden, "license has its own value and keeps it", "licenses have their own value and keep it")
        }.`
      ]),
    ...(beyond === 0
      ? []
      : [
        `${label}: ${
          some(beyond, "license uses", "licenses use")
        } more today, and nothing is taken away. New seats are refused.`
      ])
  ]
}

/** The changes of a policy, and how many licenses they reach. */
export const PolicyReview = (
  { changed, draft, effect, loaded }: {
    readonly loaded: PolicyDraft
    readonly draft: PolicyDraft
    readonly changed: ReadonlyArray<FieldName>
    readonly effect: Effect | undefined
  }
) => (
  <div class="stack">
    <Table
      label="Changes"
      isCompared
      rows={changed}
      keyOf={(name) => name}
      columns={[
        { name: "Term", cell: labelOf },
        { name: "Now", cell: (name) => <bdi class="wrap">{shownIn(name, loaded[name])}</bdi> },
        { name: "After", cell: (name) => <bdi class="wrap strong">{shownIn(name, draft[name])}</bdi> }
      ]}
    />
    {effect === undefined || effect.reach.licenses === 0 ? null : (
      <p>
        {reachedText(effect.reach)} {effect.reach.licenses === 1 ? "follows" : "follow"}{" "}
        this policy, from the next request of each app. {effect.reach.changes.flatMap(exceptions).join(" ")}
      </p>
    )}
  </div>
)

type Quotas = NonNullable<PolicyChangeRequest["features"]>

const limits = { min: 0, max: Number.MAX_SAFE_INTEGER }

/** How many quotas one rehearsal takes. */
const mostQuotas = 20

/** Texts that are typed in the place of quotas, by feature. */
interface TypedQuotas {
  readonly [featureId: string]: string
}

/** The features with a quota that a rehearsal can try others of. */
const withQuotas = (features: ReadonlyArray<PolicyFeature>): ReadonlyArray<PolicyFeature> =>
  features.filter(({ decimals, max_consumptions, meter, rollover }) =>
    max_consumptions !== undefined && decimals === undefined && meter === undefined && rollover === undefined
  ).slice(0, mostQuotas)

/** The quotas that were typed and are others than those of the policy. */
const quotasOf = (features: ReadonlyArray<PolicyFeature>, typed: TypedQuotas): Quotas =>
  features.flatMap(({ feature_id, max_consumptions }) => {
    const quota = wholeOf(typed[feature_id] ?? "", limits)
    return quota === undefined || quota === max_consumptions ? [] : [{ feature_id, max_consumptions: quota }]
  })

/** Other quotas of the features of a policy, to try: they are saved with the features, and not with the policy. */
const QuotaFields = ({ features, onChange, typed }: {
  readonly features: ReadonlyArray<PolicyFeature>
  readonly typed: TypedQuotas
  readonly onChange: (typed: TypedQuotas) => void
}) => (
  <>
    {features.map(({ feature_code, feature_id, max_consumptions }) => (
      <NumberField
        key={feature_id}
        label={`Quota of ${feature_code} to try`}
        value={typed[feature_id] ?? ""}
        placeholder={String(max_consumptions)}
        {...limits}
        onChange={(value) => onChange({ ...typed, [feature_id]: value })}
      />
    ))}
  </>
)

/** How many licenses are named. */
const inSight = 8

const unknownTexts: Readonly<Record<PolicyRehearsal["unknown"][number]["reason"], string>> = {
  not_recorded: "made before calls were recorded",
  between: "between calls that would be decided differently",
  earlier_call: "after a call that is not known",
  floating_seats: "about floating seats whose holder is not recorded",
  many_calls: "more than are read",
  many_devices: "of too many devices",
  not_reproduced: "decided for a reason that is not recorded",
  start: "of licenses that would start at another time",
  usage: "limited by a quota that would be used differently",
  users: "of people who may or may not have had a seat"
}

/** Rehearses the first thousand licenses; `next_after` says that there are more. */
const rehearse = (client: Countersign, policyId: string, change: PolicyChangeRequest, signal: AbortSignal) =>
  client.policies.rehearse(policyId, { change }, { signal })

const ByCode = ({ of }: { readonly of: PolicyRehearsal["refused"] }) => (
  <ul class="stack">
    {of.map(({ calls, code, devices, licenses }) => (
      <li key={code} class="small">
        <Code of={code} /> {some(calls, "call")} of {some(devices, "device")} in {some(licenses, "license")}
      </li>
    ))}
  </ul>
)

const Unknown = ({ of }: { readonly of: PolicyRehearsal["unknown"] }) => (
  <ul class="stack">
    {of.map(({ calls, licenses, reason }) => (
      <li key={reason} class="small">
        {calls === undefined ? "" : `${some(calls, "call")} of `}
        {some(licenses, "license")}: {unknownTexts[reason]}
      </li>
    ))}
  </ul>
)

const Answer = ({ of }: { readonly of: PolicyRehearsal }) => {
  const { affected, calls, next_after, refused, rules, unknown } = of
  const left = rules.filter(({ is_rehearsed }) => !is_rehearsed)
  return (
    <div class="stack" aria-live="polite">
      <Facts
        of={[
          [
            "Calls",
            `${count(calls.all)} in ${some(of.licenses, "license")}${next_after === undefined ? "" : ", and more"}`
          ],
          ["Would be refused", <Badge tone={calls.refused > 0 ? "bad" : "plain"}>{count(calls.refused)}</Badge>],
          ["Would be granted", <Badge tone={calls.granted > 0 ? "good" : "plain"}>{count(calls.granted)}</Badge>],
          ["Not known", calls.unknown > 0 ? count(calls.unknown) : ""]
        ]}
      />
      {refused.length === 0 ? null : <ByCode of={refused} />}
      {unknown.length === 0 ? null : <Unknown of={unknown} />}
      {left.length === 0
        ? null
        : (
          <span class="small quiet">
            Not rehearsed: {left.map(({ name }) => labelOf(name as FieldName)).join(", ")}.
          </span>
        )}
      {affected.length === 0 ? null : (
        <ul class="stack" aria-label="Affected licenses">
          {affected.slice(0, inSight).map(({ granted, license_id, refused }) => (
            <li key={license_id} class="small">
              <a href={`/console/licenses/${license_id}`}>
                <bdi class="wrap">{license_id}</bdi>
              </a>{" "}
              {refused > 0 ? `${count(refused)} refused` : ""} {granted > 0 ? `${count(granted)} granted` : ""}
            </li>
          ))}
        </ul>
      )}
      {affected.length > inSight ? <span class="small quiet">and {count(affected.length - inSight)} more</span> : null}
    </div>
  )
}

const formats = Object.entries(labels.format).map(([format, name]) => [format, name] as const)

const csv: { readonly format: string } = { format: "csv" }

/** Has the service write the rehearsal of all licenses to a signed file. */
const ExportRehearsal = (
  { answer, change, policyId }: {
    readonly answer: PolicyRehearsal
    readonly policyId: string
    readonly change: PolicyChangeRequest
  }
) => {
  const draft = useDraft("rehearsal", csv)
  const { format } = draft.values
  return (
    <Action
      label="Export this rehearsal"
      small
      scope="report:export"
      says="Writes the rehearsal of all licenses of the policy to a signed file: which devices would be refused or granted calls, and why."
      fields={
        <Choice
          label="Format"
          value={format}
          options={formats}
          onChange={(value) => draft.set({ format: value })}
        />
      }
      draft={draft}
      perform={(client, options) =>
        client.reportExports.create({
          report_kind: "rehearsal",
          format: format as ReportFormat,
          filters: { policy_id: policyId, change, from: answer.from, to: answer.to }
        }, options)}
      done={() => (
        <>
          Export started. The file will be in <a href="/console/reports/frozen">Exports</a>.
        </>
      )}
    />
  )
}

/** How the calls of the last 30 days would have been answered under a change that is not saved yet. */
export const RehearsalPanel = (
  { change: ofRules, policyId, productId }: {
    readonly productId: string
    readonly policyId: string
    readonly change: PolicyChangeRequest
  }
) => {
  const isAllowed = may("license:read")
  const granted = useLoad(
    (client, signal) => client.policies.listFeatures(productId, policyId, { limit: 200 }, { signal }),
    [productId, policyId],
    { when: isAllowed }
  )
  const features = withQuotas(granted.data ?? [])
  const [typed, setTyped] = useState<TypedQuotas>({})
  const quotas = quotasOf(features, typed)
  const change = quotas.length === 0 ? ofRules : { ...ofRules, features: quotas }
  const text = JSON.stringify(change)
  const [asked, setAsked] = useState("")
  const isAsked = asked === text
  const found = useLoad((client, signal) => rehearse(client, policyId, change, signal), [policyId, asked], {
    when: isAsked
  })
  const isSame = text === "{}"
  if (!isAllowed || (isSame && features.length === 0)) return null
  return (
    <Panel title="Rehearsal">
      <div class="stack">
        <QuotaFields features={features} typed={typed} onChange={setTyped} />
        {isSame
          ? (
            <span class="small quiet">
              Enter another quota, or change a rule, to see how past calls would have been decided.
            </span>
          )
          : null}
      </div>
      {isSame ? null : isAsked ?
        (
          <Loading of={found}>
            {(answer) => (
              <>
                <Answer of={answer} />
                <ExportRehearsal answer={answer} change={change} policyId={policyId} />
              </>
            )}
          </Loading>
        ) :
        (
          <div class="stack">
            <span class="small quiet">How calls of the last 30 days would have been decided under this change.</span>
            <Button small onClick={() => setAsked(text)}>Rehearse this change</Button>
          </div>
        )}
    </Panel>
  )
}
