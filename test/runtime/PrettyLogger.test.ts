import { assert, describe, it } from "@effect/vitest"
import { Cause, Console, Effect, Logger } from "effect"
import { prettyLogger } from "../../src/runtime/LogFlood.ts"

const evil = "host\u001b]52;c;ZXZpbA==\u0007\r\u202e\u009b2J"

/** What a logger without colors writes. */
const written = (log: Effect.Effect<void>, isColored = false): Promise<string> => {
  let text = ""
  const captured: Console.Console = Object.assign(Object.create(console), {
    log: (line: string) => (text += `${line}\n`)
  })
  return Effect.runPromise(
    log.pipe(
      Effect.provideService(Console.Console, captured),
      Effect.provide(Logger.layer([prettyLogger(" process 2", isColored)])),
      Effect.map(() => text)
    )
  )
}

// oxlint-disable-next-line no-control-regex
const obeyed = /[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202a-\u202e]/

describe("the log for people", () => {
  it("says when, how urgent and what on one line, and below it the rest", async () => {
    const text = await written(Effect.logWarning("It is late").pipe(Effect.annotateLogs({ endpoint: "whk_1" })))
    assert.match(text, /^\[\d\d:\d\d:\d\d process 2\] WARN: It is late\n  endpoint: whk_1\n$/)
  })

  it("shows what strangers wrote, in messages, annotations and causes, and obeys none of it", async () => {
    const text = await written(
      Effect.logError(evil, { nested: evil }, Cause.fail(new Error(evil))).pipe(Effect.annotateLogs({ [evil]: evil }))
    )
    assert.notMatch(text, obeyed)
    assert.include(text, "host[U+001B]]52;c;ZXZpbA==[U+0007]")
  })

  it("has no escape but its own colors on a terminal", async () => {
    const text = await written(Effect.logInfo(evil), true)
    // oxlint-disable-next-line no-control-regex
    assert.notMatch(text.replaceAll(/\u001b\[(?:0|1|2|31|33|36)m/g, ""), obeyed)
  })
})
