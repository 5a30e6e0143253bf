import { Layer } from "effect"
import { MailQueue } from "./MailQueue.ts"
import { MailSuppressions } from "./MailSuppressions.ts"
import { MailUnsubscribes } from "./MailUnsubscribes.ts"

/** The queue of mails, the addresses that get none, and the links by which recipients opt out. */
export const layer = Layer.mergeAll(MailQueue.layer, Layer.provideMerge(MailUnsubscribes.layer, MailSuppressions.layer))
