/**
 * A lane waits in memory for a retry or probe that is due within this time, in milliseconds. For later ones the sweep
 * wakes it.
 */
export const lingerMillis = 10_000

/** What a lane knows once it has started all that may start. Times are milliseconds of its clock. */
export interface LaneView {
  readonly now: number
  /** Whether breaker, pace and order allow an attempt now, and otherwise from when on. */
  readonly isAllowed: boolean
  readonly opensAt: number
  /** When the first retry in memory is due. */
  readonly retryAt: number | undefined
  /** Whether attempts or errands are under way; the end of each wakes the lane. */
  readonly isBusy: boolean
  /** Whether events wait to be attempted for the first time. */
  readonly hasMore: boolean
}

/** What a lane waits for. */
export interface LaneOutlook {
  /** Whether it waits for anything in memory; if not, it may end, and the sweep wakes it. */
  readonly isWaiting: boolean
  /** When it must look again, if nobody wakes it before. */
  readonly wakeAt: number | undefined
}

/** Decides what a lane waits for. */
export const outlookOf = ({ hasMore, isAllowed, isBusy, now, opensAt, retryAt }: LaneView): LaneOutlook => {
  if (!isAllowed && opensAt > now) {
    return opensAt - now > lingerMillis
      ? { isWaiting: isBusy, wakeAt: undefined }
      : { isWaiting: true, wakeAt: opensAt }
  }
  const isSoon = retryAt !== undefined && retryAt - now <= lingerMillis
  return { isWaiting: isBusy || isSoon || hasMore, wakeAt: isSoon && retryAt > now ? retryAt : undefined }
}
