import { Context, Effect, Latch, Layer } from "effect"
import type { EventKind } from "../../domain/log/EventKind.ts"
import type { Personal } from "../../domain/log/EventLeaf.ts"

/** An event of the feed as its deliveries need it: a hot row, which is cast. */
export interface FeedRow {
  readonly sequence: bigint
  readonly id: string
  readonly event_type: EventKind
  readonly data: string
  readonly personal: Personal | null
  readonly created_at: Date
  readonly traceparent: string | null
}

/** The most that is kept of what was placed, in rows and in characters of their data. Readers have it in a moment. */
const keptRows = 1000
const keptCharacters = 1024 * 1024

/**
 * Tells this process that the feed has grown. It is only a hint: its readers also poll, so a lost hint costs time and
 * never an event. The sequencer of this node adds the rows that it had in hand, which then need not be read again.
 */
export class FeedSignal extends Context.Service<FeedSignal, {
  /** The highest sequence announced so far. */
  readonly head: Effect.Effect<number>
  /**
   * Announces that the feed reaches up to `sequence`. `placed`: the committed rows that end with it, without a gap; they
   * are there for who asks {@link placedAfter} soon.
   */
  readonly publish: (sequence: number, placed?: ReadonlyArray<FeedRow>) => Effect.Effect<void>
  /** Waits until a sequence above `sequence` is announced, and returns it. */
  readonly beyond: (sequence: number) => Effect.Effect<number>
  /** The events that follow `sequence` without a gap, as far as they are in hand; empty when the first one is not. */
  readonly placedAfter: (sequence: number) => ReadonlyArray<FeedRow>
}>()("countersign/services/log/FeedSignal") {
  static readonly layer = Layer.effect(
    FeedSignal,
    Effect.sync(() => {
      let head = 0
      const grown = Latch.makeUnsafe(false)
      const beyond = (sequence: number): Effect.Effect<number> =>
        Effect.suspend(() => {
          if (head > sequence) return Effect.succeed(head)
          grown.closeUnsafe()
          return Effect.andThen(grown.await, beyond(sequence))
        })

      let kept: ReadonlyArray<FeedRow> = []
      let characters = 0
      const keep = (placed: ReadonlyArray<FeedRow>) => {
        const added = placed.reduce((sum, { data }) => sum + data.length, 0)
        const follows = kept.length > 0 && kept.at(-1)!.sequence + 1n === placed[0]?.sequence
        const joined = follows && kept.length + placed.length <= keptRows && characters + added <= keptCharacters
        kept = joined ? [...kept, ...placed] : added <= keptCharacters ? placed : []
        characters = joined ? characters + added : added
      }

      return FeedSignal.of({
        head: Effect.sync(() => head),
        publish: (sequence, placed = []) =>
          Effect.sync(() => {
            if (placed.length > 0) keep(placed)
            if (sequence <= head) return
            head = sequence
            grown.openUnsafe()
          }),
        beyond,
        placedAfter: (sequence) => {
          const first = kept[0]
          if (first === undefined) return []
          const known = sequence + 1 - Number(first.sequence)
          return known < 0 ? [] : kept.slice(known)
        }
      })
    })
  )
}
