import { bindingOf } from "../../domain/entitlements/DeviceBinding.ts"
import { ownName } from "../device/DeviceName.ts"
import { readOwnDevices } from "../device/OwnDevice.ts"
import type { OwnDevice } from "../device/OwnDevice.ts"
import { nodeProcess } from "../device/System.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { normalLicenseKey, normalToken } from "../transport/Credentials.ts"
import { newKey, randomHex } from "../transport/IdempotencyKey.ts"
import { Transport } from "../transport/Transport.ts"
import { isToBeListed, isTrustedWay, learn, trustOf } from "../verify/KeyTrust.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { isObject, sha256Hex } from "../verify/signature.ts"
import type { Members, PublicKey } from "../verify/signature.ts"
import { EnvelopeError, parseAnswer, verifyEnvelope } from "../verify/verifyEnvelope.ts"
import type { VerifiedOffline } from "../verify/verifyOffline.ts"
import { envelopeIn, OfflineError, verifyOffline } from "../verify/verifyOffline.ts"
import type { RefusedQuestion } from "../verify/verifyRefusal.ts"
import { refusalBinding, statementOf, verifyStatement } from "../verify/verifyRefusal.ts"
import type { LicenseRecord, RefusalProof } from "./LicenseRecord.ts"
import type { LicenseOptions } from "./Options.ts"
import { reasonOf } from "./States.ts"
import type { AppProblem, Reason } from "./States.ts"

/** A signed answer to a question of this moment, verified. */
export interface Answered {
  readonly data: Members
  readonly text: string
  readonly nonce: string
  readonly issuedAt: number
  readonly learned: LearnedKeys
}

/** The operations that an app asks for. */
type Operation =
  | "activate"
  | "validate"
  | "consume"
  | "deactivate"
  | "trials"
  | "floating/checkout"
  | "floating/heartbeat"
  | "floating/checkin"

/** An answer or what was kept of it is another device's. */
export class OtherDevice extends Error {
  override readonly name = "OtherDevice"
  readonly code = "device_mismatch"
}

/** A refusal that a trusted key signed, for the very question that was asked: its code and its detail are the signed ones. */
export class ProvenRefusal extends CountersignError {
  readonly #proof: RefusalProof
  readonly #learned: LearnedKeys
  constructor(
    error: CountersignError,
    code: string,
    detail: string | undefined,
    proof: RefusalProof,
    learned: LearnedKeys
  ) {
    const { body, docUrl, fields, message, requestId, retryAfterMs, status } = error
    super({ code, message, detail, status, requestId, fields, docUrl, retryAfterMs, body, cause: error.cause })
    this.#proof = proof
    this.#learned = learned
  }
  get proof(): RefusalProof {
    return this.#proof
  }
  get learned(): LearnedKeys {
    return this.#learned
  }
}

/** What an error decides about the license; undefined where it decides nothing, as what nobody signed never does. */
export const decisionOf = (error: unknown): Reason | undefined =>
  error instanceof ProvenRefusal ? reasonOf(error) : undefined

/**
 * What went wrong, where it was asking or verifying that did. Anything else is no problem of a license, and is thrown on.
 */
export const problemOf = (error: unknown): AppProblem => {
  const isKnown = error instanceof CountersignError || error instanceof EnvelopeError ||
    error instanceof OfflineError || error instanceof OtherDevice
  if (!isKnown) throw error
  const detail = error instanceof CountersignError ? error.detail : undefined
  return { code: error.code, message: error.message, ...(detail === undefined ? {} : { detail }) }
}

const instant = (data: Members, member: string): number => {
  const at = typeof data[member] === "string" ? Date.parse(data[member]) : Number.NaN
  if (Number.isNaN(at)) throw new EnvelopeError("malformed", `The signed data has no ${member}`)
  return at
}

/** Asks the service, and verifies what it answers and what was kept of that. */
export interface Questions {
  /** Runs something in which the list of keys is fetched once at most, however much is signed with keys that are not known. */
  readonly listOnce: <A>(action: () => Promise<A>) => Promise<A>
  /** Asks anew what is listed, where what is kept does not verify for what was learned of its key; answers what to learn. */
  readonly listAgain: (record: LicenseRecord) => Promise<LearnedKeys>
  /**
   * Asks, and verifies the answer: the key, the signature, the nonce of this very question, the product and the device.
   * Rejects with a {@link CountersignError}, an {@link EnvelopeError} or an {@link OtherDevice}.
   */
  readonly ask: (operation: Operation, key: string, members: object, record: LicenseRecord) => Promise<Answered>
  /** The devices that hold a seat, newest first. The list is not signed: it decides nothing. */
  readonly listDevices: (key: string, deviceId: string | undefined) => Promise<ReadonlyArray<OwnDevice>>
  /** Fetches an offline envelope; answers its text, and what was learned. */
  readonly fetchEnvelope: (
    key: string,
    deviceId: string,
    record: LicenseRecord
  ) => Promise<{ readonly text: string; readonly opened: VerifiedOffline; readonly learned: LearnedKeys }>
  /** Verifies an answer that was kept, whenever that was. */
  readonly verifyKept: (record: LicenseRecord) => Promise<Members>
  /** Verifies a refusal that was kept, for the key and the device of today; undefined where it proves nothing. */
  readonly verifyKeptRefusal: (record: LicenseRecord) => Promise<AppProblem | undefined>
  /** Opens a file of this device, whenever it was issued; answers it as text, and what was learned. */
  readonly openFile: (
    file: string | Uint8Array,
    key: string,
    record: LicenseRecord
  ) => Promise<{
    readonly text: string
    readonly deviceId: string
    readonly opened: VerifiedOffline
    readonly learned: LearnedKeys
  }>
  /** Opens an envelope that was kept, whenever that was. */
  readonly openEnvelope: (record: LicenseRecord) => Promise<VerifiedOffline>
}

