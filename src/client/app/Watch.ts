import type { Floating } from "./Floating.ts"
import type { Session } from "./Session.ts"

/** The longest sleep: so often a window looks what others have learned. */
const longest = 10 * 60_000
/** The shortest time between two checks, whatever was signed. */
const shortest = 1000
/** The waits between checks that got no answer: the first, and the longest. */
const firstRetry = 30_000
const lastRetry = 15 * 60_000

/**
 * When the next check is due, in Unix milliseconds. `failures` counts the checks since it last granted something,
 * `random` from 0 to below 1 spreads the apps of a vendor.
 */
const nextCheck = (
  now: number,
  nextCheckAt: number | undefined,
  failures: number,
  random: number
): number => {
  if (failures === 0 && nextCheckAt !== undefined) return nextCheckAt + Math.max(0, nextCheckAt - now) * random / 10
  return now + Math.min(lastRetry, firstRetry * 2 ** Math.max(0, failures - 1)) * (0.5 + random / 2)
}

/** Checks while the app runs. Answers what ends it. */
export const watch = (session: Session, floating: Floating, check: () => Promise<unknown>): () => void => {
  const { clock, time } = session
  let failures = 0
  let cancel: (() => void) | undefined
  let isStopped = false

  /** When to ask next; `isDone`: the last check did not fail by itself. */
  const plan = (isDone: boolean) => {
    const { data, standing } = session
    const granted = isDone && standing.state === "active" && session.trouble === undefined
    failures = granted ? 0 : failures + 1
    const signed = Date.parse(String(data?.["next_check_at"]))
    return floating.isHeld && granted
      ? floating.dueAt(Math.random())
      : nextCheck(time.now(), Number.isNaN(signed) ? undefined : signed, failures, Math.random())
  }
  let due = plan(true)

  const sleep = (isDone: boolean) => {
    if (isStopped) return
    // A failed check says nothing of how long the standing lasts.
    const { until = Infinity } = isDone ? session.standing : {}
    // A moment after its end, so that the standing then is another one.
    const ms = Math.min(longest, due - time.now(), until + 1 - time.now())
    cancel = clock.after(
      Math.max(0, ms),
      () => void wake().catch((error: unknown) => session.options.onProblem?.(error))
    )
  }

  const wake = async () => {
    const isDue = time.now() >= due
    let isDone = false
    try {
      await (isDue ? check() : session.sync())
      isDone = true
    } finally {
      if (isDue || !isDone) due = Math.max(plan(isDone), time.now() + shortest)
      sleep(isDone)
    }
  }

  sleep(true)
  return () => {
    isStopped = true
    cancel?.()
  }
}
