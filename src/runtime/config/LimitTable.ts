import { defaultDoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import type { DoorLimits } from "../../domain/ground/admission/DoorLimits.ts"
import { setting } from "./Setting.ts"
import type { Setting } from "./Setting.ts"
import { wholeNumber } from "./SettingParsers.ts"

/** A setting that is a whole number. */
const whole = (
  name: string,
  byDefault: number,
  [least, most]: readonly [least: number, most: number],
  meaning: string
): Setting<number, number> =>
  setting({
    name: `COUNTERSIGN_LIMIT_${name}`,
    default: byDefault,
    meaning,
    example: String(byDefault),
    parse: wholeNumber("whole number", least, most)
  })

/** The limits on callers before they are authenticated, in the order of `--help`. */
export const doorTable = {
  connections: whole(
    "CONNECTIONS",
    defaultDoorLimits.connections,
    [1, 1_000_000],
    "Connections open at once; more are closed."
  ),
  connectionsPerAddress: whole(
    "CONNECTIONS_PER_ADDRESS",
    defaultDoorLimits.connectionsPerAddress,
    [1, 1_000_000],
    "Connections open at once from one address (IPv6: one /64). Trusted proxies have no such limit."
  ),
  inFlight: whole(
    "IN_FLIGHT",
    defaultDoorLimits.inFlight,
    [1, 100_000],
    "Management requests in progress at once. Apps may add half as many, validate and check as many again."
  ),
  delayMillis: whole(
    "DELAY_MS",
    defaultDoorLimits.delayMillis,
    [10, 60_000],
    "How long requests may queue, in milliseconds, before load is shed: management first, validate last."
  ),
  arrivalSeconds: whole(
    "ARRIVAL_SECONDS",
    defaultDoorLimits.arrivalSeconds,
    [1, 300],
    "How long the headers of a request may take to arrive, and after them its body, in seconds."
  ),
  bodyRate: whole(
    "BODY_RATE",
    defaultDoorLimits.bodyRate,
    [1, 10_000_000],
    "How fast a body must arrive, in bytes a second, once it has been under way for half of that time."
  ),
  stallSeconds: whole(
    "STALL_SECONDS",
    defaultDoorLimits.stallSeconds,
    [1, 3600],
    "How long a client may read nothing of its response before the connection is closed, in seconds."
  ),
  largeAnswers: whole(
    "LARGE_ANSWERS",
    defaultDoorLimits.largeAnswers,
    [1, 100_000],
    "Large responses at once: downloads of exports, and documents that are sent in parts."
  ),
  largeAnswersPerAddress: whole(
    "LARGE_ANSWERS_PER_ADDRESS",
    defaultDoorLimits.largeAnswersPerAddress,
    [1, 100_000],
    "The same for one address (IPv6: one /64): the client's address, if a trusted proxy forwards it."
  )
} satisfies { readonly [Name in keyof DoorLimits]: Setting<number, number> }
