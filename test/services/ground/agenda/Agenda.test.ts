import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber } from "effect"
import { Statement } from "effect/sql"
import { TestClock } from "effect/testing"
import { makeAgenda } from "../../../../src/services/ground/agenda/Agenda.ts"
import type { Work } from "../../../../src/services/ground/agenda/Agenda.ts"
import type { DueRow } from "../../../../src/services/ground/agenda/AgendaSql.ts"
import { Announcements, makeAnnouncements, topics } from "../../../../src/services/ground/agenda/Announcements.ts"
import { EarlyRounds, makeEarlyRounds } from "../../../../src/services/ground/platform/Supervised.ts"

/** An agenda of mails whose rows a test sets, and what was done by it. */
const agendaOf = (own: Partial<Work<unknown, never>> = {}) =>
  Effect.gen(function*() {
    const announcements = makeAnnouncements()
    const moves = makeEarlyRounds()
    const done = { looks: 0, readings: 0 }
    let due: () => number | null = () => null
    /** How long the next reading takes after it has seen the rows, in milliseconds; "never": it fails. */
    let next: number | "never" = 0
    const agenda = yield* makeAgenda((work) =>
      Effect.suspend(() => {
        done.readings += 1
        const rows = work.map(({ topic }): DueRow => ({ topic, millis: due() }))
        const taking = next
        next = 0
        if (taking === "never") return Effect.die(new Error("the database is away"))
        return taking === 0 ? Effect.succeed(rows) : Effect.delay(Effect.succeed(rows), taking)
      })
    ).pipe(Effect.provideService(Announcements, announcements), Effect.provideService(EarlyRounds, moves))
    const following = yield* Effect.forkChild(
      agenda.follow<unknown, never>({
        name: "Counting",
        topic: "mails",
        due: () => Statement.fragment([]),
        look: Effect.sync(() => ++done.looks),
        rest: 100,
        retry: 2_000,
        ...own
      }).pipe(Effect.provideService(EarlyRounds, moves))
    )
    yield* TestClock.adjust("200 millis")
    return {
      announce: announcements.announce("mails"),
      announcements,
      done,
      following,
      moves,
      /** The next reading takes so many milliseconds after it has seen the rows, or fails. */
      delayReading: (taking: number | "never") => {
        next = taking
      },
      /** Rows say from now on that work is due after so many milliseconds; null: none is. */
      setDue: (millis: number | null) =>
        Effect.clockWith((clock) =>
          Effect.sync(() => {
            const at = clock.currentTimeMillisUnsafe() + (millis ?? 0)
            due = () => millis === null ? null : at - clock.currentTimeMillisUnsafe()
          })
        )
    }
  })

