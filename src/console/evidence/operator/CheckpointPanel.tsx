import { Badge } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Id } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { Time } from "../../ground/design/Time.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { forgetCheckpoint } from "./Checkpoint.ts"
import type { CheckpointFound } from "./Checkpoint.ts"

const Found = ({ of, onForget }: { readonly of: CheckpointFound; readonly onForget: () => void }) => {
  if (of === undefined) return <p class="small quiet">No checkpoint yet: the event log is empty.</p>
  if ("why" in of) return <Note tone="warn" title="Not verified">{of.why}</Note>
  if (!of.ok) {
    const isOther = of.fault === "other_log" || of.fault === "unknown_key"
    return (
      <Note tone="bad" title="Checkpoint verification failed">
        <span>{of.detail}.</span>
        <span>
          {isOther
            ? "If a different service now uses this URL, clear the stored checkpoint."
            : "If the log was restored from a backup, follow the runbook, then clear the stored checkpoint."}
        </span>
        <span class="row wraps">
          <Button small onClick={onForget}>Clear stored checkpoint</Button>
          <a class="small" href="/docs/guides/events" target="_blank" rel="noreferrer">Verification details</a>
        </span>
      </Note>
    )
  }
  const { checkpoint: { kid, origin, rootHash, size, time }, cosignedSize, since } = of
  return (
    <Facts
      of={[
        ["Covers", `${count(size)} events`],
        ["Signed", <Time at={time} />],
        ...(cosignedSize === undefined ? [] : [["Cosigned", `${count(cosignedSize)} events`] as const]),
        ["Key", <Id of={kid} />],
        ["Root", <Id of={rootHash} />],
        ["Log", <bdi title={origin}>{origin}</bdi>],
        [
          "Last verified",
          since === undefined
            ? "none"
            : since.size === size
            ? "the same checkpoint"
            : `${count(since.size)} events; consistent`
        ]
      ]}
    />
  )
}

/** The latest checkpoint of the log, and whether this browser could verify it. */
export const CheckpointPanel = ({ of }: { readonly of: Loaded<CheckpointFound> }) => {
  const onForget = () => {
    forgetCheckpoint()
    of.reload()
  }
  const isVerified = of.data !== undefined && "ok" in of.data && of.data.ok
  return (
    <Panel title="Checkpoint" aside={isVerified ? <Badge tone="good">verified in this browser</Badge> : null}>
      {of.data === undefined && of.error === undefined && !of.isLoading
        ? <Found of={undefined} onForget={onForget} />
        : <Loading of={of} lines={4}>{(found) => <Found of={found} onForget={onForget} />}</Loading>}
    </Panel>
  )
}
