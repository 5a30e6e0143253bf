export * as Errors from "../../domain/ground/wire/Errors.ts"
export type { CountersignClient, CountersignOptions } from "./Countersign.ts"
export {
  asDryRun,
  Countersign,
  make,
  withIdempotencyKey,
  withIfMatch,
  withLicenseKey,
  withReason
} from "./Countersign.ts"
export type { Followed, FollowError, FollowOptions } from "./Follow.ts"
export { followEvents } from "./Follow.ts"
export type { From } from "./Follow.ts"
export { entries } from "./Follow.ts"
export type { RetrySchedule } from "./Retry.ts"
export { defaultRetry, Undecided } from "./Retry.ts"
