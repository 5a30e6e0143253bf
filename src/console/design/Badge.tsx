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
  success: "good",
  grace_period: "warn",
  paused: "warn",
  degraded: "warn",
  retired: "plain",
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
  breaker_open: "bad",
  starting: "accent",
  draining: "warn",
  down: "bad",
  not_ready: "bad"
}

/** Labels that differ from the words of the code, on every page. */
const names: Readonly<Record<string, string>> = { blacklisted: "blocked", breaker_open: "circuit open" }

/** A code as words: `grace_period` as "grace period". */
export const wordsOf = (code: string): string => code.replaceAll(/[_.-]/g, " ")

/** The name of a state. */
export const stateName = (state: string): string => names[state] ?? wordsOf(state)

/** {@link stateName} at the beginning of a line, as in a filter. */
export const stateTitle = (state: string): string => {
  const name = stateName(state)
  return name.charAt(0).toUpperCase() + name.slice(1)
}

/** The state of anything. */
export const State = ({ of }: { readonly of: string }) => <Badge tone={tones[of] ?? "plain"}>{stateName(of)}</Badge>
