import { Hex } from "effect/encoding"
import type { CheckpointBody } from "./MerkleTree.ts"

/** A kept checkpoint, and this log beside it. */
interface Compared {
  readonly kept: CheckpointBody
  /** The epoch of the kept checkpoint. */
  readonly keptEpoch: number
  readonly epoch: number
  /** The number of events in this log's tree. */
  readonly size: number
  readonly log: string
}

/**
 * How a log relates to a checkpoint of it that was kept.
 * - `continues`: the log begins with what was signed
 * - `superseded`: the checkpoint is of an ended epoch, or of the lost part of one, and a new epoch has begun since
 * - `behind`: signed events are missing, or the log is in an earlier epoch: it was restored
 * - `forked`: the log has other events than those signed: it was restored and has been written to since
 * - `dropped`: the checkpoint covers only events that were archived and dropped since, so it cannot be compared here
 * - `other_log`: the checkpoint is of another log
 * - `unreadable`: the kept text is not a checkpoint
 */
export type Continuity =
  | { readonly state: "unreadable" }
  | Compared & { readonly state: "continues" | "superseded" | "behind" | "forked" | "dropped" | "other_log" }

const counted = (count: number, noun: string) => `${count.toLocaleString("en-US")} ${noun}${count === 1 ? "" : "s"}`

/** Describes a discontinuity for the operator; undefined when the log continues properly. `witness` names the place. */
export const discontinuity = (continuity: Continuity, witness: string): string | undefined => {
  if (continuity.state === "continues" || continuity.state === "superseded") return undefined
  if (continuity.state === "unreadable") {
    return `The witness ${witness} does not hold a checkpoint. Put the right file there, or name another in ` +
      "COUNTERSIGN_WITNESS."
  }
  const { epoch, kept, keptEpoch, log, size } = continuity
  if (continuity.state === "other_log") {
    return `The witness ${witness} keeps a checkpoint of ${kept.origin}, and this log is ${log}: this is another ` +
      "database, or the witness of another service. Name the right one in COUNTERSIGN_WITNESS or DATABASE_URL."
  }
  if (continuity.state === "dropped") {
    return `The witness ${witness} keeps a checkpoint of ${counted(kept.size, "event")}, which were archived and ` +
      "dropped since: it is older than the one it kept then. Compare it with the archive (countersign archive verify " +
      "--checkpoint), and remove it."
  }
  const found = [
    `The log does not continue what its witness keeps:`,
    `  ${witness}: epoch ${keptEpoch}, ${counted(kept.size, "event")}, root ${Hex.encode(kept.root)}`,
    `  this database: epoch ${epoch}, ${counted(size, "event")}`
  ]
  const means = continuity.state === "forked"
    ? [
      `The first ${
        counted(kept.size, "event")
      } here are not those that were signed: the database was restored from an ` +
      "older backup, and the service has run on it since.",
      "To continue with it, say after which event the backup ended: countersign restore --new-epoch --after <sequence>"
    ]
    : [
      "The database was restored from an older backup" + (kept.size > size
        ? `: the events from ${
          size + 1
        } to ${kept.size} are not in it, and continuing would give their sequences twice.`
        : "."),
      "If that is meant, continue with: countersign restore --new-epoch",
      "Otherwise connect the right database, and start again."
    ]
  return [...found, ...means].join("\n")
}
