import { Cause, Clock, Context, Effect, Layer, Metric, Schedule } from "effect"
import type { ExportManifest } from "../../../domain/evidence/exports/ExportManifest.ts"
import { manifestSchema } from "../../../domain/evidence/exports/ExportSeal.ts"
import { contentTypes } from "../../../domain/evidence/exports/ReportExport.ts"
import type { ExportFailure } from "../../../domain/evidence/exports/ReportExport.ts"
import { environmentOfAnswer } from "../../../domain/ground/environments/EnvironmentName.ts"
import { signedJson } from "../../../domain/ground/wire/CanonicalJson.ts"
import { isDomainError } from "../../../domain/ground/wire/Errors.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Announcements } from "../../ground/agenda/Announcements.ts"
import { CurrentEnvironment, Slices } from "../../ground/environments/CurrentEnvironment.ts"
import { Database } from "../../ground/persistence/Database.ts"
import { Cryptography } from "../../ground/platform/Cryptography.ts"
import { Compression } from "../../ground/platform/Ports.ts"
import { periodically, supervised } from "../../ground/platform/Supervised.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { Signing } from "../../keys/security/Signing.ts"
import { ClaimLost, ExportClaims, ExportFiles } from "./ExportClaims.ts"
import { ExportFreezer, TakesLong } from "./ExportFreezer.ts"
import type { FrozenReport } from "./ExportFreezer.ts"
import * as ExportMetrics from "./ExportMetrics.ts"
import { fileNameOf } from "./ExportRecord.ts"
import type { ExportRow } from "./ExportRecord.ts"
import { ExportRenderer, RenderingStalled, Unrenderable } from "./ExportRenderer.ts"
import { exportsDue } from "./ExportSql.ts"
import type { ExportLane } from "./ExportSql.ts"
import { makePieceWriter } from "./PieceWriter.ts"

/** The pause between two looks of a worker that finds nothing, whatever is announced. */
const rest = "50 millis"
/** How often a claim is extended, and how often old files are removed. */
const extendEvery = "4 seconds"
const expireEvery = Schedule.spaced("1 minute")
/** How often exports that are not done are counted. */
const observeEvery = "30 seconds"
/** The most tries of an export; those after the first wait 1, 2, 4 and 8 seconds. */
const maximumTries = 5

/** The bounds of the lane of small exports: this many rows, and this long for all of the work; longer where it gives way. */
const smallRows = { json: 20_000, csv: 20_000, pdf: 2_000 } as const
const smallFor = "10 seconds"
const smallBesideLiveFor = "1 minute"

const gaveUp = (error?: unknown): ExportFailure => ({
  code: "INTERNAL",
  message: "The export failed several times with an internal error" +
    (error instanceof RenderingStalled ? ` (${error.message}). ` : ". ") +
    "Quote its id to the operator, and retry it."
})

/**
 * Makes exports: claims one, freezes its report, renders the file and signs for both. Each node makes two at a time:
 * one of any kind, and beside it one that is small, so that small ones wait for no large one. An export that turns out
 * to be large among the small ones is handed over.
 */
