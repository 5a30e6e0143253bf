import { assert, describe, it } from "@effect/vitest"
import type { LoadControl, LoadKind } from "../../../../src/domain/ground/admission/LoadControl.ts"
import { makeLoadControl } from "../../../../src/domain/ground/admission/LoadControl.ts"

interface Load {
  readonly kind: LoadKind
  /** Requests a second. */
  readonly rate: number
  /** From this instant until that one, in milliseconds. */
  readonly from: number
  readonly until: number
}

interface Outcome {
  readonly kind: LoadKind
  readonly at: number
  /** How long it took, in milliseconds; undefined for what was shed. */
  readonly took: number | undefined
}

/** A node that answers `capacity` requests a second, first come first served, each in 4 ms at least. */
const simulate = (
  capacity: number,
  loads: ReadonlyArray<Load>,
  until: number,
  watch: (control: LoadControl, now: number) => void = () => {}
) => {
  let now = 0
  const control = makeLoadControl({ room: 1000, target: 200 }, () => 0, now)
  const line: Array<{ readonly kind: LoadKind; readonly at: number }> = []
  const outcomes: Array<Outcome> = []
  const due = loads.map(() => 0)
  let done = 0
  for (; now < until; now++) {
    for (const [index, { from, kind, rate, until }] of loads.entries()) {
      if (now < from || now >= until) continue
      due[index]! += rate / 1000
      for (; due[index]! >= 1; due[index]! -= 1) {
        if (control.admits(kind, now)) {
          control.begin(kind)
          line.push({ kind, at: now })
        } else outcomes.push({ kind, at: now, took: undefined })
      }
    }
    for (done = Math.min(done + capacity / 1000, capacity / 100); done >= 1 && line.length > 0; done -= 1) {
      if (now - line[0]!.at < 4) break
      const { at, kind } = line.shift()!
      control.end(kind, now - at, true, now)
      outcomes.push({ kind, at, took: now - at })
    }
    watch(control, now)
  }
  return { control, outcomes, now }
}

const served = (outcomes: ReadonlyArray<Outcome>) => outcomes.flatMap(({ took }) => took === undefined ? [] : [took])
const shed = (outcomes: ReadonlyArray<Outcome>) => outcomes.filter(({ took }) => took === undefined)
const quantile = (values: ReadonlyArray<number>, share: number) =>
  values.toSorted((a, b) => a - b)[Math.floor((values.length - 1) * share)]!

