import type { Activity, PurchaseWithEvents } from "../../../client/api/index.ts"
import { labelOf, titleOf } from "../../../client/api/Labels.ts"

/** A moment in the story of a purchase. */
export interface Moment {
  readonly key: string
  readonly at: string
  readonly side: "provider" | "service"
  readonly title: string
  /** The consequence, or why there is none. */
  readonly why: ReadonlyArray<string>
  /** Whether it changed nothing, or came too late to. */
  readonly isQuiet: boolean
  /** The ID of the provider's event. */
  readonly eventId?: string
  readonly isRefused?: boolean
}

/** The notes in words; of others, their code is split into words. */
const notes: Readonly<Record<string, string>> = {
  came_after_the_end: "Ignored: the purchase had already ended",
  update_awaits_payment: "Ignored for now: the change waits for its payment",
  trial_ends_soon: "Information only: the trial ends soon",
  unknown_status: "Ignored: unknown status, the last known one remains",
  unknown_refund_status: "Ignored: unknown status of a refund",
  unknown_dispute_status: "Ignored: unknown status of a dispute",
  customer_deleted: "Information only: the customer was deleted at the provider",
  partial_refund: "Partial refund",
  paid: "Paid",
  payment_failed: "Payment failed",
  refund_pending: "Ignored for now: the refund is pending",
  refund_succeeded: "Refunded",
  refund_failed: "Refund failed: the payment counts again",
  credit_without_refund: "Information only: a credit note, no refund",
  dispute_open: "Payment disputed",
  dispute_won: "Dispute won",
  dispute_lost: "Dispute lost"
}

const wordsOf = (code: string): string => {
  const words = code.replaceAll("_", " ")
  return words.charAt(0).toUpperCase() + words.slice(1)
}

const noteText = (note: string, detail: string | undefined): string => {
  const text = notes[note] ?? wordsOf(note)
  return detail === undefined ? text : `${text} (${detail})`
}

const changesNothing = (text: string): boolean => /^(Ignored|Information)/.test(text)

/** The events of the provider; one that came after a newer event is named as late. */
const said = ({ events, notes }: Pick<PurchaseWithEvents, "events" | "notes">): ReadonlyArray<Moment> =>
  events.map(({ id, occurred_at, received_at, type }) => {
    const texts = notes.filter(({ event_id }) => event_id === id).map(({ detail, note }) => noteText(note, detail))
    const isLate = events.some((other) => other.occurred_at > occurred_at && other.received_at < received_at)
    return {
      key: id,
      at: occurred_at,
      side: "provider",
      title: type,
      why: isLate ? [...texts, "Arrived late: newer events came first, and remain valid"] : texts,
      isQuiet: isLate || texts.length > 0 && texts.every(changesNothing),
      eventId: id
    }
  })

/** The activity of the licenses, without that of apps. */
const done = (activities: ReadonlyArray<Activity>): ReadonlyArray<Moment> =>
  activities.filter(({ actor_type }) => actor_type !== "license").map((activity) => ({
    key: activity.id,
    at: activity.occurred_at,
    side: "service",
    title: titleOf("action", activity.action),
    why: [
      ...(activity.result_class === "success" ? [] : [labelOf("result", activity.result_class)]),
      ...(activity.actor_type === "system" ? [] : [labelOf("actor", activity.actor_type)]),
      ...(activity.reason === undefined ? [] : [`Reason: ${activity.reason}`])
    ],
    isQuiet: false,
    isRefused: activity.result_class !== "success"
  }))

/** The story of a purchase, oldest first: what the provider said beside what was done. */
export const storyOf = (
  purchase: Pick<PurchaseWithEvents, "events" | "notes">,
  activities: ReadonlyArray<Activity>
): ReadonlyArray<Moment> =>
  [...said(purchase), ...done(activities)].toSorted((a, b) =>
    Date.parse(a.at) - Date.parse(b.at) || (a.side === b.side ? 0 : a.side === "provider" ? -1 : 1)
  )
