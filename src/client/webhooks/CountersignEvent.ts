import type { Delivered, WebhookTestDelivery } from "../api/types.gen.ts"

/**
 * An event as it is delivered: a union by `type`. Pass over types that you do not know: new ones may be added. A test is none
 * of them (`onTest` of the receiver).
 */
export type CountersignEvent = Exclude<Delivered, WebhookTestDelivery>