describe("LoadControl", () => {
  it("sheds nothing below the capacity", () => {
    const { outcomes } = simulate(2500, [{ kind: "question", rate: 2000, from: 0, until: 10_000 }], 10_000)
    assert.lengthOf(shed(outcomes), 0)
  })

  it.each([300, 1000, 2500])(
    "at three times %d/s goodput stays, and p99 of what is served is under a second",
    (capacity) => {
      const load = { kind: "question", rate: 3 * capacity, from: 0, until: 30_000 } as const
      const { outcomes } = simulate(capacity, [load], 30_000)
      // Beyond the first seconds, in which what overload is has to be found out.
      const later = outcomes.filter(({ at }) => at >= 5_000 && at < 25_000)
      assert.isAtLeast(served(later).length, 0.8 * capacity * 20)
      assert.isBelow(quantile(served(later), 0.99), 1_000)
      assert.isAbove(shed(later).length, capacity * 20)
    }
  )

  it("sheds management before it sheds what apps ask", () => {
    const { outcomes } = simulate(1000, [
      { kind: "question", rate: 800, from: 0, until: 20_000 },
      { kind: "management", rate: 2000, from: 0, until: 20_000 }
    ], 20_000)
    const later = outcomes.filter(({ at }) => at >= 5_000)
    const share = (kind: LoadKind) => {
      const all = later.filter((outcome) => outcome.kind === kind)
      return served(all).length / all.length
    }
    assert.isAbove(share("question"), 0.95)
    assert.isBelow(share("management"), 0.3)
    assert.isAbove(share("management"), 0, "somebody must be able to end it")
  })

  it("lets a burst through, and gives room back when the line is gone", () => {
    let room = 0
    const { outcomes } = simulate(
      1000,
      [
        { kind: "management", rate: 3_000, from: 0, until: 300 },
        { kind: "question", rate: 3_000, from: 3_000, until: 8_000 }
      ],
      20_000,
      (control, now) => {
        if (now < 19_999) return
        assert.isTrue(control.admits("management", now))
        room = control.room()
      }
    )
    assert.lengthOf(shed(outcomes.filter(({ at }) => at < 300)), 0)
    assert.strictEqual(room, 1000)
  })

  it("takes nobody's waiting for a lock for a line: others are answered at once beside it", () => {
    const control = makeLoadControl({ room: 1000, target: 200 }, () => 0, 0)
    for (let index = 0; index < 400; index++) control.begin("runtime")
    for (let now = 0; now < 10_000; now += 10) {
      control.begin("question")
      control.end("question", 5, true, now)
      if (now % 100 === 0) {
        control.end("runtime", 8_000, true, now)
        control.begin("runtime")
      }
    }
    assert.strictEqual(control.room(), 1000)
  })

  it("says that it is overloaded when it has shed for a second, and no more when it has not for five", () => {
    const told: Array<readonly [number, boolean]> = []
    simulate(1000, [{ kind: "question", rate: 4000, from: 0, until: 10_000 }], 20_000, (control, now) => {
      const overloaded = control.overloaded(now)
      if (told.at(-1)?.[1] !== overloaded) told.push([now, overloaded])
    })
    assert.deepStrictEqual(told.map(([, overloaded]) => overloaded), [false, true, false])
    assert.isBelow(told[1]![0], 4_000)
    assert.isAbove(told[2]![0], 14_000)
  })

  it("lets in two requests of management during any overload, so that somebody can end it", () => {
    const control = makeLoadControl({ room: 100, target: 200 }, () => 0, 0)
    for (let index = 0; index < 200; index++) control.begin("question")
    assert.isFalse(control.admits("question", 0))
    for (const admitted of [true, true, false]) {
      assert.strictEqual(control.admits("management", 0), admitted)
      if (admitted) control.begin("management")
    }
    control.end("management", 10, true, 1)
    assert.isTrue(control.admits("management", 1))
  })

  it("takes no flood of management alone for overload, as long as apps are let in", () => {
    const control = makeLoadControl({ room: 100, target: 200 }, () => 0, 0)
    /** Lets in as many of a kind as there is room for; answers whether one more is let in. */
    const fill = (kind: LoadKind, upto: number) => {
      while (control.inFlight() < upto && control.admits(kind, 0)) control.begin(kind)
    }
    /** Refuses management for three seconds, and answers whether the node then says that it is overloaded. */
    const refusing = (from: number) => {
      for (let now = from; now <= from + 3_000; now += 50) assert.isFalse(control.admits("management", now))
      return control.overloaded(from + 3_000)
    }
    fill("management", 100)
    assert.isFalse(refusing(0))
    fill("runtime", 149)
    assert.isFalse(refusing(10_000), "one more app is let in")
    fill("runtime", 150)
    assert.isTrue(refusing(20_000))
    assert.isTrue(control.admits("question", 23_000))
  })

  it("sheds when the event loop is late, whatever requests say of themselves", () => {
    const control = makeLoadControl({ room: 1000, target: 200 }, () => 500, 0)
    for (let index = 0; index < 500; index++) control.begin("question")
    for (let now = 0; now < 2_000; now += 100) {
      control.end("question", 10, true, now)
      control.begin("question")
    }
    assert.isBelow(control.room(), 500)
  })

  it("never lets in fewer than 64 at once, unless it is told to", () => {
    const control = makeLoadControl({ room: 1000, target: 200 }, () => 500, 0)
    for (let index = 0; index < 500; index++) control.begin("question")
    for (let now = 0; now < 60_000; now += 100) {
      control.end("question", 900, true, now)
      control.begin("question")
    }
    assert.strictEqual(control.room(), 64)
    assert.strictEqual(makeLoadControl({ room: 5, target: 200 }, () => 0, 0).room(), 5)
  })
})
