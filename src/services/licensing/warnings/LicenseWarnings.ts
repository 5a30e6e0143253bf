import { Effect } from "effect"
import type { EffectiveFeature } from "../../../domain/catalog/terms/EffectiveFeatures.ts"
import { foundNews } from "../../../domain/catalog/terms/FeatureUse.ts"
import type { ThresholdNews } from "../../../domain/catalog/terms/FeatureUse.ts"
import type { Events } from "../../log/Events.ts"
import type { MailQueue } from "../../mail/MailQueue.ts"
import { thresholdEvents, thresholdNotice } from "../metering/ThresholdEvents.ts"
import type { Database } from "../../ground/persistence/Database.ts"
import type { Identifiers } from "../../ground/persistence/Identifiers.ts"
import { readFeatureTerms } from "../../catalog/terms/FeatureTerms.ts"
import { deleteWatch, insertTurn, updateAnnouncedNews } from "./WatchedUsageSql.ts"

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
export const makeLicenseWarnings = ({ events, identifiers, mails, sql }: {
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