describe("the agenda", () => {
  it.effect("looks at once, and then at nothing while nothing is announced or due", () =>
    Effect.gen(function*() {
      const { done } = yield* agendaOf()
      yield* TestClock.adjust("4 minutes")
      assert.deepStrictEqual([done.looks, done.readings], [1, 1 + 8])
    }))

  it.effect("looks at what is announced at once", () =>
    Effect.gen(function*() {
      const { announce, done } = yield* agendaOf()
      yield* announce
      yield* TestClock.adjust(0)
      assert.strictEqual(done.looks, 2)
    }))

  it.effect("looks once at what is announced twice, and once more at what is announced during a look", () =>
    Effect.gen(function*() {
      let looks = 0
      const { announce } = yield* agendaOf({
        look: Effect.suspend(() => {
          looks += 1
          return Effect.sleep("1 second")
        })
      })
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(looks, 1)
      yield* announce
      yield* announce
      yield* TestClock.adjust("500 millis")
      assert.strictEqual(looks, 2)
      yield* announce
      yield* announce
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(looks, 3)
    }))

  it.effect("rests between two looks, however often work is announced", () =>
    Effect.gen(function*() {
      const { announce, done } = yield* agendaOf({ rest: "1 second" })
      yield* TestClock.adjust("2 seconds")
      for (let step = 0; step < 100; step++) {
        yield* announce
        yield* TestClock.adjust("50 millis")
      }
      assert.isAtMost(done.looks, 1 + 6)
      assert.isAtLeast(done.looks, 1 + 5)
    }))

  it.effect("looks when the time of a row comes, which a look has read", () =>
    Effect.gen(function*() {
      const { announce, done, setDue } = yield* agendaOf()
      yield* setDue(20_000)
      yield* announce
      yield* TestClock.adjust("19 seconds")
      assert.strictEqual(done.looks, 2)
      yield* setDue(null)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(done.looks, 3)
    }))

  it.effect("looks within half a minute at what nobody announced, and at its time at what is due later", () =>
    Effect.gen(function*() {
      const { done, setDue } = yield* agendaOf()
      yield* setDue(-5_000)
      yield* TestClock.adjust("30 seconds")
      yield* setDue(40_000)
      yield* TestClock.adjust("2 seconds")
      assert.isAtLeast(done.looks, 2)
      const before = done.looks
      yield* TestClock.adjust("37 seconds")
      assert.strictEqual(done.looks, before)
      yield* setDue(null)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(done.looks, before + 1)
    }))

  it.effect("looks each second at what a look leaves due, and no more once nothing is", () =>
    Effect.gen(function*() {
      const { announce, done, setDue } = yield* agendaOf()
      yield* setDue(-1)
      yield* announce
      yield* TestClock.adjust("5500 millis")
      assert.isAtLeast(done.looks, 1 + 5)
      assert.isAtMost(done.looks, 1 + 6)
      yield* setDue(null)
      yield* TestClock.adjust("2 seconds")
      const before = done.looks
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(done.looks, before)
    }))

  it.effect("looks each second while a look leaves what no row tells", () =>
    Effect.gen(function*() {
      let isLeft = true
      const { done } = yield* agendaOf({ isLeft: () => isLeft })
      yield* TestClock.adjust("5 seconds")
      assert.isAtLeast(done.looks, 5)
      isLeft = false
      yield* TestClock.adjust("2 seconds")
      const before = done.looks
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(done.looks, before)
    }))

  it.effect("looks at what a look leaves, also where a reading finds no row of it meanwhile", () =>
    Effect.gen(function*() {
      let isLeft = false
      const { announce, done } = yield* agendaOf({ isLeft: () => isLeft })
      // The look ends in the second before the reading of half a minute.
      yield* TestClock.adjust("29 seconds")
      isLeft = true
      yield* announce
      yield* TestClock.adjust("999 millis")
      assert.deepStrictEqual([done.looks, done.readings], [2, 1 + 1 + 1])
      isLeft = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(done.looks, 3)
    }))

  it.effect("keeps the time that a look has read, whatever an older reading says that ends later", () =>
    Effect.gen(function*() {
      const { announce, delayReading, done, setDue } = yield* agendaOf()
      delayReading(2_000)
      yield* TestClock.adjust("30 seconds")
      yield* setDue(10_000)
      yield* announce
      yield* TestClock.adjust("9 seconds")
      assert.strictEqual(done.looks, 2)
      yield* setDue(null)
      yield* TestClock.adjust("2 seconds")
      assert.strictEqual(done.looks, 3)
    }))

  it.effect("looks at all work where it cannot be read what is due", () =>
    Effect.gen(function*() {
      const { delayReading, done } = yield* agendaOf()
      delayReading("never")
      yield* TestClock.adjust("30 seconds")
      assert.strictEqual(done.looks, 2)
    }))

  it.effect("looks at once when the clock is moved", () =>
    Effect.gen(function*() {
      const { done, moves } = yield* agendaOf({ rest: "10 seconds" })
      moves.call()
      yield* TestClock.adjust(0)
      assert.strictEqual(done.looks, 2)
    }))

  it.effect("makes a look again that failed, after its pause, without an announcement", () =>
    Effect.gen(function*() {
      let tries = 0
      yield* agendaOf({
        look: Effect.suspend(() => ++tries < 3 ? Effect.die(new Error("the database is away")) : Effect.void)
      })
      assert.strictEqual(tries, 1)
      yield* TestClock.adjust("4 seconds")
      assert.strictEqual(tries, 3)
      yield* TestClock.adjust("20 seconds")
      assert.strictEqual(tries, 3)
    }))

  it.effect("looks at all work every five minutes, whatever rows say", () =>
    Effect.gen(function*() {
      const { done } = yield* agendaOf()
      yield* TestClock.adjust("15 minutes")
      assert.strictEqual(done.looks, 1 + 3)
    }))

  it.effect("reads nothing of work that nobody here does any more", () =>
    Effect.gen(function*() {
      const { done, following } = yield* agendaOf()
      yield* Fiber.interrupt(following)
      const before = done.readings
      yield* TestClock.adjust("10 minutes")
      assert.deepStrictEqual([done.looks, done.readings], [1, before])
    }))
})

describe("announcements", () => {
  it.effect("are told to other nodes once, and those of other nodes are not told again", () =>
    Effect.gen(function*() {
      const { announce, hear, of, takeUntold } = makeAnnouncements()
      yield* announce("mails")
      yield* announce("jobs")
      yield* announce("mails")
      assert.deepStrictEqual(yield* takeUntold, ["mails", "jobs"])
      yield* hear(topics)
      const waiting = yield* Effect.forkChild(takeUntold)
      yield* TestClock.adjust("1 minute")
      assert.isUndefined(waiting.pollUnsafe())
      assert.deepStrictEqual([of("mails").count(), of("exports").count()], [3, 1])
    }))
})
