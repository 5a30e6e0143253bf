import { Badge } from "../design/Badge.tsx"
import { Button } from "../design/Button.tsx"
import { Id } from "../design/Copy.tsx"
import { Note } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { Facts, Panel } from "../design/Panel.tsx"
import { Time } from "../design/Time.tsx"
import type { Loaded } from "../session/Load.ts"
import { Loading } from "../session/Loading.tsx"
import { forgetCheckpoint } from "./Checkpoint.ts"
import type { CheckpointFound } from "./Checkpoint.ts"

const Found = ({ of, onForget }: { readonly of: CheckpointFound; readonly onForget: () => void }) => {
  if (of === undefined) return <p class="small quiet">Nothing has happened that could be signed yet.</p>
  if ("why" in of) return <Note tone="warn" title="Not verified here">{of.why}</Note>
  if (!of.ok) {
    const isOther = of.fault === "other_log" || of.fault === "unknown_key"
    return (
      <Note tone="bad" title="This browser could not verify it">
        <span>{of.detail}.</span>
        <span>
          {isOther
            ? "If this is another service than the one that was here before, forget what this browser kept of it."
            : "If the log was restored from a backup, compare with the runbook, and forget what this browser kept."}
        </span>
        <span class="row wraps">
          <Button small onClick={onForget}>Forget what was kept</Button>
          <a class="small" href="/docs/guides/events" target="_blank" rel="noreferrer">What is verified</a>
        </span>
      </Note>
    )
  }
  const { checkpoint: { kid, origin, rootHash, size, time }, since } = of
  return (
    <Facts
      of={[
        ["Covers", `${count(size)} events`],
        ["Signed", <Time at={time} />],
        ["With", <Id of={kid} />],
        ["Root", <Id of={rootHash} />],
        ["Log", <bdi title={origin}>{origin}</bdi>],
        [
          "Seen before",
          since === undefined
            ? "nothing, it is the first"
            : since.size === size
            ? "the same one"
            : `${count(since.size)} events, which it continues`
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
    <Panel title="Checkpoint" aside={isVerified ? <Badge tone="good">verified by this browser</Badge> : null}>
      {of.data === undefined && of.error === undefined && !of.isLoading
        ? <Found of={undefined} onForget={onForget} />
        : <Loading of={of} lines={4}>{(found) => <Found of={found} onForget={onForget} />}</Loading>}
    </Panel>
  )
}
