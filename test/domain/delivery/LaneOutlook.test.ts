import { assert, it } from "@effect/vitest"
import { lingerMillis, outlookOf } from "../../../src/domain/delivery/LaneState.ts"
import type { LaneOutlook, LaneView } from "../../../src/domain/delivery/LaneState.ts"

const now = 1_000_000

/** A lane with nothing to do. */
const idle: LaneView = { now, isAllowed: true, opensAt: 0, retryAt: undefined, isBusy: false, hasMore: false }

const ends: LaneOutlook = { isWaiting: false, wakeAt: undefined }
const untilTold: LaneOutlook = { isWaiting: true, wakeAt: undefined }
const until = (wakeAt: number): LaneOutlook => ({ isWaiting: true, wakeAt })

const soon = now + lingerMillis
const late = soon + 1

const cases: ReadonlyArray<readonly [what: string, view: Partial<LaneView>, outlook: LaneOutlook]> = [
  ["nothing to do may end", {}, ends],
  ["attempts under way waits for their ends", { isBusy: true }, untilTold],
  ["events waits for a slot of the node", { hasMore: true }, untilTold],
  ["a retry that is due waits for a slot of the node", { retryAt: now }, untilTold],
  ["a retry that is overdue waits for a slot of the node", { retryAt: now - 5 }, untilTold],
  ["a retry that is due soon looks again then", { retryAt: soon }, until(soon)],
  ["a retry that is due late leaves it to the sweep", { retryAt: late }, ends],
  ["a late retry and events looks again when told", { retryAt: late, hasMore: true }, untilTold],
  ["a breaker that opens soon looks again then", { isAllowed: false, opensAt: soon, hasMore: true }, until(soon)],
  ["a breaker that opens late leaves it to the sweep", { isAllowed: false, opensAt: late, hasMore: true }, ends],
  [
    "a breaker that opens late waits for the attempts under way",
    { isAllowed: false, opensAt: late, isBusy: true },
    untilTold
  ],
  ["a breaker whose probe is under way waits for its end", { isAllowed: false, opensAt: now, isBusy: true }, untilTold],
  ["a breaker that opens soon looks at no retry", { isAllowed: false, opensAt: soon, retryAt: now + 1 }, until(soon)]
]

it.each(cases)("a lane with %s", (_, view, outlook) => {
  assert.deepStrictEqual(outlookOf({ ...idle, ...view }), outlook)
})
