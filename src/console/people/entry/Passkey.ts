import { isCountersignError } from "../../../client/api/index.ts"
import type {
  PasskeyChallenge,
  PasskeyCreateRequest,
  PasskeyCreation,
  PasskeySignInRequest
} from "../../../client/api/index.ts"
import { deviceName } from "./DeviceName.ts"

/** The numbers that COSE gives to algorithms. */
const numbers: Readonly<Record<PasskeyCreation["algorithms"][number], number>> = { EdDSA: -8, ES256: -7, RS256: -257 }

/** The library, which is loaded with the first passkey. */
const library = () => import("@simplewebauthn/browser")

/** Has the browser create a passkey; rejects where the person or the browser does not. */
export const createdPasskey = async (creation: PasskeyCreation): Promise<PasskeyCreateRequest> => {
  const { startRegistration } = await library()
  const { id, response } = await startRegistration({
    optionsJSON: {
      challenge: creation.challenge,
      rp: { id: creation.rp_id, name: "Countersign" },
      user: { id: creation.user_id, name: creation.user_name, displayName: creation.user_display_name },
      pubKeyCredParams: creation.algorithms.map((name) => ({ alg: numbers[name], type: "public-key" })),
      excludeCredentials: creation.exclude.map(({ id, transports }) => ({
        id,
        type: "public-key",
        transports: transports as never
      })),
      authenticatorSelection: { residentKey: "required", requireResidentKey: true, userVerification: "required" },
      attestation: "none",
      timeout: creation.timeout_ms
    }
  })
  return {
    name: deviceName(navigator.userAgent),
    credential: id,
    client_data: response.clientDataJSON,
    attestation_object: response.attestationObject,
    ...(response.transports === undefined ? {} : { transports: response.transports })
  }
}

/** Has the browser sign a challenge with a passkey of the person's choice; rejects where it does not. */
export const signedWithPasskey = async (challenge: PasskeyChallenge): Promise<PasskeySignInRequest> => {
  const { startAuthentication } = await library()
  const { id, response } = await startAuthentication({
    optionsJSON: {
      challenge: challenge.challenge,
      rpId: challenge.rp_id,
      userVerification: "required",
      timeout: challenge.timeout_ms
    }
  })
  return {
    credential: id,
    client_data: response.clientDataJSON,
    authenticator_data: response.authenticatorData,
    signature: response.signature,
    user_handle: response.userHandle ?? ""
  }
}

/** A failure of a passkey in words; what the service says stays as it is. */
export const passkeyProblem = (error: Error): string | undefined => {
  if (isCountersignError(error)) return undefined
  if (error.name === "InvalidStateError") return "This device already has one of your passkeys. Use another device."
  if (error.name === "NotAllowedError" || error.name === "AbortError") {
    return "No passkey was used: the request was canceled, or took too long."
  }
  if (error.name === "SecurityError") {
    return "This page was opened at another address than the service is published at. Open it there."
  }
  return "This browser cannot use passkeys here. Try another browser or device."
}
