import { environmentOf } from "../../domain/ground/environments/Environment.ts"
import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { bindingOf } from "../../domain/licensing/entitlements/DeviceBinding.ts"
import { ownName } from "../device/DeviceName.ts"
import { readOwnDevices } from "../device/OwnDevice.ts"
import type { OwnDevice } from "../device/OwnDevice.ts"
import { nodeProcess } from "../device/System.ts"
import type { LicenseRecord, RefusalProof } from "../license/LicenseRecord.ts"
import type { DeviceMembers, LicenseOptions } from "../license/Options.ts"
import { instant, isOfPerson, userHeaders, userIssuer, userMembers } from "../license/SignedInUser.ts"
import type { OpenedEnvelope, Operation, SignedAnswer } from "../license/SignedInUser.ts"
import type { AppProblem } from "../license/States.ts"
import { sha256Hex } from "../notes/checkpoint.ts"
import type { PublicKey } from "../notes/checkpoint.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { newKey, normalLicenseKey, normalToken, randomHex } from "../transport/Credentials.ts"
import { Transport } from "../transport/Transport.ts"
import { isToBeListed, isTrustedWay, learn, trustOf } from "../verify/KeyTrust.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import {
  EnvelopeError,
  otherEnvironment,
  parseAnswer,
  refusalBinding,
  statementOf,
  verifyEnvelope,
  verifyStatement
} from "../verify/verifyEnvelope.ts"
import type { RefusedQuestion } from "../verify/verifyEnvelope.ts"
import { envelopeIn, verifyOffline } from "../verify/verifyOffline.ts"
import type { VerifiedOffline } from "../verify/verifyOffline.ts"
import { verifyReceipt } from "../verify/verifyReceipt.ts"
import { isOtherEnvironment, OtherDevice, problemOf, ProvenRefusal } from "./Refusal.ts"

/** The signing keys that an app trusts: those that it ships, and those that it learned from the service's list. */
class AppKeys {
  readonly #options: LicenseOptions
  readonly #transport: Transport
  readonly #mayList: boolean
  /** The list as the running action fetched it. */
  #listed: { list?: Promise<LearnedKeys> } | undefined

  constructor(options: LicenseOptions, transport: Transport) {
    this.#options = options
    this.#transport = transport
    this.#mayList = options.keyRotation !== "pinned" && isTrustedWay(options.baseUrl)
  }

