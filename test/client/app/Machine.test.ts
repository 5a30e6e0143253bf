import { assert, describe, it } from "@effect/vitest"
import type { AppEvent, AppState, Limits, Reason, Standing, Transition } from "../../../src/client/app/index.ts"
import { appStates, next, reasons, transitions } from "../../../src/client/app/index.ts"

const now = 1_000_000
const problem = { code: "NETWORK_ERROR", message: "The service cannot be reached" }

/** What makes the condition of a row hold, and of no row before it. */
interface Setting {
  readonly limits?: Limits
  readonly event?: AppEvent
  readonly reason?: Reason
}

const past = { validUntil: now - 1, graceUntil: now - 1, offlineUntil: now - 1 }
const settings: Readonly<Record<string, Setting>> = {
  "its `status` is `grace_period`": {
    event: { type: "confirmed", status: "grace_period", limits: { validUntil: now } }
  },
  "the offline envelope is good": {
    limits: { ...past, offlineUntil: now },
    event: { type: "sealed", offlineUntil: now }
  },
  "`valid_until` is not past": { limits: { ...past, validUntil: now, graceUntil: now + 1 } },
  "the vendor's grace is not over": { limits: { ...past, graceUntil: now } },
  "it is a trial": { limits: { ...past, isTrial: true } },
  "the service said so": { reason: "license_expired", limits: { ...past, offlineUntil: now, validUntil: now } },
  "`LICENSE_INACTIVE`, any other detail": {
    event: { type: "refused", error: { code: "LICENSE_INACTIVE", message: "", detail: "new" } }
  },
  "any other code": { event: { type: "refused", error: { code: "NOT_FOUND", message: "" } } }
}

const plain: Readonly<Record<AppEvent["type"], AppEvent>> = {
  confirmed: { type: "confirmed", status: "active", limits: { validUntil: now } },
  sealed: { type: "sealed", offlineUntil: now - 1 },
  refused: { type: "refused", error: problem },
  unreachable: { type: "unreachable", error: problem },
  ticked: { type: "ticked" },
  deactivated: { type: "deactivated" },
  copied: { type: "copied", error: problem },
  damaged: { type: "damaged", error: problem }
}

const settingOf = ({ event, when }: Transition): Setting => {
  const [, code, , detail] = /^`([A-Z_]+)`(, detail `(\w+)`)?$/.exec(when) ?? []
  if (code !== undefined) {
    const error = { code, message: "", ...(detail === undefined ? {} : { detail }) }
    return { event: { type: "refused", error } }
  }
  const setting = when === "" ? {} : settings[when] ?? assert.fail(`no setting for "${when}"`)
  return setting.event?.type === event ? setting : { ...setting, event: plain[event] }
}

/** A reason of a state that the clock may change, and not the service alone. */
const reasonFor = (state: AppState): Reason =>
  state === "expired"
    ? "grace_over"
    : (Object.keys(reasons) as Array<Reason>).find((name) => reasons[name].state === state)!

const cases = transitions.flatMap((transition) => transition.from.map((from) => [from, transition] as const))

describe("the table of the license in an app", () => {
  it.each(cases.map(([from, { event, to, when }], index) => ({ index, from, event, when, to })))(
    "$from, $event ($when): $to",
    ({ from, index, to }) => {
      const transition = cases[index]![1]
      const { event, limits = past, reason = reasonFor(from) } = settingOf(transition)
      const before: Standing = { state: from, reason, limits, error: undefined }
      const after = next(before, event!, now)
      assert.strictEqual(after.reason, to === "same" ? reason : to)
      assert.strictEqual(after.state, reasons[after.reason].state)
      const first = transitions.find((row) =>
        row.event === transition.event && row.from.includes(from) &&
        (row === transition || row.when === transition.when)
      )
      assert.strictEqual(first, transition, "a row that never counts")
    }
  )

  it("has an answer for every state and event, and a reason for every state", () => {
    const missing = appStates.flatMap((state) =>
      Object.keys(plain).filter((event) =>
        !transitions.some((row) => row.event === event && row.when === "" && row.from.includes(state))
      ).map((event) => `${state} ${event}`)
    )
    // What refuses has a last row of its own.
    assert.deepStrictEqual(missing, appStates.map((state) => `${state} refused`))
    assert.sameMembers([...new Set(Object.values(reasons).map(({ state }) => state))], [...appStates])
  })

  it("says until when, and which error led there", () => {
    const standing = next({ state: "active", reason: "confirmed", limits: { validUntil: 1, graceUntil: 9 } }, {
      type: "unreachable",
      error: problem
    }, 5)
    assert.deepInclude(standing, { state: "grace", until: 9, error: problem })
    const over = next(standing, { type: "ticked" }, 10)
    assert.deepInclude(over, { state: "expired", reason: "grace_over", until: undefined, error: problem })
    const refusal = { code: "LICENSE_INACTIVE", message: "", detail: "revoked" }
    const revoked = next(over, { type: "refused", error: refusal }, 11)
    assert.deepInclude(next(revoked, { type: "unreachable", error: problem }, 12), { state: "revoked", error: refusal })
  })

  it("never lets run what the service refused, until it confirms", () => {
    const refusals = transitions.filter(({ event, to }) => event === "refused" && to !== "same")
    for (const { to } of refusals) {
      const reason = to as Reason
      const limits = { validUntil: now, graceUntil: now, offlineUntil: now }
      for (const event of ["unreachable", "ticked"] as const) {
        const { state } = next({ state: reasons[reason].state, reason, limits }, plain[event], now)
        assert.notInclude(["active", "grace", "offline"], state, `${reason}, ${event}`)
      }
    }
  })
})
