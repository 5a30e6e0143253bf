import { Effect, Metric, Schedule } from "effect"
import type { MailFailure } from "../../domain/mail/Mail.ts"
import { failureOf, MailSuppressionReason } from "../../domain/mail/MailSuppression.ts"
import type { Database } from "../ground/persistence/Database.ts"
import { fromStart, fromStartBy } from "../ground/platform/SeriesFromStart.ts"
import { supervised } from "../ground/platform/Supervised.ts"
import { countMails } from "./MailSql.ts"

/** How often what waits is counted. */
const countEvery = Schedule.spaced("30 seconds")

const outcomes = fromStartBy(
  ["sent", "failed", "postponed", "suppressed"],
  (outcome) =>
    Metric.counter("countersign_mail_attempts_total", {
      description:
        "Attempts to send a mail: sent, failed without another attempt, postponed, or not made because the address is suppressed.",
      attributes: { outcome },
      incremental: true
    })
)

const queuedMails = fromStart(
  Metric.gauge("countersign_mails_queued", { description: "Mails that were not sent yet." })
)

const refusedMails = fromStart(
  Metric.gauge("countersign_mails_refused", {
    description: "Mails that wait because the mail server refuses you, and not a mailbox."
  })
)

const oldestMail = fromStart(
  Metric.gauge("countersign_mail_oldest_queued_seconds", {
    description: "How long the oldest of these mails has waited."
  })
)

const suppressed: ReadonlySet<string> = new Set(MailSuppressionReason.literals.map((reason) => failureOf[reason]))

/** How an attempt is counted: of a mail that is tried again, or that ended for a reason, or was sent. */
const countedAs = (reason: MailFailure | "postponed" | undefined) => {
  if (reason === undefined) return "sent"
  if (reason === "postponed") return reason
  return suppressed.has(reason) ? "suppressed" : "failed"
}

/** Counts an attempt by what became of it. */
export const countAttempt = (reason: MailFailure | "postponed" | undefined): Effect.Effect<void> =>
  Metric.update(outcomes[countedAs(reason)], 1)

/** Counts for ever the mails that wait. */
export const countWaiting = (sql: Database): Effect.Effect<never> => {
  const count = Effect.flatMap(countMails(sql), ([row]) =>
    Effect.all([
      Metric.update(queuedMails, Number(row!.queued)),
      Metric.update(refusedMails, Number(row!.refused)),
      Metric.update(oldestMail, row!.oldest_seconds)
    ], { discard: true }))
  return supervised("Counting mails", count, countEvery, { level: "Debug", retry: countEvery })
}
