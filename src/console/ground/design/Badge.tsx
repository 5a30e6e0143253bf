import { labelOf } from "../../../client/api/Labels.ts"

/** The meaning of a state for the person who reads it. */
export type Tone = "good" | "warn" | "bad" | "accent" | "plain"

/** A state in one word. The word says it, the colour only repeats it. */
export const Badge = ({ children, tone = "plain" }: { readonly children: string; readonly tone?: Tone }) => (
  <span class={`badge ${tone}`}>{children}</span>
)

/** The tones of the states that the service has, whatever they are of. */
const tones: Readonly<Record<string, Tone>> = {
  active: "good",
  ready: "good",
  ok: "good",
  done: "good",
  approved: "good",
  success: "good",
  grace_period: "warn",
  paused: "warn",
  degraded: "warn",
  retired: "plain",
  new: "accent",
  waiting: "warn",
  disputed: "warn",
  refunded: "bad",
  unpaid: "warn",
  invited: "accent",
  removed: "plain",
  pending: "accent",
  queued: "accent",
  running: "accent",
  rendering: "accent",
  suspended: "warn",
  past_due: "warn",
  expired: "bad",
  revoked: "bad",
  blacklisted: "bad",
  disabled: "bad",
  failed: "bad",
  refused: "bad",
  failing: "bad",
  stopped: "warn",
  breaker_open: "bad",
  starting: "accent",
  draining: "warn",
  down: "bad",
  not_ready: "bad"
}

/** The state of anything. */
export const State = ({ of }: { readonly of: string }) => (
  <Badge tone={tones[of] ?? "plain"}>{labelOf("state", of)}</Badge>
)

/** A code such as ACTIVATION_LIMIT_EXCEEDED, which breaks between its words where there is little room. */
export const Code = ({ of }: { readonly of: string }) => (
  <>
    {of.split("_").map((word, at) => (
      <>
        {at === 0 ? null : (
          <>
            _<wbr />
          </>
        )}
        {word}
      </>
    ))}
  </>
)
