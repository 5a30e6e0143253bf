import { Option, Schema } from "effect"
import { OfflineFileCreate } from "./OfflineFile.ts"

const { app_version, fingerprint, hostname, os, product_code } = OfflineFileCreate.fields

/** A machine without a network, as it says itself: with this, and the license key, an offline file is asked for. */
const MachineRequest = Schema.Struct({ fingerprint, hostname, os, app_version, product_code })
export type MachineRequest = typeof MachineRequest.Type

const decodeText = Schema.decodeUnknownOption(Schema.fromJsonString(MachineRequest))
const decodeFingerprint = Schema.decodeUnknownOption(MachineRequest)

/** The longest request that is read, in characters. */
export const longestRequest = 4096

/**
 * A request as an app shows it and a person carries it: JSON, or a fingerprint alone. Undefined for what is neither. What is not known
 * of the JSON is left out, so that an app may say more to its own vendor.
 */
export const machineRequestOf = (entered: string): MachineRequest | undefined => {
  const text = entered.trim()
  if (text.length > longestRequest) return undefined
  return Option.getOrUndefined(text.startsWith("{") ? decodeText(text) : decodeFingerprint({ fingerprint: text }))
}
