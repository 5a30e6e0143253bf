export type {
  DeliveredEvent,
  DeliveryErrorCode,
  DeliveryHeaders,
  VerifiedDelivery,
  VerifyDeliveryOptions
} from "./verifyDelivery.ts"
export { DeliveryError, verifyDelivery } from "./verifyDelivery.ts"
export type {
  EnvelopeErrorCode,
  ExpectedEnvelope,
  PublicKey,
  VerifiedEnvelope,
  VerifyEnvelopeOptions
} from "./verifyEnvelope.ts"
export { EnvelopeError, verifyEnvelope } from "./verifyEnvelope.ts"
export type { ExpectedOffline, OfflineErrorCode, VerifiedOffline, VerifyOfflineOptions } from "./verifyOffline.ts"
export { OfflineError, verifyOffline } from "./verifyOffline.ts"
