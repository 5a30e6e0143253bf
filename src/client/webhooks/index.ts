export type {
  DeliveryErrorCode,
  DeliveryHeaders,
  VerifiedDelivery,
  VerifyDeliveryOptions
} from "../verify/verifyDelivery.ts"
export { DeliveryError, verifyDelivery } from "../verify/verifyDelivery.ts"
export type { CountersignEvent } from "./CountersignEvent.ts"
export type { FastifyLike, NodeRequest, NodeResponse } from "./Handlers.ts"
export { expressHandler, fastifyPlugin, fetchHandler } from "./Handlers.ts"
export type { LambdaRequest, LambdaResponse } from "./Handlers.ts"
export { lambdaHandler } from "./Handlers.ts"
export type { Inbox } from "./Inbox.ts"
export { memoryInbox } from "./Inbox.ts"
export { HandlerFailed, Receiver } from "./Receiver.ts"
export type { ReceiverAnswer, RefusalCode } from "./Receiver.ts"
export { DeliveryRefused } from "./Receiver.ts"
export type { Arrival, Feed, ReceiverOptions } from "./ReceiverOptions.ts"
