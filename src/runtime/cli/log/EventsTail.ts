import { Effect, Option, Stream } from "effect"
import { Command, Flag } from "effect/cli"
import type { Event } from "../../../client/api/index.ts"
import { givenReason } from "../../../domain/log/GivenReason.ts"
import { WrongUsage } from "../../terminal/ExitCode.ts"
import { printJsonLine, printText } from "../../terminal/Printing.ts"
import { ServiceApi, url } from "../ground/ServiceApi.ts"
import type { Placed } from "./EventFeed.ts"
import { backlog, followed, from, isWanted, kindsOf, newest } from "./EventFeed.ts"

/** An event in the format of CloudEvents 1.0, which meters and event buses of others read. */
interface CloudEvent {
  readonly specversion: "1.0"
  readonly id: string
  readonly source: string
  readonly type: string
  readonly subject?: string
  readonly time: string
  readonly datacontenttype: "application/json"
  /** An extension attribute: the cursor to go on from. Those of CloudEvents have no numbers beyond 32 bits. */
  readonly cursor: string
  readonly data: Event["data"]
}

/** The time of a use that a backend reported; other events have none beside their own. */
const usedAt = ({ data, event_type }: Event): string | undefined =>
  event_type === "license.usage_recorded" && "used_at" in data && typeof data.used_at === "string"
    ? data.used_at
    : undefined

/** An event of the feed as a CloudEvent. `source` and `id` name it once and for all, so that a meter counts it once. */
const cloudEventOf = (event: Event, cursor: number): CloudEvent => ({
  specversion: "1.0",
  id: event.id,
  source: `urn:countersign:${event.environment ?? "live"}`,
  type: event.event_type,
  ...(event.resource_id == null ? {} : { subject: event.resource_id }),
  time: usedAt(event) ?? event.created_at,
  datacontenttype: "application/json",
  cursor: String(cursor),
  data: event.data
})

const lineOf = ({ cursor, event }: Placed): string => {
  const why = givenReason(event.metadata)
  return [
    String(cursor).padStart(8),
    event.created_at,
    event.event_type.padEnd(28),
    event.resource_id ?? "",
    `by ${event.actor_type} ${event.actor_id}`,
    ...(why === undefined ? [] : [`why: ${why}`])
  ].join("  ")
}

const flags = {
  from,
  kind: Flag.String("kind").pipe(
    Flag.withMetavar("kinds"),
    Flag.withDescription("Only events of these kinds or families, license.suspended,webhook.*"),
    Flag.withDefault("")
  ),
  last: Flag.Int("last").pipe(
    Flag.withDescription("Without --from: start with this many of the newest events, up to 200"),
    Flag.withDefault(10)
  ),
  follow: Flag.Boolean("follow").pipe(
    Flag.withDescription("Wait for new events until interrupted (default on a terminal), or --no-follow"),
    Flag.optional
  ),
  json: Flag.Boolean("json").pipe(
    Flag.withDescription("Print one JSON object per line: the event and its cursor"),
    Flag.withDefault(false)
  ),
  cloudEvents: Flag.Boolean("cloudevents").pipe(
    Flag.withDescription("Print one CloudEvent (CloudEvents 1.0) per line, as meters and event buses read them"),
    Flag.withDefault(false)
  ),
  url
}

/** `countersign events tail`: the feed as it grows. */
export const tail = Command.make("tail", flags, (input) =>
  Effect.gen(function*() {
    const wanted = yield* kindsOf(input.kind)
    if (input.last < 0 || input.last > 200) {
      return yield* new WrongUsage({ message: `--last must be a number from 0 to 200, not ${input.last}` })
    }
    const isFollowing = Option.getOrElse(input.follow, () => process.stdout.isTTY === true)
    const show = (placed: Placed) =>
      input.cloudEvents
        ? printJsonLine(cloudEventOf(placed.event, placed.cursor))
        : input.json
        ? printJsonLine({ ...placed.event, cursor: placed.cursor })
        : printText(lineOf(placed))
    // Loaded even if a cursor is given: a service that cannot be reached is reported at once.
    const { end, events } = yield* newest(wanted, input.last)
    if (Option.isNone(input.from)) yield* Effect.forEach(events, show, { discard: true })
    const begin = Option.getOrElse(input.from, () => end)
    if (!isFollowing && Option.isNone(input.from)) return
    yield* (isFollowing ? followed(begin, wanted) : backlog(begin)).pipe(
      Stream.filter(isWanted(wanted)),
      Stream.runForEach(show)
    )
  })).pipe(
    Command.withDescription("Print events as they happen; continues after a service restart"),
    Command.withExamples([
      { command: "countersign events tail", description: "The last ten events, then new ones" },
      {
        command: "countersign events tail --kind 'license.*' --json",
        description: "License events, one JSON object per line"
      },
      { command: "countersign events tail --from 0 --no-follow", description: "The whole feed, then exit" }
    ]),
    Command.provide((input) => ServiceApi.layer(input))
  )
