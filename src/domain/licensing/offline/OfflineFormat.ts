/** The label that separates the key of an offline envelope from any other use of a license key (RFC 5869 `info`). */
export const offlineInfo = "countersign/offline/v1"

/** Bytes of the HKDF salt and of the AES-GCM nonce of an offline envelope. */
export const offlineSizes = { salt: 32, nonce: 12 } as const

/** What an offline envelope authenticates beside its text: the key id and the device id, one after the other. */
export const offlineAad = (kid: string, deviceId: string): string => kid + deviceId
