import { Effect, Layer } from "effect"
import type { PasskeyAlgorithm, PasskeyCreate, PasskeySignIn } from "../../domain/people/Passkey.ts"
import { PasskeyRefused, PasskeyVerifier } from "../../services/people/passkeys/PasskeyChallenges.ts"
import type { Asked } from "../../services/people/passkeys/PasskeyChallenges.ts"

/** The numbers that COSE gives to algorithms. */
const numbers: Readonly<Record<PasskeyAlgorithm, number>> = { EdDSA: -8, ES256: -7, RS256: -257 }

type Library = typeof import("@simplewebauthn/server") & typeof import("@simplewebauthn/server/helpers")

/** The library, with the first passkey that is asked for. */
const loaded = async (): Promise<Library> => ({
  ...await import("@simplewebauthn/server"),
  ...await import("@simplewebauthn/server/helpers")
})

/** Keeps out pages within other pages, which the library lets pass. */
const checkSurroundings = ({ decodeClientDataJSON }: Library, clientData: string): void => {
  if (decodeClientDataJSON(clientData).crossOrigin === true) throw new RangeError("The page was within another one.")
}

/** The formats of statements with certificates that authenticators of computers and phones send (Web Authentication 8). */
const certified: ReadonlySet<string> = new Set(["packed", "tpm", "android-key", "apple"])

/**
 * An attestation object without its statement where that has certificates. None was asked for, and Firefox on Windows sends one all the
 * same. It is not believed and not read: verifying it would read the lists of revocations that it names, from wherever it says. A key
 * that is signed by itself keeps its statement, which is verified.
 */
const unattested = (
  { decodeAttestationObject, isoBase64URL, isoCBOR }: Library,
  attestation: string
): string => {
  const decoded = decodeAttestationObject(isoBase64URL.toBuffer(attestation))
  const format = decoded.get("fmt")
  const hasCertificates = decoded.get("attStmt").get("x5c") !== undefined
  if (format === "none" || (format === "packed" && !hasCertificates)) return attestation
  if (!certified.has(format) || !hasCertificates) throw new RangeError(`Attestation ${format} was not asked for.`)
  const bare = new Map<string, unknown>([["fmt", "none"], ["attStmt", new Map()], [
    "authData",
    decoded.get("authData")
  ]])
  return isoBase64URL.fromBuffer(isoCBOR.encode(bare as never))
}

const created = async (answer: PasskeyCreate, { challenge, party }: Asked) => {
  const library = await loaded()
  const { attestation_object, client_data, credential: id } = answer
  checkSurroundings(library, client_data)
  const { registrationInfo } = await library.verifyRegistrationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: { clientDataJSON: client_data, attestationObject: unattested(library, attestation_object) }
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    supportedAlgorithmIDs: Object.values(numbers)
  })
  if (registrationInfo === undefined) throw new RangeError("The signature is wrong.")
  const { credential, credentialDeviceType } = registrationInfo
  if (credential.id !== id) throw new RangeError("The ID is of another credential.")
  return {
    credentialId: library.isoBase64URL.toBuffer(credential.id),
    publicKey: credential.publicKey,
    counter: credential.counter,
    isSynced: credentialDeviceType === "multiDevice"
  }
}

const signed = async (answer: PasskeySignIn, { challenge, party }: Asked, publicKey: Uint8Array) => {
  const library = await loaded()
  const { authenticator_data, client_data, credential: id, signature, user_handle } = answer
  checkSurroundings(library, client_data)
  const { authenticationInfo, verified } = await library.verifyAuthenticationResponse({
    response: {
      id,
      rawId: id,
      type: "public-key",
      clientExtensionResults: {},
      response: {
        clientDataJSON: client_data,
        authenticatorData: authenticator_data,
        signature,
        ...(user_handle === undefined ? {} : { userHandle: user_handle })
      }
    },
    expectedChallenge: challenge,
    expectedOrigin: party.origin,
    expectedRPID: party.id,
    requireUserVerification: true,
    // The counter is judged where it is written, so that two nodes do not both take one.
    credential: { id, publicKey: new Uint8Array(publicKey), counter: 0 }
  })
  if (!verified) throw new RangeError("The signature is wrong.")
  return authenticationInfo.newCounter
}

const believed = <A>(work: () => Promise<A>) =>
  Effect.tryPromise({
    try: work,
    catch: (error) => new PasskeyRefused({ problem: error instanceof Error ? error.message : String(error) })
  })

/** Verification of passkeys by `@simplewebauthn/server`. */
export const layer = Layer.succeed(PasskeyVerifier, {
  algorithms: ["EdDSA", "ES256", "RS256"],
  created: (answer, asked) => believed(() => created(answer, asked)),
  signed: (answer, asked, publicKey) => believed(() => signed(answer, asked, publicKey))
})
