import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import type { Continuity } from "../../../../src/domain/evidence/transparency/Continuity.ts"
import type { RestoredLog } from "../../../../src/domain/evidence/transparency/NewEpoch.ts"
import { newEpoch } from "../../../../src/domain/evidence/transparency/NewEpoch.ts"

const compared = {
  kept: { origin: "log/events/1", size: 40, root: new Uint8Array(32) },
  keptEpoch: 1,
  epoch: 1,
  size: 50,
  log: "log/events/1"
}

const witness = (state: Continuity["state"], keptEpoch = 1): RestoredLog["witnessed"] => ({
  by: "memory",
  continuity: state === "unreadable" ? { state } : { ...compared, keptEpoch, state }
})

const log: RestoredLog = {
  witnessed: undefined,
  starts: [],
  last: 50,
  dropped: 0,
  after: undefined,
  least: undefined
}

/** The second epoch, which began with event 51 after the backup that ended with event 42. */
const second = [{ epoch: 2, first_sequence: 51, restored_sequence: 42 }]

describe("a restored log", () => {
  it.each<[string, Partial<RestoredLog>, number, number]>([
    ["without a witness", {}, 2, 50],
    ["that is behind its witness", { witnessed: witness("behind") }, 2, 50],
    ["that was forked, after the event that is named", { witnessed: witness("forked"), after: 30 }, 2, 30],
    [
      "that continues its witness, after the event that is named",
      { witnessed: witness("continues"), after: 50 },
      2,
      50
    ],
    ["whose witness was dropped", { witnessed: witness("dropped") }, 2, 50],
    ["that its witness knew in a later epoch", { witnessed: witness("behind", 7) }, 8, 50],
    ["of which an epoch at least is asked for", { least: 9 }, 9, 50],
    ["that is in a later epoch than the one that is asked for", { starts: second, last: 60, least: 2 }, 3, 60],
    ["whose epoch has run since", { starts: second, last: 52 }, 3, 52],
    ["whose epoch began after another backup", { starts: second, last: 51, after: 51 }, 3, 51],
    ["at the event that was dropped last", { dropped: 32, after: 32 }, 2, 32]
  ])("%s begins a new epoch", (_, given, epoch, restored) => {
    assert.deepStrictEqual(newEpoch({ ...log, ...given }), Result.succeed({ epoch, restored }))
  })

  it.each<[string, Partial<RestoredLog>, RegExp]>([
    ["whose epoch has just begun", { starts: second, last: 51 }, /^Epoch 2 has begun, with event 51\./],
    ["whose epoch has just begun after that event", { starts: second, last: 51, after: 42 }, /^Epoch 2 has begun/],
    [
      "whose new epoch its witness does not know",
      { starts: second, last: 70, witnessed: witness("superseded") },
      /^Epoch 2/
    ],
    ["that continues its witness", { witnessed: witness("continues") }, /^The log continues what the witness memory/]
  ])("%s needs no new epoch", (_, given, words) => {
    const decided = newEpoch({ ...log, ...given })
    if (Result.isFailure(decided) || !("unneeded" in decided.success)) return assert.fail("an epoch begins")
    assert.match(decided.success.unneeded, words)
  })

  it.each<[string, Partial<RestoredLog>, RegExp]>([
    ["whose witness is of another log", { witnessed: witness("other_log") }, /another database/],
    ["whose witness is unreadable", { witnessed: witness("unreadable") }, /does not hold a checkpoint/],
    ["that was forked, without the event", { witnessed: witness("forked") }, /--after <sequence>/],
    ["after an event beyond its end", { after: 51 }, /^--after 51 .* from 0 to 50$/],
    ["after an event that was dropped", { dropped: 32, after: 31 }, /from 32 to 50$/],
    ["after an event before its epoch", { starts: second, last: 60, after: 50 }, /of epoch 2, .* from 51 to 60$/]
  ])("%s is refused", (_, given, words) => {
    const decided = newEpoch({ ...log, ...given })
    if (Result.isSuccess(decided)) return assert.fail("it is not refused")
    assert.match(decided.failure, words)
  })
})