export class ExportWorker extends Context.Service<ExportWorker, {
  /** Claims one export of a lane, if there is one, and makes it; answers whether there was one. */
  readonly step: (lane: ExportLane) => Effect.Effect<boolean>
  readonly run: Effect.Effect<never>
  /** Notes for metrics how many exports are not done. */
  readonly observe: Effect.Effect<void>
}>()("countersign/services/evidence/exports/ExportWorker") {
  static readonly layer = Layer.effect(
    ExportWorker,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const announcements = yield* Announcements
      const claims = yield* ExportClaims
      const compression = yield* Compression
      const crypto = yield* Cryptography
      const environment = yield* CurrentEnvironment
      const files = yield* ExportFiles
      const freezer = yield* ExportFreezer
      const renderer = yield* ExportRenderer
      const signing = yield* Signing
      const slices = yield* Slices

      /** Renders the file from the stored snapshot alone; answers its digest and size. */
      const render = Effect.fnUntraced(function*(claim: ExportRow) {
        if (claim.format === "json") return { digest: claim.digest!, size: claim.snapshot_size! }
        const total = claim.progress_total!
        const rendering = yield* renderer.open({ format: claim.format, digest: claim.digest!, seal: claim.seal! })
        const writer = makePieceWriter({ claims, compression, crypto }, claim, "artifact")
        const done = (rows: number) => ({ rows: Math.floor((total + rows) / 2), total })
        const whole = { rows: total, total }
        let rendered = 0
        const renderPiece = Effect.fnUntraced(function*(at: number) {
          const piece = yield* files.piece(claim.id, "snapshot", at)
          if (piece === undefined || piece.length === 0) {
            return yield* Effect.die(new Error(`${claim.id} ends at ${at}`))
          }
          const { pieces, rows } = yield* rendering.push(piece)
          yield* Metric.update(ExportMetrics.rows[claim.format], rows - rendered)
          rendered = rows
          for (const bytes of pieces) yield* writer.add(bytes, done(rows))
          return at + piece.length
        })
        for (let at = 0; at < claim.snapshot_size!;) at = yield* slices.run(renderPiece(at))
        const { pieces } = yield* rendering.end
        for (const bytes of pieces) yield* writer.add(bytes, whole)
        return yield* writer.end(whole)
      }, Effect.scoped)

      const work = Effect.fnUntraced(function*(claim: ExportRow, lane: ExportLane) {
        if (claim.tries > maximumTries) return yield* claims.fail(claim, gaveUp())
        const most = lane === "small" ? smallRows[claim.format] : Infinity
        if (claim.digest !== undefined && claim.progress_total! > most) return yield* new TakesLong()
        yield* claims.clear(claim)
        const { file, row }: FrozenReport = claim.digest === undefined
          ? yield* freezer.freeze(claim, most)
          : { row: claim }
        const { digest, size } = file ?? (yield* render(row))
        const { format, id, report_kind } = row
        const manifest: ExportManifest = {
          ...environmentOfAnswer(environment),
          schema: manifestSchema,
          export_id: id,
          report_kind,
          format,
          file_name: fileNameOf(row),
          content_type: contentTypes[format],
          rows: row.progress_total!,
          as_of_sequence: row.as_of_sequence!,
          ...(row.checkpoint === undefined ? {} : { checkpoint: row.checkpoint }),
          frozen_at: row.frozen_at!,
          digest: row.digest!,
          snapshot_size: row.snapshot_size!,
          seal: row.seal!,
          artifact_digest: digest,
          artifact_size: size
        }
        const text = signedJson(manifest)
        yield* claims.finish(row, {
          rows: row.progress_total!,
          artifact_digest: digest,
          artifact_size: size,
          manifest: text,
          manifest_signature: yield* signing.sign(row.seal!.kid, text)
        })
      })

      const ended = Effect.fnUntraced(function*(claim: ExportRow, cause: Cause.Cause<unknown>) {
        const error = Cause.squash(cause)
        if (error instanceof ClaimLost) return yield* error
        if (error instanceof TakesLong) {
          return yield* Effect.andThen(
            claims.handOver(claim),
            announcements.announce("exports")
          )
        }
        if (isDomainError(error)) {
          const { code, detail, fields = [], message } = error.error
          const findings = fields.map((field) => `${field.path} ${field.message}`).join("; ")
          return yield* claims.fail(claim, { code, message: [message, detail ?? findings].filter(Boolean).join(" ") })
        }
        if (error instanceof Unrenderable) {
          return yield* claims.fail(claim, { code: error.code, message: error.message })
        }
        yield* Effect.logError(`Export ${claim.id} failed in try ${claim.tries}`, cause)
        return claim.tries >= maximumTries
          ? yield* claims.fail(claim, gaveUp(error))
          : yield* claims.release(claim, 2 ** (claim.tries - 1))
      })

      const keep = (claim: ExportRow) =>
        Effect.sleep(extendEvery).pipe(
          Effect.andThen(claims.extend(claim)),
          // A database that is away for a moment costs the claim only when it stays away.
          Effect.catchDefect((defect) => Effect.logWarning(`The claim on ${claim.id} could not be extended`, defect)),
          Effect.forever
        )

      const tooLong = Effect.delay(
        Effect.fail(new TakesLong()),
        environment === "live" ? smallFor : smallBesideLiveFor
      )

      const step = Effect.fnUntraced(function*(lane: ExportLane) {
        const claim = yield* claims.claim(lane)
        if (claim === undefined) return false
        const begun = yield* Clock.currentTimeMillis
        yield* Effect.raceAllFirst([
          work(claim, lane),
          keep(claim),
          ...(lane === "small" ? [tooLong] : [])
        ]).pipe(
          Effect.onInterrupt(() => Effect.ignore(claims.release(claim, 0, true))),
          Effect.catchCause((cause) => ended(claim, cause)),
          Effect.catchTag("ClaimLost", ({ id }) => Effect.logInfo(`Export ${id} is made elsewhere`)),
          Effect.annotateLogs({ export_id: claim.id })
        )
        const took = (yield* Clock.currentTimeMillis) - begun
        yield* Metric.update(ExportMetrics.duration[claim.format], took / 1000)
        return true
      }, Effect.withTracerEnabled(false))

      const looking = (lane: ExportLane) =>
        agenda.follow({
          name: "Looking for exports",
          topic: "exports",
          due: () => exportsDue(sql),
          look: Effect.repeat(step(lane), { while: (found) => found }),
          rest,
          retry: "1 second"
        })

      const expire = Effect.repeat(files.expire, { while: (expired) => expired > 0 })
      const expiring = supervised("Removing old exports", swept("exports", expire), expireEvery, { retry: expireEvery })

      const observe = Effect.gen(function*() {
        const counts = yield* claims.unfinished
        for (const [state, metric] of Object.entries(ExportMetrics.unfinished)) {
          yield* Metric.update(metric, counts.get(state) ?? 0)
        }
      })

      return ExportWorker.of({ observe, step, run: Effect.raceAllFirst([looking("any"), looking("small"), expiring]) })
    })
  )

  /** A worker on this node, at work for as long as the service runs. */
  static readonly layerRunning = Layer.effectDiscard(
    Effect.gen(function*() {
      const { observe, run } = yield* ExportWorker
      yield* Effect.forkScoped(run)
      yield* periodically("Counting exports", observe, observeEvery, "Debug")
    })
  ).pipe(Layer.provide(ExportWorker.layer))
}