  /** The keys that are known. */
  async known(record: LicenseRecord): Promise<ReadonlyArray<PublicKey>> {
    return (await this.#trustIn(record)).keys
  }

  /** Runs an action in which the list is fetched once at most, however much is signed with unknown keys. */
  async listOnce<A>(action: () => Promise<A>): Promise<A> {
    this.#listed = {}
    try {
      return await action()
    } finally {
      this.#listed = undefined
    }
  }

  /** Verifies with the known keys and, where the key is unknown or said to be revoked, with those that the service lists. */
  async verify<A>(
    record: LicenseRecord,
    verify: (keys: ReadonlyArray<PublicKey>) => Promise<A>
  ): Promise<readonly [A, LearnedKeys]> {
    const trust = await this.#trustIn(record)
    try {
      return [await verify(trust.keys), {}]
    } catch (error) {
      if (!isToBeListed(error, trust) || !this.#mayList) throw error
      const learned = await this.#list(record)
      return [await verify((await this.#trustIn(learned)).keys), learned]
    }
  }

  /** Fetches the list again where a kept text no longer verifies because of what was learned of its key. */
  async relearn(
    record: LicenseRecord,
    verifyKept: () => ReadonlyArray<Promise<unknown> | undefined>
  ): Promise<LearnedKeys> {
    if (!this.#mayList) return {}
    const outcomes = await Promise.allSettled(verifyKept())
    const trust = await this.#trustIn(record)
    const isDoubted = outcomes.some((outcome) => outcome.status === "rejected" && isToBeListed(outcome.reason, trust))
    if (!isDoubted) return {}
    try {
      return await this.#list(record)
    } catch (error) {
      // Where the list cannot be had, what was learned stays.
      problemOf(error)
      return {}
    }
  }

  /** An app that pins does not believe what was fetched once: it could never ask again. */
  #trustIn(record: LearnedKeys) {
    return trustOf(this.#options.publicKeys, this.#options.keyRotation === "pinned" ? {} : record)
  }

  #list(record: LearnedKeys): Promise<LearnedKeys> {
    if (this.#listed === undefined) return this.#fetch(record)
    this.#listed.list ??= this.#fetch(record)
    return this.#listed.list
  }

  async #fetch(record: LearnedKeys): Promise<LearnedKeys> {
    const { text } = await this.#transport.send({ method: "GET", path: "/api/v1/system/public-keys", headers: {} })
    return learn(text, this.#options.publicKeys, record)
  }
}

/** The credential as it is sent: a refusal is bound to it. */
const credentialOf = (operation: string, key: string): string =>
  operation === "trials" ? normalToken(key, "publishable key") : normalLicenseKey(key)

/** The time of an answer, fresh or kept, is judged elsewhere: by the machine, on a clock with a floor. */
const anyTime = 0
const anySkew = Number.MAX_SAFE_INTEGER / 1000

const lastCounter = ({ counter }: LicenseRecord) => counter === undefined ? {} : { lastCounter: counter }

/** Sends the requests of an app, and verifies what is answered and what was kept of earlier answers. */
export class AppRequests {
  readonly #options: LicenseOptions
  readonly #transport: Transport
  readonly #keys: AppKeys
  readonly #device: DeviceMembers & { readonly fingerprint: string }
  readonly #binding: Promise<string>

  constructor(options: LicenseOptions) {
    this.#options = options
    this.#transport = new Transport({
      maxRetries: 1,
      timeoutMs: 10_000,
      ...options.transport,
      baseUrl: options.baseUrl
    })
    this.#keys = new AppKeys(options, this.#transport)
    this.#device = {
      ...(options.nameDevice === false ? {} : ownName(nodeProcess())),
      ...options.device,
      fingerprint: options.fingerprint
    }
    this.#binding = sha256Hex(bindingOf(this.#device).key)
  }

  /** Runs an action in which the list of keys is fetched once at most. */
  listOnce<A>(action: () => Promise<A>): Promise<A> {
    return this.#keys.listOnce(action)
  }

  /** Fetches the list of keys again where a kept text no longer verifies because of what was learned of its key. */
  relearnKeys(record: LicenseRecord): Promise<LearnedKeys> {
    return this.#keys.relearn(record, () => [
      record.answer === undefined ? undefined : this.verifyAnswer(record),
      this.#openRefusal(record)
    ])
  }

  /**
   * Sends a request and verifies the answer: the key, the signature, the nonce of this very request, the product and the
   * device. Rejects with a {@link CountersignError}, an {@link EnvelopeError} or an {@link OtherDevice}.
   */
  async send(operation: Operation, key: string, members: object, record: LicenseRecord): Promise<SignedAnswer> {
    const nonce = randomHex()
    // A lease names its device by its token, and a sign-in is of a person.
    const device = "lease_token" in members || isOfPerson(operation) ? {} : this.#ownMembers
    const user = userMembers(operation, record, key)
    const { text } = await this.#post(operation, key, { ...device, ...user, ...members, nonce }, record)
    const [data, learned] = await this.#keys.verify(
      record,
      (keys) => isOfPerson(operation) ? this.#verifyPlain(text, nonce, keys) : this.#verify(text, nonce, keys)
    )
    return { data, text, nonce, issuedAt: instant(data, "issued_at"), learned }
  }

  /** The devices that hold a seat, newest first. The list is not signed: it decides nothing. */
  async listDevices(
    key: string,
    { deviceId, record }: { readonly deviceId: unknown; readonly record: LicenseRecord }
  ): Promise<ReadonlyArray<OwnDevice>> {
    let found: ReadonlyArray<OwnDevice> = []
    for (let cursor: string | undefined = "";;) {
      const query = new URLSearchParams({ limit: "100" })
      if (typeof deviceId === "string") query.set("device_id", deviceId)
      if (cursor !== "") query.set("cursor", cursor)
      const { text } = await this.#get("devices", key, `?${query}`, userHeaders(record, key))
      const page = readOwnDevices(text)
      if (page === undefined) {
        throw new CountersignError({ code: "INVALID_ANSWER", message: "The response is not from the service" })
      }
      found = found.concat(page.devices)
      cursor = page.next
      if (cursor === undefined) return found
    }
  }

