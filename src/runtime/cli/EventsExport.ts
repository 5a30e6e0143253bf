import { Data, Effect, Option, Redacted } from "effect"
import { Command, Flag } from "effect/cli"
import * as Fs from "node:fs/promises"
import { cursorOf, readOrigin } from "../../domain/events/EpochPlace.ts"
import type { Checkpoint } from "../../domain/transparency/Checkpoint.ts"
import { Away } from "../terminal/ExitCode.ts"
import { printNotice, printText } from "../terminal/Printing.ts"
import { makeProgress } from "../terminal/Progress.ts"
import { tail } from "./EventsTail.ts"
import { lastLine } from "./LastLine.ts"
import { credentialFor, serviceAddress, url } from "./ServiceApi.ts"

/** The feed could not be written to the file. The message says why. */
class ExportFailed extends Data.TaggedError("ExportFailed")<{ readonly message: string }> {}

/** A temporary failure. `after` is the wait that the service asks for, in milliseconds. */
class Transient extends Data.TaggedError("Transient")<{ readonly message: string; readonly after?: number }> {}

/** Consecutive attempts; the pauses double from 200 ms to 10 s, a minute and a half in total. */
const attempts = 14
const pauses = { first: 200, longest: 10_000 }
/** The timeout of one answer, in milliseconds. */
const answerWithin = 30_000
const pageSize = 200

const restoredMeanwhile = "The log was restored to an earlier state during the export. Run the same command again: " +
  "it starts over and discards the lost events"

/** The part of an event that an export reads. */
interface ExportedEvent {
  readonly sequence: number
  readonly hash: string
}

interface Body {
  readonly data?: unknown
  readonly page_info?: { readonly next_cursor: string; readonly has_more: boolean }
  readonly error?: { readonly code: string; readonly message: string; readonly detail?: string }
}

/** Reads from the API of a service, and retries temporary failures. */
const makeReader = (base: string, token: Redacted.Redacted) => {
  const ask = Effect.fnUntraced(function*(path: string) {
    const response = yield* Effect.tryPromise({
      try: (signal) =>
        fetch(`${base.replace(/\/+$/, "")}${path}`, {
          headers: { authorization: `Bearer ${Redacted.value(token)}`, accept: "application/json" },
          signal: AbortSignal.any([signal, AbortSignal.timeout(answerWithin)])
        }),
      catch: (cause) => new Transient({ message: `${base} does not respond: ${String(cause)}` })
    })
    const body = yield* Effect.tryPromise({
      try: async () => await response.json() as Body,
      catch: () =>
        new Transient({ message: `The response of ${base} has status ${response.status} and no complete JSON body` })
    })
    if (response.ok) return body
    const { code = "", detail, message = "" } = body.error ?? {}
    const text = `${base}${path} answered ${response.status} ${code}: ${message}${
      detail === undefined ? "" : ` ${detail}`
    }`
    const isRestored = code === "CURSOR_AHEAD"
    const after = Number(response.headers.get("retry-after") ?? Number.NaN) * 1000
    // A new log has no checkpoint yet.
    const isTransient = response.status >= 500 || response.status === 429 ||
      path.startsWith("/api/v1/events/checkpoint")
    return yield* response.status !== 401 && response.status !== 403 && isTransient
      ? new Transient({ message: text, ...(Number.isFinite(after) ? { after } : {}) })
      : new ExportFailed({ message: isRestored ? `${text}\n${restoredMeanwhile}` : text })
  })

  return Effect.fnUntraced(function*(path: string) {
    for (let attempt = 1;; attempt++) {
      const answer = yield* ask(path).pipe(Effect.catchTag("Transient", (failed) => Effect.succeed(failed)))
      if (!(answer instanceof Transient)) return answer
      if (attempt === attempts) return yield* new Away({ message: answer.message })
      yield* Effect.sleep(answer.after ?? Math.min(pauses.first * 2 ** (attempt - 1), pauses.longest))
    }
  })
}

const parsed = (line: string): Partial<ExportedEvent> => {
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
  function*(input: {
    readonly url: Option.Option<string>
    readonly base: Option.Option<string>
    readonly token: Option.Option<Redacted.Redacted>
    readonly out: string
  }) {
    const address = yield* serviceAddress({ url: Option.orElse(input.url, () => input.base) })
    const read = makeReader(
      address,
      Option.getOrUndefined(input.token) ?? (yield* credentialFor(address)).token
    )
    const part = `${input.out}.part`
    const onFile = <A>(work: () => Promise<A>) => Effect.tryPromise({ try: work, catch: failedOn(part) })
    const checkpoint = (yield* read("/api/v1/events/checkpoint")).data as Checkpoint
    const file = yield* Effect.acquireRelease(
      onFile(() => Fs.open(part, "a+", 0o600)),
      (file) => Effect.promise(() => file.close())
    )
    const { epoch } = readOrigin(checkpoint.origin)
    const pageAfter = Effect.fnUntraced(function*(sequence: number, limit: number) {
      // Without a cursor the feed begins with the oldest event that is kept.
      const cursor = sequence === 0 ? "" : `&cursor=${cursorOf({ epoch, sequence })}`
      const { data, page_info } = yield* read(`/api/v1/events?order=asc&limit=${limit}${cursor}`)
      return { events: data as ReadonlyArray<ExportedEvent>, isLast: page_info?.has_more !== true }
    })

    const left = yield* onFile(() => lastLine(file))
    const { hash, sequence } = parsed(left?.line ?? "")
    let cursor = 0
    if (sequence !== undefined && sequence <= checkpoint.tree_size) {
      const [same] = (yield* pageAfter(sequence - 1, 1)).events
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
      const { events, isLast } = yield* pageAfter(cursor, pageSize)
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
  }])
)

/** `countersign events ...`: the event feed of a service, through its API. */
export const events = Command.make("events").pipe(
  Command.withDescription("The event feed"),
  Command.withExamples([{ command: "countersign events tail", description: "Watch events" }]),
  Command.withSubcommands([exported, tail])
)
