import { useEffect } from "preact/hooks"
import type { Activity, Device } from "../../client/api/index.ts"
import { labelOf, titleOf } from "../../client/api/Labels.ts"
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

const sentenceOf = ({ action, result_class }: Activity): string =>
  `${titleOf("action", action)}${result_class === "success" ? "" : `: ${labelOf("result", result_class)}`}`

const toneOf = ({ action, result_class }: Activity): string =>
  result_class !== "success"
    ? "bad"
    : /revoked|suspended|expired|blacklisted/.test(action)
    ? "warn"
    : /created|activated|renewed|reinstated/.test(action)
    ? "good"
    : ""

/** One activity: what, with what outcome, by whom, when, under which request. */
const Moment = ({ device, of }: { readonly of: Activity; readonly device: Device | undefined }) => (
  <li class={toneOf(of)}>
    <span class="stack" style={{ gap: ".125rem" }}>
      <span class="row wraps">
        <span class="strong">{sentenceOf(of)}</span>
        {of.amount === undefined
          ? null
          : <span>{count(of.amount)}{of.feature_code === undefined ? "" : ` × ${of.feature_code}`}</span>}
        {of.result_class === "success"
          ? null
          : <Badge tone="bad">{of.code ?? labelOf("result", of.result_class)}</Badge>}
      </span>
      {of.reason === undefined ? null : (
        <span class="wrap">
          Reason: <bdi>{of.reason}</bdi>
        </span>
      )}
      <span class="small quiet wrap">
        {of.actor_type === "api_key"
          ? <bdi>{keyNameOf(of.actor_id) ?? `API key ${of.actor_id}`}</bdi>
          : labelOf("actor", of.actor_type)}

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

/** The activity of a license, refused requests included. */
export const Story = (
  { devices, licenseId, turn }: {
    readonly licenseId: string
    readonly turn: number
    /** The devices that are loaded, to name them. */
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
      title="Activity"
      aside={
        <Choice
          label="Outcome"
          value={outcome}
          options={[
            ["", "All"],
            ...["success", "refused"].map((result) => [result, titleOf("result", result)] as const)
          ]}
          onChange={(outcome) => set({ outcome })}
        />
      }
      footer={<More of={pages} />}
    >
      <Rows
        of={pages}
        lines={6}
        empty={
          <Empty title="No activity">
            Activity of this license appears here.
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