  /** Where the users of a license sign in, verified. */
  async findIssuer(key: string, record: LicenseRecord) {
    const nonce = randomHex()
    const { text } = await this.#get("users/issuer", key, "", { "x-nonce": nonce })
    const [data] = await this.#keys.verify(record, (keys) => this.#verifyPlain(text, nonce, keys))
    return userIssuer(data)
  }

  /** The receipt of a use, verified, and the response that proves it. */
  async fetchReceipt(key: string, eventId: string, featureCode: string | undefined, record: LicenseRecord) {
    const nonce = randomHex()
    const query = new URLSearchParams({ event_id: eventId })
    if (featureCode !== undefined) query.set("feature_code", featureCode)
    const { text } = await this.#get("receipt", key, `?${query}`, { ...userHeaders(record, key), "x-nonce": nonce })
    const asked = { receipt: text, expected: { eventId, nonce }, allowTest: this.#allowTest }
    const [verified] = await this.#keys.verify(record, (publicKeys) => verifyReceipt({ ...asked, publicKeys }))
    return { ...verified, text }
  }

  async fetchEnvelope(licenseKey: string, deviceId: string, record: LicenseRecord): Promise<OpenedEnvelope> {
    const nonce = randomHex()
    const members = { ...this.#ownMembers, ...userMembers("offline", record, licenseKey), nonce }
    const { text } = await this.#post("offline", licenseKey, members, record)
    const answer = parseAnswer(text)
    const envelope = JSON.stringify(isMembers(answer) ? answer["data"] : undefined)
    const expected = { productCode: this.#options.productCode, clockSkewSeconds: anySkew, ...lastCounter(record) }
    const [opened, learned] = await this.#keys.verify(
      record,
      (publicKeys) =>
        verifyOffline({ envelope, licenseKey, deviceId, publicKeys, expected, allowTest: this.#allowTest })
    )
    if (opened.data["nonce"] !== nonce) {
      throw new EnvelopeError("nonce_mismatch", "The envelope belongs to another request")
    }
    return { text: envelope, opened, learned }
  }

  /** Opens an offline file of this device, whenever it was issued. */
  async openFile(
    file: string | Uint8Array,
    licenseKey: string,
    record: LicenseRecord
  ): Promise<OpenedEnvelope & { readonly deviceId: string }> {
    const envelope = envelopeIn(file)
    const deviceId = String(envelope["device_id"])
    const text = JSON.stringify(envelope)
    const open = (publicKeys: ReadonlyArray<PublicKey>) =>
      this.#openSealed({ text, deviceId }, licenseKey, record, publicKeys)
    const [opened, learned] = await this.#keys.verify(record, open).catch(async (error: unknown) => {
      // Where the list cannot be had, its key is one that is not known.
      if (!(error instanceof CountersignError)) throw error
      return [await open(await this.#keys.known(record)), {}] as const
    })
    return { text, deviceId, opened, learned }
  }

  /** Opens the envelope that is kept, whenever it was issued. */
  async openEnvelope(record: LicenseRecord): Promise<VerifiedOffline> {
    return this.#openSealed(record.envelope!, record.licenseKey!, record, await this.#keys.known(record))
  }

  /** Verifies the answer that is kept, whenever it was given. */
  async verifyAnswer(record: LicenseRecord): Promise<JsonMembers> {
    return this.#verify(record.answer!.text, record.answer!.nonce, await this.#keys.known(record))
  }

  /** Verifies the refusal that is kept, for the key and the device of today; undefined where it proves nothing. */
  async verifyRefusal(record: LicenseRecord): Promise<AppProblem | undefined> {
    try {
      const opened = await this.#openRefusal(record)
      if (opened === undefined) return undefined
      const { code, detail } = opened
      return { code, message: record.refusal?.message ?? "", ...(detail === undefined ? {} : { detail }) }
    } catch (error) {
      problemOf(error)
      return undefined
    }
  }

  get #allowTest(): boolean {
    return this.#options.allowTest === true
  }

  /** The credential as it is sent. One of another environment is refused before anybody is asked. */
  #credential(operation: string, key: string): string {
    const credential = credentialOf(operation, key)
    if (!this.#allowTest && environmentOf(credential) === "test") {
      throw otherEnvironment(operation === "trials" ? "publishable key" : "license key", "test")
    }
    return credential
  }

  #get(operation: string, key: string, query: string, headers: Readonly<Record<string, string>> = {}) {
    const authorization = `License ${this.#credential(operation, key)}`
    const path = `/api/v1/license/${operation}${query}`
    return this.#transport.send({ method: "GET", path, headers: { ...headers, authorization } })
  }

  get #ownMembers() {
    return { ...this.#device, product_code: this.#options.productCode }
  }

  /** Sends a request; a refusal of it that a trusted key signed is a {@link ProvenRefusal}. */
  async #post(
    operation: string,
    key: string,
    members: JsonMembers & { readonly nonce: string },
    record: LicenseRecord
  ) {
    const credential = this.#credential(operation, key)
    const sent = { method: "POST", path: `/api/v1/license/${operation}`, body: JSON.stringify(members) }
    try {
      return await this.#transport.send({
        ...sent,
        headers: {
          authorization: `${operation === "trials" ? "Bearer" : "License"} ${credential}`,
          "content-type": "application/json",
          "idempotency-key": newKey()
        }
      })
    } catch (error) {
      const request = { ...sent, nonce: members.nonce, licenseKey: credential }
      throw (error instanceof CountersignError && await this.#prove(error, request, record)) || error
    }
  }

  /** A refusal with its proof; undefined where no trusted key signed it, or it is of another request. */
  async #prove(error: CountersignError, request: RefusedQuestion, record: LicenseRecord) {
    try {
      const proof = { statement: statementOf(error.body), binding: await refusalBinding(request) }
      const [{ code, detail }, learned] = await this.#keys.verify(record, (keys) => this.#verifyProof(proof, keys))
      return new ProvenRefusal(error, code, detail, proof, learned)
    } catch (reason) {
      if (isOtherEnvironment(reason)) throw reason
      problemOf(reason)
      return undefined
    }
  }

  /** A signed refusal of this device, or of a request that names none. */
  async #verifyProof({ binding, statement }: RefusalProof, keys: ReadonlyArray<PublicKey>) {
    const verified = await verifyStatement(statement, keys, binding, this.#allowTest)
    if (verified.data["fingerprint_hash"] !== undefined) await this.#checkDevice(verified.data)
    return verified
  }

  async #openRefusal(record: LicenseRecord) {
    const { proof } = record.refusal ?? {}
    const licenseKey = record.licenseKey ?? this.#options.licenseKey
    if (proof === undefined || licenseKey === undefined) return undefined
    const binding = { ...proof.binding, credentialHash: await sha256Hex(credentialOf("", licenseKey)) }
    return this.#verifyProof({ ...proof, binding }, await this.#keys.known(record))
  }

  /** An answer that is of no device. */
  async #verifyPlain(body: string, nonce: string, publicKeys: ReadonlyArray<PublicKey>): Promise<JsonMembers> {
    return (await verifyEnvelope({ body, publicKeys, expected: { nonce, now: anyTime }, allowTest: this.#allowTest }))
      .data
  }

  async #verify(body: string, nonce: string, publicKeys: ReadonlyArray<PublicKey>): Promise<JsonMembers> {
    const expected = { nonce, productCode: this.#options.productCode, now: anyTime }
    return this.#checkDevice((await verifyEnvelope({ body, publicKeys, expected, allowTest: this.#allowTest })).data)
  }

  async #openSealed(
    { deviceId, text }: NonNullable<LicenseRecord["envelope"]>,
    licenseKey: string,
    record: LicenseRecord,
    publicKeys: ReadonlyArray<PublicKey>
  ): Promise<VerifiedOffline> {
    const { productCode } = this.#options
    const expected = { productCode, now: anyTime, clockSkewSeconds: anySkew, ...lastCounter(record) }
    const allowTest = this.#allowTest
    const opened = await verifyOffline({ envelope: text, licenseKey, deviceId, publicKeys, expected, allowTest })
    await this.#checkDevice(opened.data)
    return opened
  }

  async #checkDevice(data: JsonMembers): Promise<JsonMembers> {
    if (data["fingerprint_hash"] === await this.#binding) return data
    throw new OtherDevice("The signed response is for another device")
  }
}
