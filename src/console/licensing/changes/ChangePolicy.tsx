import { useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { Device, License, LicensePolicyChangeRequest, Policy } from "../../../client/api/index.ts"
import { Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Choice } from "../../ground/design/Field.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { PaidNote } from "../../ground/forms/PaidNote.tsx"
import { WhileOpen } from "../../ground/forms/WhileOpen.tsx"
import { deviceNameOf } from "../../ground/lists/DeviceName.ts"
import { useSettled } from "../../ground/lists/Settled.ts"
import { Action } from "../../ground/session/Action.tsx"
import { useDraft } from "../../ground/session/Draft.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import type { Loaded } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { changeRows } from "./PolicyChangeView.ts"
import { Choices, nothing, requestOf, StayingDevices } from "./PolicyChoices.tsx"

/** The most policies that are offered, and devices to choose from. */
const most = 1000

/** How long a pause is before the service is asked, in milliseconds. */
const pause = 150

type DryRun = Awaited<ReturnType<typeof rehearse>>

const rehearse = async (
  perform: (request: LicensePolicyChangeRequest) => Promise<{ readonly changes: Parameters<typeof changeRows>[0] }>,
  request: LicensePolicyChangeRequest
) => ({ request: JSON.stringify(request), ...await perform({ ...request, dry_run: true }) })

/** The table of before and after, and what it means for the owner. */
const BeforeAndAfter = ({ devices, license, names, owner, run }: {
  readonly run: Loaded<DryRun>
  readonly license: License
  readonly owner: string
  readonly devices: ReadonlyArray<Device>
  readonly names: { readonly before: string; readonly after: string }
}) => {
  if (run.data === undefined) return run.error === undefined ? <Skeleton lines={4} /> : null
  const rows = changeRows(run.data.changes, {
    license,
    names: new Map(devices.map((device) => [device.id, deviceNameOf(device)]))
  })
  return rows.length === 0 ? <p class="quiet">Both policies give this license the same.</p> : (
    <Table
      label="Before and after"
      isCompared
      rows={rows}
      keyOf={({ key }) => key}
      columns={[
        { name: "Term", cell: ({ label }) => <span class="strong">{label}</span> },
        { name: names.before, cell: ({ before }) => <bdi class="wrap">{before}</bdi> },
        { name: names.after, cell: ({ after }) => <bdi class="wrap strong">{after}</bdi> },
        { name: `For ${owner}`, cell: ({ means }) => <span class="small quiet wrap">{means}</span> }
      ]}
    />
  )
}

/** The chosen change, what the service says of it, and what it can be chosen from. */
const useChange = (license: License) => {
  const draft = useDraft("policy", nothing)
  const chosen = draft.values
  const [isOpen, setIsOpen] = useState(false)
  const policies = useLoad(
    (client, signal) => firstOf(client.policies.list(license.product_id, { limit: 200 }, { signal }), most),
    [license.product_id],
    { when: isOpen }
  )
  const devices = useLoad(
    (client, signal) =>
      firstOf(client.licenses.listDevices(license.id, { status: "active", limit: 200 }, { signal }), most),
    [license.id],
    { when: isOpen }
  )
  const request = requestOf(chosen)
  const asked = JSON.stringify(request)
  const settled = useSettled(asked, pause)
  const run = useLoad(
    (client, signal) => rehearse((body) => client.licenses.changePolicy(license.id, body, { signal }), request),
    [license.id, settled],
    { when: isOpen && chosen.policyId !== "" && settled === asked }
  )
  const isBeyond = isCountersignError(run.error, "STATE_CONFLICT")
  const others: ReadonlyArray<Policy> = (policies.data ?? []).filter(({ id }) => id !== license.policy_id)
  return {
    chosen,
    isBeyond,
    isAsked: isBeyond || chosen.devices !== "refuse",
    policies,
    others,
    next: others.find(({ id }) => id === chosen.policyId),
    devices: devices.data ?? [],
    run,
    request,
    isReady: run.error === undefined && run.data?.request === asked,
    draft,
    set: draft.set,
    begin: () => setIsOpen(true),
    end: () => setIsOpen(false)
  }
}

/** The new policy, what is chosen beside it, and what the service says of it. */
const Fields = ({ change, license, owner, policy }: {
  readonly change: ReturnType<typeof useChange>
  readonly license: License
  readonly policy: Pick<Policy, "name">
  readonly owner: string
}) => {
  const { chosen, devices, isAsked, isBeyond, next, others, policies, run, set } = change
  return (
    <>
      <WhileOpen begin={change.begin} end={change.end} />
      <PaidNote licenseId={license.id} />
      {policies.error === undefined ? null : <Failure error={policies.error} onRetry={policies.reload} />}
      <Choice
        label="New policy"
        value={chosen.policyId}
        onChange={(policyId) => set({ ...nothing, policyId })}
        options={[["", "Choose a policy"], ...others.map(({ id, name }) => [id, name] as const)]}
        {...(policies.data !== undefined && others.length === 0
          ? { hint: "The product has no other policy." }
          : {})}
      />
      {next === undefined ? null : (
        <>
          <Choices
            {...{ chosen, isAsked, license, set }}
            hasOverrides={Object.keys(license.overrides ?? {}).length > 0}
          />
          {chosen.devices === "choose" ? <StayingDevices {...{ chosen, devices, set }} /> : null}
          {run.error === undefined
            ? (
              <BeforeAndAfter
                {...{ devices, license, owner, run }}
                names={{ before: policy.name, after: next.name }}
              />
            )
            : isBeyond
            ? (
              <Note tone="warn" title="More seats are in use than the policy has">
                <span>{isCountersignError(run.error) ? run.error.detail ?? run.error.message : ""}</span>
              </Note>
            )
            : <Failure error={run.error} onRetry={run.reload} />}
        </>
      )}
    </>
  )
}

/** Puts a license under another policy: the service says before what would be different, and what it means. */
export const ChangePolicy = ({ license, onChange, owner, policy }: {
  readonly license: License
  readonly policy: Pick<Policy, "name">
  readonly owner: string
  readonly onChange: () => void
}) => {
  const change = useChange(license)
  const { next } = change
  return (
    <Action
      label="Change policy"
      sendLabel={next === undefined ? "Change policy" : `Change to ${next.name}`}
      scope="license:write"
      isOffered={may("product:read")}
      asksWhy="license.policy_changed"
      isWide
      says={
        <>
          <bdi class="strong">{owner}</bdi> is under{" "}
          <bdi class="strong">{policy.name}</bdi>. The app learns of the change at its next check.
        </>
      }
      fields={<Fields {...{ change, license, owner, policy }} />}
      draft={change.draft}
      isReady={change.isReady}
      perform={async (client, options, said) => {
        await client.licenses.changePolicy(license.id, { ...change.request, ...said }, options)
        return next?.name
      }}
      done={(name) => (
        <span>
          The license is now under <bdi class="strong">{name}</bdi>.
        </span>
      )}
      onDone={onChange}
    />
  )
}