/** The credential as it is sent: what a refusal is bound to. */
const credentialOf = (operation: string, key: string): string =>
  operation === "trials" ? normalToken(key, "publishable key") : normalLicenseKey(key)

/** Fresh or kept, an answer's time is judged elsewhere: by the machine, on a clock with a floor. */
const whenever = 0
const anyClock = Number.MAX_SAFE_INTEGER / 1000

const lastCounter = ({ counter }: LicenseRecord) => counter === undefined ? {} : { lastCounter: counter }

export const makeQuestions = (options: LicenseOptions): Questions => {
  const { productCode, publicKeys } = options
  const transport = new Transport({ maxRetries: 1, timeoutMs: 10_000, ...options.transport, baseUrl: options.baseUrl })
  const mayFetchKeys = options.keyRotation !== "pinned" && isTrustedWay(options.baseUrl)
  const device = {
    ...(options.nameDevice === false ? {} : ownName(nodeProcess())),
    ...options.device,
    fingerprint: options.fingerprint
  }
  /** What was fetched once is not believed by an app that pins: it could never ask again. */
  const trustIn = (record: LearnedKeys) => trustOf(publicKeys, options.keyRotation === "pinned" ? {} : record)
  /** The keys that are known. */
  const known = async (record: LicenseRecord) => (await trustIn(record)).keys
  const fetchList = async (record: LearnedKeys): Promise<LearnedKeys> => {
    const { text } = await transport.send({ method: "GET", path: "/api/v1/system/public-keys", headers: {} })
    return learn(text, publicKeys, record)
  }
  let list = fetchList
  const binding = sha256Hex(bindingOf(device).key)

  /** Sends a question; a refusal of it that a trusted key signed is a {@link ProvenRefusal}. */
  const send = async (
    operation: string,
    key: string,
    members: Members & { readonly nonce: string },
    record: LicenseRecord
  ) => {
    const credential = credentialOf(operation, key)
    const sent = { method: "POST", path: `/api/v1/license/${operation}`, body: JSON.stringify(members) }
    try {
      return await transport.send({
        ...sent,
        headers: {
          authorization: `${operation === "trials" ? "Bearer" : "License"} ${credential}`,
          "content-type": "application/json",
          "idempotency-key": newKey()
        }
      })
    } catch (error) {
      const question = { ...sent, nonce: members.nonce, licenseKey: credential }
      throw (error instanceof CountersignError && await prove(error, question, record)) || error
    }
  }

  /** Verifies with the keys that are known, and if the key is unknown or said to be revoked with those that the service lists. */
  const withKeys = async <A>(
    record: LicenseRecord,
    verify: (keys: ReadonlyArray<PublicKey>) => Promise<A>
  ): Promise<readonly [A, LearnedKeys]> => {
    const trust = await trustIn(record)
    try {
      return [await verify(trust.keys), {}]
    } catch (error) {
      if (!isToBeListed(error, trust) || !mayFetchKeys) throw error
      const learned = await list(record)
      return [await verify((await trustIn(learned)).keys), learned]
    }
  }

  /** A signed refusal of this device, or of a request that names none. */
  const verifyProof = async ({ binding: bound, statement }: RefusalProof, keys: ReadonlyArray<PublicKey>) => {
    const verified = await verifyStatement(statement, keys, bound)
    if (verified.data["fingerprint_hash"] !== undefined) await checkDevice(verified.data)
    return verified
  }

  /** The proof of a refusal; undefined where nobody is trusted who signed it, or it is of something else. */
  const prove = async (error: CountersignError, question: RefusedQuestion, record: LicenseRecord) => {
    try {
      const statement = statementOf(error.body)
      const proof = { statement, binding: await refusalBinding(question) }
      const [{ code, detail }, learned] = await withKeys(record, (keys) => verifyProof(proof, keys))
      return new ProvenRefusal(error, code, detail, proof, learned)
    } catch (reason) {
      problemOf(reason)
      return undefined
    }
  }

  const checkDevice = async (data: Members): Promise<Members> => {
    if (data["fingerprint_hash"] === await binding) return data
    throw new OtherDevice("What the service signed is for another device")
  }

  const verify = async (text: string, nonce: string, keys: ReadonlyArray<PublicKey>): Promise<Members> => {
    const expected = { nonce, productCode, now: whenever }
    return checkDevice((await verifyEnvelope({ body: text, publicKeys: keys, expected })).data)
  }

  const verifyKept = async (record: LicenseRecord) =>
    verify(record.answer!.text, record.answer!.nonce, await known(record))

  const openSealed = async (
    { deviceId, text }: NonNullable<LicenseRecord["envelope"]>,
    licenseKey: string,
    record: LicenseRecord,
    keys: ReadonlyArray<PublicKey>
  ): Promise<VerifiedOffline> => {
    const expected = { productCode, now: whenever, clockSkewSeconds: anyClock, ...lastCounter(record) }
    const opened = await verifyOffline({ envelope: text, licenseKey, deviceId, publicKeys: keys, expected })
    await checkDevice(opened.data)
    return opened
  }

  const openKeptRefusal = async (record: LicenseRecord) => {
    const { proof } = record.refusal ?? {}
    const licenseKey = record.licenseKey ?? options.licenseKey
    if (proof === undefined || licenseKey === undefined) return undefined
    const bound = { ...proof.binding, credentialHash: await sha256Hex(credentialOf("", licenseKey)) }
    return verifyProof({ ...proof, binding: bound }, await known(record))
  }

  return {
    listOnce: async (action) => {
      let listed: Promise<LearnedKeys> | undefined
      list = (record) => listed ??= fetchList(record)
      try {
        return await action()
      } finally {
        list = fetchList
      }
    },
    listAgain: async (record) => {
      if (!mayFetchKeys) return {}
      const kept = [record.answer === undefined ? undefined : verifyKept(record), openKeptRefusal(record)]
      const trust = await trustIn(record)
      const doubts = (await Promise.allSettled(kept)).map((outcome) =>
        outcome.status === "rejected" && isToBeListed(outcome.reason, trust)
      )
      if (!doubts.includes(true)) return {}
      try {
        return await list(record)
      } catch (error) {
        // Where the list cannot be had, what was learned stays.
        problemOf(error)
        return {}
      }
    },
    ask: async (operation, key, members, record) => {
      const nonce = randomHex()
      // A lease names its device by its token.
      const about = "lease_token" in members ? {} : { ...device, product_code: productCode }
      const { text } = await send(operation, key, { ...about, ...members, nonce }, record)
      const [data, learned] = await withKeys(record, (keys) => verify(text, nonce, keys))
      return { data, text, nonce, issuedAt: instant(data, "issued_at"), learned }
    },
    listDevices: async (key, deviceId) => {
      let found: ReadonlyArray<OwnDevice> = []
      for (let cursor: string | undefined = "";;) {
        const query = new URLSearchParams({ limit: "100" })
        if (deviceId !== undefined) query.set("device_id", deviceId)
        if (cursor !== "") query.set("cursor", cursor)
        const { text } = await transport.send({
          method: "GET",
          path: `/api/v1/license/devices?${query}`,
          headers: { authorization: `License ${normalLicenseKey(key)}` }
        })
        const page = readOwnDevices(text)
        if (page === undefined) {
          throw new CountersignError({ code: "INVALID_ANSWER", message: "What answered is not the service" })
        }
        found = found.concat(page.devices)
        cursor = page.next
        if (cursor === undefined) return found
      }
    },
    fetchEnvelope: async (licenseKey, deviceId, record) => {
      const nonce = randomHex()
      const { text } = await send("offline", licenseKey, { ...device, product_code: productCode, nonce }, record)
      const answer = parseAnswer(text)
      const envelope = JSON.stringify(isObject(answer) ? answer["data"] : undefined)
      const [opened, learned] = await withKeys(record, (keys) =>
        verifyOffline({
          envelope,
          licenseKey,
          deviceId,
          publicKeys: keys,
          expected: { productCode, clockSkewSeconds: anyClock, ...lastCounter(record) }
        }))
      if (opened.data["nonce"] !== nonce) {
        throw new EnvelopeError("nonce_mismatch", "The envelope belongs to another request")
      }
      return { text: envelope, opened, learned }
    },
    verifyKept,
    verifyKeptRefusal: async (record) => {
      try {
        const opened = await openKeptRefusal(record)
        if (opened === undefined) return undefined
        const { code, detail } = opened
        return { code, message: record.refusal?.message ?? "", ...(detail === undefined ? {} : { detail }) }
      } catch (error) {
        problemOf(error)
        return undefined
      }
    },
    openFile: async (file, licenseKey, record) => {
      const envelope = envelopeIn(file)
      const deviceId = String(envelope["device_id"])
      const text = JSON.stringify(envelope)
      const open = (publicKeys: ReadonlyArray<PublicKey>) =>
        openSealed({ text, deviceId }, licenseKey, record, publicKeys)
      const [opened, learned] = await withKeys(record, open).catch(async (error: unknown) => {
        // Where nobody can be asked of its key, it is a key that is not known.
        if (!(error instanceof CountersignError)) throw error
        return [await open(await known(record)), {}] as const
      })
      return { text, deviceId, opened, learned }
    },
    openEnvelope: async (record) => openSealed(record.envelope!, record.licenseKey!, record, await known(record))
  }
}
