import { Data, Effect, Option } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fs from "node:fs/promises"
import type { Event } from "../../../client/api/index.ts"
import { cursorOf, readOrigin } from "../../../domain/log/EpochPlace.ts"
import { doublingPauses } from "../../../services/ground/platform/Supervised.ts"
import { printNotice, printText } from "../../terminal/Printing.ts"
import { makeProgress } from "../../terminal/Progress.ts"
import { lastLine } from "../ground/LastLine.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"
import { tail } from "./EventsTail.ts"

/** The feed could not be written to the file. The message says why. */
class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly message: string }> {}

/** A service that does not answer is asked for about a minute and a half in total. */
const retries = { maxRetries: 13 }
const pageSize = 200

const restoredMeanwhile = "The log was restored to an earlier state during the export. Run the same command again: " +
  "it starts over and discards the lost events"

/** The latest checkpoint; waits for the first one of a new log. */
const latestCheckpoint = Effect.gen(function*() {
  const { ask } = yield* ServiceApi
  return yield* Effect.retry(ask((client) => client.events.getCheckpoint()), {
    while: (failed) => failed._tag === "Refused" && failed.error.code === "NOT_FOUND",
    schedule: doublingPauses("200 millis", "5 seconds"),
    times: 20
  })
})

/** A page of the feed after an event, in the epoch of the export. */
const pageAfter = Effect.fnUntraced(function*(epoch: number, sequence: number, limit: number) {
  const { ask } = yield* ServiceApi
  // Without a cursor the feed begins with the oldest event that is kept.
  const cursor = sequence === 0 ? {} : { cursor: cursorOf({ epoch, sequence }) }
  const { data, page_info } = yield* Effect.catchTag(
    ask((client) => client.events.list({ order: "asc", limit, ...cursor }).withResponse()),
    "Refused",
    (refused) =>
      Effect.fail(
        refused.error.code === "CURSOR_AHEAD"
          ? new ExportFailed({ message: `${refused.message}\n${restoredMeanwhile}` })
          : refused
      )
  )
  return { events: data, isLast: !page_info.has_more }
})

const parsed = (line: string): Partial<Event> => {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === "object" && value !== null ? value : {}
  } catch {
    return {}
  }
}

const failedOn = (path: string) => (cause: unknown) => new ExportFailed({ message: `${path}: ${String(cause)}` })

/**
 * Writes the feed up to its latest checkpoint to a file, one event on each line, with the checkpoint as the last line.
 * It writes to `<out>.part` first, and resumes from that file after an interruption.
 */
const exportEvents = Effect.fn("exportEvents")(
  function*(input: { readonly out: string }) {
    const part = `${input.out}.part`
    const onFile = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: failedOn(part) })
    const checkpoint = yield* latestCheckpoint
    const file = yield* Effect.acquireRelease(
      onFile(() => Fs.open(part, "a+", 0o600)),
      (file) => Effect.promise(() => file.close())
    )
    const { epoch } = readOrigin(checkpoint.origin)
    const left = yield* onFile(() => lastLine(file))
    const { hash, sequence } = parsed(left?.line ?? "")
    let cursor = 0
    if (sequence !== undefined && sequence <= checkpoint.tree_size) {
      const [same] = (yield* pageAfter(epoch, sequence - 1, 1)).events
      if (same?.hash === hash) cursor = sequence
    }
    if (sequence !== undefined && cursor === 0) {
      yield* printNotice(
        `${part} holds events that ${checkpoint.origin} does not have: it belongs to another log, or to a range that was lost ` +
          "when the log was restored. Starting over"
      )
    }
    yield* onFile(() => file.truncate(cursor === 0 ? 0 : left!.end))
    if (cursor > 0) yield* printNotice(`Continuing after event ${cursor}, where the previous export ended`)

    const progress = yield* makeProgress("Exporting events", checkpoint.tree_size)
    while (cursor < checkpoint.tree_size) {
      progress.reach(cursor)
      const { events, isLast } = yield* pageAfter(epoch, cursor, pageSize)
      const covered = events.filter(({ sequence }) => sequence <= checkpoint.tree_size)
      yield* onFile(() => file.appendFile(covered.map((event) => `${JSON.stringify(event)}\n`).join("")))
      cursor = events.at(-1)?.sequence ?? cursor
      // A feed that ends before its checkpoint is written as it is: the verifier reports what is missing.
      if (isLast) break
    }
    yield* onFile(() => file.appendFile(`${JSON.stringify({ checkpoint })}\n`))
    yield* onFile(() => file.sync())
    yield* onFile(() => Fs.rename(part, input.out))
    progress.erase()
    yield* printText(
      `${input.out}: ${Math.min(cursor, checkpoint.tree_size).toLocaleString("en-US")} events of ${checkpoint.origin}`
    )
  },
  Effect.scoped
)

const flags = {
  url,
  base: Flag.String("base").pipe(
    Flag.optional,
    Flag.withMetavar("address"),
    Flag.withDescription("Former name of --url")
  ),
  token: Flag.Redacted("token").pipe(
    Flag.optional,
    Flag.withDescription("Token with scope event:read; use COUNTERSIGN_TOKEN to keep it out of process lists")
  ),
  out: Flag.String("out").pipe(Flag.withDescription("File to write, one event per line"))
}

/** `countersign events export`: writes the feed to a file that `countersign verify events` checks. */
const exported = Command.make("export", flags, exportEvents).pipe(
  Command.withDescription("Export the event feed and its signed checkpoint to a file"),
  Command.withExamples([{
    command: "countersign events export --url https://licenses.example.com --out events.jsonl",
    description: "Uses the token in COUNTERSIGN_TOKEN"
  }]),
  Command.provide(({ base, token, url }) =>
    ServiceApi.layer({ url: Option.orElse(url, () => base), token: Option.getOrUndefined(token) }, retries)
  )
)

/** `countersign events ...`: the event feed of a service, through its API. */
export const events = Command.make("events").pipe(
  Command.withExamples([{ command: "countersign events tail", description: "Watch events" }]),
  Command.withSubcommands([exported, tail])
)
