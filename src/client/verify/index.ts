export type { VerifiedCheckpoint } from "../notes/checkpoint.ts"
export type { PublicKey, RevokedKey } from "../notes/checkpoint.ts"
export type { FollowedLogKeys, FollowLogKeysOptions, LogKeyFault } from "../notes/followLogKeys.ts"
export { followLogKeys } from "../notes/followLogKeys.ts"
export type { TlogProofFault, TlogProofVerdict, VerifyTlogProofOptions } from "../notes/tlogProof.ts"
export { tlogProofOf, verifyTlogProof } from "../notes/tlogProof.ts"
export type { KeySet, KeySetOptions } from "./KeySet.ts"
export { keySet } from "./KeySet.ts"
export type { LicenseChainFault, VerifiedLicenseChain, VerifyLicenseChainOptions } from "./KeySet.ts"
export { verifyLicenseChain } from "./KeySet.ts"
export type { LearnedKeys } from "./KeyTrust.ts"
export type { CheckpointFault, CheckpointVerdict, VerifyCheckpointOptions } from "./verifyCheckpoint.ts"
export { verifyCheckpoint } from "./verifyCheckpoint.ts"
export type { ExportErrorCode, VerifiedExport, VerifyExportOptions } from "./verifyCheckpoint.ts"
export { ExportError, verifyExport } from "./verifyCheckpoint.ts"
export type {
  DeliveredEvent,
  DeliveryErrorCode,
  DeliveryHeaders,
  VerifiedDelivery,
  VerifyDeliveryOptions
} from "./verifyDelivery.ts"
export { DeliveryError, verifyDelivery } from "./verifyDelivery.ts"
export type { EnvelopeErrorCode, ExpectedEnvelope, VerifiedEnvelope, VerifyEnvelopeOptions } from "./verifyEnvelope.ts"
export { EnvelopeError, verifyEnvelope } from "./verifyEnvelope.ts"
export type { RefusedQuestion, VerifiedRefusal, VerifyRefusalOptions } from "./verifyEnvelope.ts"
export { verifyRefusal } from "./verifyEnvelope.ts"
export type { EventsFault, EventsVerdict } from "./verifyEvents.ts"
export type { LogStart, VerifyEventsOptions } from "./verifyEvents.ts"
export { verifyEvents } from "./verifyEvents.ts"
export type { ExpectedOffline, OfflineErrorCode, VerifiedOffline, VerifyOfflineOptions } from "./verifyOffline.ts"
export { OfflineError, verifyOffline } from "./verifyOffline.ts"
export type { VerifiedReceipt, VerifyReceiptOptions } from "./verifyReceipt.ts"
export { verifyReceipt } from "./verifyReceipt.ts"
