import { Context, Effect, Layer } from "effect"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { foundNews } from "../../../domain/catalog/terms/FeatureUse.ts"
import type { ThresholdNews } from "../../../domain/catalog/terms/FeatureUse.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { Agenda } from "../../ground/agenda/Agenda.ts"
import { Slices } from "../../ground/environments/CurrentEnvironment.ts"
import { Database, inTransaction } from "../../ground/persistence/Database.ts"
import { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { makeSweepLocks } from "../../ground/persistence/SweepLocks.ts"
import type { Passed } from "../../ground/persistence/SweepLocks.ts"
import { swept } from "../../ground/platform/Sweeps.ts"
import { Events } from "../../log/Events.ts"
import { MailQueue } from "../../mail/MailQueue.ts"
import { thresholdEvents, thresholdNotice } from "../metering/ThresholdEvents.ts"
import {
  deleteWatch,
  insertOfCustomer,
  insertOfPolicy,
  insertTurn,
  listDueWatches,
  updateAnnouncedNews,
  updateWatched,
  watchesDue
} from "./WatchedUsageSql.ts"
import type { DueWatch } from "./WatchedUsageSql.ts"

/** A feature of which something else is announced than is written. */
interface Told extends ThresholdNews {
  readonly feature: EffectiveFeature
}

/** The news of a feature that the license has used, or has units of; undefined where all stays as it was announced. */
const toldOf = (feature: EffectiveFeature, fell: boolean): ReadonlyArray<Told> => {
  if (!feature.enabled || !feature.isCounted || feature.quota === null) return []
  const news = foundNews(feature, fell)
  return news.announced === feature.announced && news.announcedRemaining === feature.announcedRemaining
    ? []
    : [{ ...news, feature }]
}

/** Makes the look at a license that is locked: announces the thresholds that it has reached, and forgets those that hold no more. */
const makeLicenseWarnings = ({ events, identifiers, mails, sql }: {
  readonly sql: Database
  readonly events: Events["Service"]
  readonly identifiers: Identifiers["Service"]
  readonly mails: MailQueue["Service"]
}) =>
  Effect.fn("UsageWarnings.license")(function*(licenseId: string) {
    const [watch] = yield* deleteWatch(sql, licenseId)
    if (watch === undefined || !watch.serves) return
    const features = (yield* readFeatureTerms(sql, licenseId)).map(({ feature }) => feature)
    const told = features.flatMap((feature) => toldOf(feature, watch.fell))
    if (told.length > 0) {
      yield* updateAnnouncedNews(
        sql,
        licenseId,
        told.map(({ announced, announcedRemaining, feature: { id, periodStart } }) => ({
          featureId: id,
          announced,
          announcedRemaining,
          periodStart
        }))
      )
      const reached = told.flatMap(({ crossed, feature }) =>
        crossed.length === 0 ? [] : [{ license_id: licenseId, after: feature, crossed, id: identifiers.next("evt") }]
      )
      yield* events.appendAll(reached.flatMap((use) => thresholdEvents(use, { id: use.id })))
      yield* mails.notify(reached.flatMap(thresholdNotice))
    }
    if (features.some(({ remainingThresholds, thresholds }) => thresholds !== null || remainingThresholds !== null)) {
      yield* insertTurn(sql, licenseId)
    }
  })

/** Watches that are read at a time. */
const batch = 200
/** Licenses of a customer or a policy that are asked for in one transaction. */
const slice = 1000
/** So many licenses of a customer are looked at after each use of its pools; of more, the looks rest in between. */
const licensesAtOnce = 100
/** How long a look at a customer rests for each of its licenses, where they are more. */
const restPerLicenseSeconds = 0.01

/**
 * Warns of thresholds of usage that were reached by anything but a use of the license itself: other licenses took of a pool, a plan or a
 * quota changed, a pack ended. Whatever moves what can be used asks for a look, in its own transaction (`Events`); the look is made under
 * the lock of the license, so that a threshold is announced once.
 */
export class UsageWarnings extends Context.Service<UsageWarnings, {
  /** Looks at all that is due, but licenses that stay busy. */
  readonly sweep: Effect.Effect<void>
  /** Looks for ever. */
  readonly run: Effect.Effect<never>
}>()("countersign/services/licensing/warnings/UsageWarnings") {
  static readonly layer = Layer.effect(
    UsageWarnings,
    Effect.gen(function*() {
      const sql = yield* Database
      const agenda = yield* Agenda
      const slices = yield* Slices
      const locks = makeSweepLocks(sql)
      const warn = makeLicenseWarnings({
        sql,
        events: yield* Events,
        identifiers: yield* Identifiers,
        mails: yield* MailQueue
      })

      /** Asks for a look at each license below a customer or under a policy; answers how many these are. */
      const spread = Effect.fnUntraced(function*(watch: DueWatch) {
        const insert = watch.subject.startsWith("pol_") ? insertOfPolicy : insertOfCustomer
        let licenses = 0
        let after = ""
        for (;;) {
          const asked = yield* inTransaction(sql, insert(sql, watch, after, slice))
          licenses += asked.length
          if (asked.length < slice) return licenses
          after = asked.reduce((last, { subject }) => subject > last ? subject : last, after)
        }
      })

      /** The watch ends in a transaction of its own: whoever asks for a look waits for no other license meanwhile. */
      const lookAtMany = Effect.fnUntraced(function*(watch: DueWatch, passed: Passed) {
        const licenses = yield* spread(watch)
        yield* updateWatched(sql, watch, licenses > licensesAtOnce ? licenses * restPerLicenseSeconds : 0)
        // It may have been asked for anew meanwhile: then by the next sweep.
        passed.ids.push(watch.subject)
      })

      const lookAt = (watch: DueWatch, passed: Passed): Effect.Effect<void> =>
        watch.subject.startsWith("lic_")
          ? Effect.asVoid(locks.one(watch.subject, passed, warn(watch.subject)))
          : lookAtMany(watch, passed)

      const sweep = Effect.suspend(() => {
        const passed = locks.passed()
        const go: Effect.Effect<void> = Effect.flatMap(
          slices.run(
            Effect.tap(
              listDueWatches(sql, passed.ids, batch),
              (due) => Effect.forEach(due, (watch) => lookAt(watch, passed), { discard: true })
            )
          ),
          (due) => due.length === 0 ? Effect.void : go
        )
        return go
      })

      return UsageWarnings.of({
        sweep,
        run: agenda.follow({
          name: "A look at the thresholds of usage",
          topic: "warnings",
          due: () => watchesDue(sql),
          look: swept("warnings", sweep),
          rest: "1 second",
          retry: "5 seconds"
        })
      })
    })
  )
}
