import type { DoorKeeper } from "./DoorKeeper.ts"
import type { PendingRequest } from "./RequestHead.ts"

/**
 * Requests with a body, until the sockets of this turn of the event loop are read. In each turn those are judged whose body
 * has arrived, and one of the others. What is complete is counted at once: a turn may read hundreds of requests, and all
 * would find the same room. For the others there is no hurry. To begin a request costs an authorization; a thousand callers
 * that dial at once and send no body would otherwise be authorized in one turn, and delay whoever sent all of a request.
 */
export class AdmissionQueue {
  private readonly waiting: Array<PendingRequest> = []
  private readonly judge: (pending: PendingRequest, keeper: DoorKeeper) => void
  private readonly isGone: (pending: PendingRequest) => boolean
  private isScheduled = false

  /** `judge` admits a request or refuses it, unless it `isGone` meanwhile. */
  constructor(
    judge: (pending: PendingRequest, keeper: DoorKeeper) => void,
    isGone: (pending: PendingRequest) => boolean
  ) {
    this.judge = judge
    this.isGone = isGone
  }

  /** Has a request judged in this turn or in a later one. */
  add(pending: PendingRequest, keeper: DoorKeeper): void {
    this.waiting.push(pending)
    this.schedule(keeper)
  }

  private schedule(keeper: DoorKeeper): void {
    if (this.isScheduled || this.waiting.length === 0) return
    this.isScheduled = true
    keeper.turns.before(() => {
      this.isScheduled = false
      this.judgeWaiting(keeper)
      this.schedule(keeper)
    })
  }

  private judgeWaiting(keeper: DoorKeeper): void {
    let incomplete = 0
    for (const pending of this.waiting.splice(0)) {
      if (this.isGone(pending)) continue
      if (!pending.request.complete && incomplete++ > 0) this.waiting.push(pending)
      else this.judge(pending, keeper)
    }
  }
}
