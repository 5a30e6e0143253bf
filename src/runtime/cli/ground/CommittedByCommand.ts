import { PgClient } from "@effect/sql-pg"
import { Effect, Layer } from "effect"
import { feedChannel, payloadOf, topics } from "../../../services/ground/agenda/Announcements.ts"
import { SequencerSignal } from "../../../services/log/Sequencer.ts"

/**
 * Tells a service that runs on the database what a command has committed, which places no events itself. It is only a hint, and
 * where none runs, nobody's.
 */
export const layer = Layer.effect(
  SequencerSignal,
  Effect.map(Effect.all([SequencerSignal, PgClient.PgClient]), ([signal, sql]) => ({
    ...signal,
    committed: Effect.ignore(sql.notify(feedChannel, String(payloadOf(topics))))
  }))
).pipe(Layer.provide(SequencerSignal.layer))
