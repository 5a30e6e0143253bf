import type { Webhooks } from "../api/types.gen.ts"

/** An event as it is delivered: a union by `type`. Pass over types that you do not know: new ones may be added. */
export type CountersignEvent = Webhooks["body"]
