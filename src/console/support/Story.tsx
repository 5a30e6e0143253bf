import { useEffect } from "preact/hooks"
import type { Activity, Device } from "../../client/api/index.ts"
import { Badge } from "../design/Badge.tsx"
import { Empty } from "../design/Feedback.tsx"
import { Choice } from "../design/Field.tsx"
import { count } from "../design/Numbers.ts"
import { Panel } from "../design/Panel.tsx"
import { Time } from "../design/Time.tsx"
import { useFilters } from "../lists/Filters.ts"
import { More } from "../lists/More.tsx"
import { usePages } from "../lists/Pages.ts"
import { Rows } from "../lists/Rows.tsx"
import { keyNameOf, nameKeys } from "../session/Names.ts"
import { deviceNameOf } from "./Devices.tsx"

/** What happened, said by what it did. */
const sentences: Readonly<Record<string, string>> = {
  "license.created": "License issued",
  "license.updated": "License changed",
  "license.started": "Its time began",
  "license.activated": "A device was activated",
  "license.deactivated": "A device gave its seat back",
  "license.validated": "Validated",
  "license.checked": "A feature was checked",
  "license.suspended": "License suspended",
  "license.reinstated": "License reinstated",
  "license.revoked": "License revoked",
  "license.renewed": "License renewed",
  "license.policy_changed": "Put under another policy",
  "license.transferred": "Handed to another owner",
  "license.key_rotated": "Key replaced",
  "license.grace_started": "Expired, in grace",
  "license.expiring": "Expires soon",
  "license.expired": "License expired",
  "license.feature_assigned": "A feature was given",
  "license.feature_removed": "A feature was taken away",
  "license.usage_recorded": "Use counted",
  "license.usage_reset": "Correction of use",
  "license.quota_reached": "Quota reached",
  "license.overage_started": "Beyond the quota",
  "device.reset": "A device was reset",
  "device.blacklisted": "A device was blocked",
  "device.expired": "A device was not heard of, and lost its seat",
  "lease.checked_out": "A floating seat was taken",
  "lease.checked_in": "A floating seat was given back",
  "lease.expired": "A floating seat ran out",
  "lease.extended": "A floating seat was kept",
  "offline.issued": "Went offline"
}

/** What was asked for, where it was refused. */
const questions: Readonly<Record<string, string>> = {
  "license.activated": "Activation",
  "license.deactivated": "Deactivation",
  "license.validated": "Validation",
  "license.checked": "Check of a feature",
  "license.usage_recorded": "Use",
  "lease.checked_out": "A floating seat",
  "lease.checked_in": "Return of a floating seat",
  "lease.extended": "Heartbeat of a floating seat",
  "offline.issued": "Going offline"
}

const sentenceOf = ({ action, result_class }: Activity): string =>
  result_class !== "success"
    ? `${questions[action] ?? sentences[action] ?? action}: ${result_class}`
    : sentences[action] ?? `${action[0]?.toUpperCase() ?? ""}${action.slice(1).replaceAll(/[._]/g, " ")}`

const actors: Readonly<Record<string, string>> = {
  license: "The app, with its key",
  oidc_subject: "A person signed in",
  system: "The service, by its clock"
}

const toneOf = ({ action, result_class }: Activity): string =>
  result_class !== "success"
    ? "bad"
    : /revoked|suspended|expired|blacklisted/.test(action)
    ? "warn"
    : /created|activated|renewed|reinstated/.test(action)
    ? "good"
    : ""

/** One thing that happened: what, with what outcome, by whom, when, under which request. */
const Moment = ({ device, of }: { readonly of: Activity; readonly device: Device | undefined }) => (
  <li class={toneOf(of)}>
    <span class="stack" style={{ gap: ".125rem" }}>
      <span class="row wraps">
        <span class="strong">{sentenceOf(of)}</span>
        {of.amount === undefined
          ? null
          : <span>{count(of.amount)}{of.feature_code === undefined ? "" : ` × ${of.feature_code}`}</span>}
        {of.result_class === "success" ? null : <Badge tone="bad">{of.code ?? of.result_class}</Badge>}
      </span>
      {of.reason === undefined ? null : (
        <span class="wrap">
          Why: <bdi>{of.reason}</bdi>
        </span>
      )}
      <span class="small quiet wrap">
        {of.actor_type === "api_key"
          ? <bdi>{keyNameOf(of.actor_id) ?? `Management key ${of.actor_id}`}</bdi>
          : actors[of.actor_type] ?? of.actor_type}

        {of.device_id === undefined ? null : (
          <>
            {" · "}
            {device === undefined ? of.device_id : <bdi title={device.id}>{deviceNameOf(device)}</bdi>}
          </>
        )}
        {of.request_id === undefined ? null : (
          <>
            {" · "}
            <code class="tiny">{of.request_id}</code>
          </>
        )}
      </span>
    </span>
    <span class="small quiet">
      <Time at={of.occurred_at} />
    </span>
  </li>
)

/** What happened to a license, from the log, what was refused among it. */
export const Story = (
  { devices, licenseId, turn }: {
    readonly licenseId: string
    readonly turn: number
    /** Those that are known, to name them. */
    readonly devices: ReadonlyArray<Device>
  }
) => {
  const { query, set } = useFilters()
  const outcome = query["outcome"] ?? ""
  useEffect(() => void nameKeys(), [])
  const pages = usePages<Activity>(
    "activities",
    (client, page, signal) =>
      client.activities.list({
        license_id: licenseId,
        limit: 20,
        ...(outcome === "success" || outcome === "refused" ? { result_class: outcome } : {}),
        ...page
      }, { signal }),
    [licenseId, outcome],
    { turn }
  )
  return (
    <Panel
      title="What happened"
      aside={
        <Choice
          label="Outcome"
          value={outcome}
          options={[["", "All"], ["success", "What was done"], ["refused", "What was refused"]]}
          onChange={(outcome) => set({ outcome })}
        />
      }
      footer={<More of={pages} />}
    >
      <Rows
        of={pages}
        lines={6}
        empty={
          <Empty title="Nothing of this kind happened">
            The story of the last 30 days and before is here as soon as there is one.
          </Empty>
        }
      >
        {(rows) => (
          <ol class="timeline">
            {rows.map((activity) => (
              <Moment
                key={activity.id}
                of={activity}
                device={devices.find(({ id }) => id === activity.device_id)}
              />
            ))}
          </ol>
        )}
      </Rows>
    </Panel>
  )
}
