import { Context, Effect, Layer } from "effect"
import { Hex } from "effect/encoding"
import type {
  ConsistencyProof,
  InclusionProof,
  LicenseEvents
} from "../../../domain/evidence/transparency/Checkpoint.ts"
import { consistencyRanges, inclusionRanges, writeTlogProof } from "../../../domain/evidence/transparency/MerkleTree.ts"
import type { CursorAhead, CursorBehind } from "../../../domain/ground/wire/Errors.ts"
import { failing, InvalidQuery, NotFound, StateConflict } from "../../../domain/ground/wire/Errors.ts"
import { leafTextOfRow } from "../../../domain/log/LicenseChain.ts"
import { CurrentEnvironment } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { CurrentProducts } from "../../ground/persistence/ProductLimit.ts"
import { readDropped } from "../../log/DroppedEvents.ts"
import { Events } from "../../log/Events.ts"
import { makeMerkleLog } from "../../log/MerkleLog.ts"
import { Checkpoints } from "./Checkpoints.ts"
import { findTreeSize } from "./CheckpointSql.ts"
import { findPlaceOf } from "./EventProofSql.ts"
import { listLeavesAt } from "./LicenseEvidenceSql.ts"

/** Where the proof is to be looked for instead, when a part of the log was dropped. */
const archived = (dropped: number): { readonly detail?: string } =>
  dropped === 0 ? {} : {
    detail: `The events up to ${dropped} are in the archive that the operator keeps: ` +
      "countersign archive verify checks it, and a checkpoint against it."
  }

/** Proofs from the tree over the feed. Each reads a few tiles, whatever the size of the tree. */
export class EventProofs extends Context.Service<EventProofs, {
  /** Proves that an event is in the tree of `size` leaves; by default the tree of the latest checkpoint. */
  readonly inclusion: (
    id: string,
    size: number | undefined
  ) => Effect.Effect<InclusionProof, NotFound | InvalidQuery | StateConflict>
  /** One page of the events of a license, each proven in the first checkpoint of at least `size` events; by default in the latest. */
  readonly ofLicense: (query: {
    readonly license_id: string
    readonly limit: number
    readonly cursor: number | undefined
    readonly size: number | undefined
  }) => Effect.Effect<LicenseEvents, NotFound | CursorAhead | CursorBehind>
  /** Proves that the tree of `to` leaves extends that of `from` leaves; `to` is by default the latest checkpoint. */
  readonly consistency: (
    from: number,
    to: number | undefined
  ) => Effect.Effect<ConsistencyProof, NotFound | InvalidQuery>
}>()("countersign/services/evidence/transparency/EventProofs") {
  static readonly layer = Layer.effect(
    EventProofs,
    Effect.gen(function*() {
      const sql = yield* Database
      const checkpoints = yield* Checkpoints
      const environment = yield* CurrentEnvironment
      const events = yield* Events
      const tree = yield* makeMerkleLog

      /** The text of the leaf at a place. */
      const leafAt = (sequence: number) =>
        Effect.map(listLeavesAt(sql, [sequence]), ([row]) => leafTextOfRow(row!, environment))

      const checkSize = Effect.fnUntraced(function*(name: string, size: number) {
        const [chain] = yield* findTreeSize(sql)
        if (size > chain!.tree_size) {
          return yield* failing(InvalidQuery, `The tree is not that large: ${name} is more than ${chain!.tree_size}.`)
        }
      })

      const inclusion = Effect.fn("EventProofs.inclusion")(function*(id: string, size: number | undefined) {
        const { sequence: dropped } = yield* readDropped(sql)
        const products = yield* CurrentProducts
        const [event] = yield* findPlaceOf(sql, id, products)
        const sequence = Number(event?.sequence ?? 0)
        if (event === undefined || sequence <= dropped) {
          return yield* failing(NotFound, "No event of the feed has this id.", archived(dropped))
        }
        const covering = size === undefined
          ? yield* checkpoints.latest
          : yield* Effect.catchTag(checkpoints.covering(size), "NOT_FOUND", () => Effect.undefined)
        const tree_size = size ?? covering!.tree_size
        if (size !== undefined) {
          yield* checkSize("size", size)
          if (size < sequence) {
            return yield* failing(InvalidQuery, `The event has sequence ${sequence}: a smaller tree does not hold it.`)
          }
        } else if (tree_size < sequence) {
          return yield* failing(StateConflict, "No checkpoint covers this event yet.", {
            detail: "A checkpoint is made about a second after new events."
          })
        }
        const [root, leaf, ...path] = yield* tree.hashes([
          [0, tree_size],
          [sequence - 1, sequence],
          ...inclusionRanges(sequence - 1, tree_size)
        ])
        return {
          event_id: id,
          sequence,
          leaf_index: sequence - 1,
          leaf_hash: Hex.encode(leaf!),
          tree_size,
          root_hash: Hex.encode(root!),
          hashes: path.map((hash) => Hex.encode(hash)),
          ...(covering?.tree_size === tree_size
            ? {
              checkpoint: covering,
              tlog_proof: writeTlogProof({
                leaf: yield* leafAt(sequence),
                index: sequence - 1,
                hashes: path,
                note: covering.note
              })
            }
            : {})
        }
      })

      const consistency = Effect.fn("EventProofs.consistency")(function*(from: number, to: number | undefined) {
        const second = to ?? (yield* checkpoints.latest).tree_size
        yield* checkSize("to", second)
        if (from > second) return yield* failing(InvalidQuery, `from is more than the size ${second} to prove.`)
        const { sequence: dropped } = yield* readDropped(sql)
        if (from < dropped) {
          return yield* failing(NotFound, `The tree of ${from} events cannot be proven here.`, archived(dropped))
        }
        const [first, last, ...path] = yield* tree.hashes([[0, from], [0, second], ...consistencyRanges(from, second)])
        return {
          from,
          to: second,
          from_root_hash: Hex.encode(first!),
          to_root_hash: Hex.encode(last!),
          hashes: path.map((hash) => Hex.encode(hash))
        }
      })

      const ofLicense: EventProofs["Service"]["ofLicense"] = Effect.fn("EventProofs.ofLicense")(
        function*({ size, ...query }) {
          const checkpoint = yield* size === undefined ? checkpoints.latest : checkpoints.covering(size)
          const { items, page_info } = yield* events.list({ ...query, order: "asc" })
          if (items.length === 0 && query.cursor === undefined) {
            return yield* failing(NotFound, "No event of the feed is about this license.")
          }
          const covered = items.filter(({ sequence }) => sequence <= checkpoint.tree_size)
          const ranges = covered.map(({ sequence }) => inclusionRanges(sequence - 1, checkpoint.tree_size))
          const hashes = (yield* tree.hashes(ranges.flat())).map((hash) => Hex.encode(hash))
          let place = 0
          return {
            license_id: query.license_id,
            events: covered.map((event, index) => ({
              event,
              hashes: hashes.slice(place, place += ranges[index]!.length)
            })),
            checkpoint,
            ...(page_info.has_more && covered.length === items.length && page_info.next_cursor !== null
              ? { next_cursor: page_info.next_cursor }
              : {})
          }
        }
      )

      return EventProofs.of({ inclusion, ofLicense, consistency })
    })
  )
}
