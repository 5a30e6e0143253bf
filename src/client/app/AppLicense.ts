import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { OwnDevice } from "../device/OwnDevice.ts"
import { recordFor } from "../license/LicenseRecord.ts"
import type { LicenseRecord, SignedInUser } from "../license/LicenseRecord.ts"
import { customFieldOf, isOfTest } from "../license/Machine.ts"
import type { CustomFieldValue } from "../license/Machine.ts"
import type { LicenseOptions } from "../license/Options.ts"
import type { UserSignInOptions } from "../license/SignedInUser.ts"
import { CountersignError } from "../transport/CountersignError.ts"
import { normalLicenseKey, randomHex } from "../transport/Credentials.ts"
import { EnvelopeError } from "../verify/verifyEnvelope.ts"
import { consume, featuresOf, refund } from "./Consumption.ts"
import type { FeatureGrant, FeatureValue, Refund, UsageReceipt, Use } from "./Consumption.ts"
import { FloatingSeat } from "./FloatingSeat.ts"
import { adoptLicense, checkLicense, giveBack, watch } from "./LicenseCalls.ts"
import { Session } from "./Session.ts"
import { recordAs, signIn, startMailSignIn, startUserSignIn, viewOf } from "./UserSigningIn.ts"
import type {
  LicenseView,
  MailSignInPrompt,
  SignedInTo,
  StartMailSignInOptions,
  StartUserSignInOptions,
  UserSignInPrompt
} from "./UserSigningIn.ts"

/** The error of a call that needs a license where the app has none. */
const noLicense = (message = "The app has no license yet.") => new CountersignError({ code: "NO_LICENSE", message })

/** Fetches an offline envelope for the license of a key, and keeps it. */
const keepEnvelope = async (session: Session, key: string, deviceId: string): Promise<void> => {
  const { learned, opened, text } = await session.requests.fetchEnvelope(key, deviceId, session.record)
  const heard = Date.parse(String(opened.data["issued_at"]))
  await session.update(async (record) => {
    if (session.keyOf(record) !== key) throw noLicense("The app has another license by now.")
    return {
      ...await session.withLearned(record, learned),
      licenseKey: key,
      envelope: { text, deviceId },
      counter: opened.offlineCounter
    }
  }, { heard, moved: isOfTest(opened.data), mustKeep: true })
}

/** When a refusal that is kept was signed; undefined where it proves nothing. */
const refusedAt = ({ refusal }: LicenseRecord): number => {
  const statement = refusal?.proof?.statement
  const data = isMembers(statement) ? statement["data"] : undefined
  return isMembers(data) ? Date.parse(String(data["issued_at"])) : Number.NaN
}

/** Takes over an offline file that was issued for this machine, and the license that it is of. */
const takeOverFile = async (session: Session, file: string | Uint8Array, key: string): Promise<void> => {
  const { deviceId, learned, opened, text } = await session.requests.openFile(
    file,
    key,
    recordFor(session.record, key)
  )
  const issuedAt = Date.parse(String(opened.data["issued_at"]))
  const until = Date.parse(String(opened.data["valid_until"]))
  // A clock that is earlier than the file was set back, or never set.
  if (Math.max(session.time.now(), issuedAt) > until) {
    throw new EnvelopeError("expired", "The time of the file is over")
  }
  await session.update(async (kept) => {
    const record = recordFor(kept, key)
    const { refusal } = record
    if (refusal !== undefined && refusedAt(record) >= issuedAt) {
      throw new CountersignError({
        code: refusal.code,
        detail: refusal.detail,
        message: "The service refused the license after the file was issued"
      })
    }
    return {
      ...await session.withLearned(record, learned),
      envelope: { text, deviceId },
      counter: Math.max(record.counter ?? 0, opened.offlineCounter),
      refusal: undefined,
      isGivenBack: undefined
    }
  }, { atLeast: issuedAt, moved: isOfTest(opened.data), mustKeep: true })
}

/**
 * A license in an app. It runs on while the service is away, for as long as the service signed and the vendor's grace allows,
 * and stops at once when the service refuses it, which it signs: what anybody can say stops nothing.
 */
export class AppLicense {
  readonly #session: Session
  readonly #floating: FloatingSeat
  #checking: Promise<LicenseView> | undefined
  /** The key that a person gave last, be it refused. */
  #given: string | undefined
  #signedIn: SignedInTo | undefined
  /** Use {@link openLicense}, which reads the store. */
  constructor(session: Session) {
    this.#session = session
    this.#floating = new FloatingSeat(session, randomHex())
  }

  /** How the license stands at this moment, as far as this window knows. */
  get standing(): LicenseView {
    return viewOf(this.#session)
  }

  /** A feature that the license grants; undefined if it does not, or may not run. */
  feature(code: string): FeatureGrant | undefined {
    if (!this.#session.isRunning) return undefined
    return featuresOf(this.#session).find((feature) => feature.code === code && feature.enabled)
  }

  /**
   * The value that a feature carries, as `max_projects: 10`, which the service signed; undefined if it carries none, or the license
   * does not grant the feature or may not run.
   */
  value(code: string): FeatureValue | undefined {
    return this.feature(code)?.value
  }

  /** The value of a custom field, as the service signed it; undefined if the license has none, or may not run. */
  customField(code: string): CustomFieldValue | undefined {
    return this.#session.isRunning ? customFieldOf(this.#session.data, code) : undefined
  }

  /** Calls a listener at every change, of whichever window, as this one learns of it. Answers what ends that. */
  onChange(listener: (standing: LicenseView) => void): () => void {
    return this.#session.onChange(() => listener(this.standing))
  }

  /**
   * Activates this device with a license key, as a person typed or pasted it. Rejects with a `CountersignError` or what a
   * verifier says if it is refused or nobody can be asked, with `LICENSE_KEY_MALFORMED` if it cannot be a key; a license that runs then goes on running.
   */
  async activate(licenseKey: string): Promise<LicenseView> {
    const key = normalLicenseKey(licenseKey)
    this.#given = key
    return this.#adopt(key, () => this.#session.requests.send("activate", key, {}, this.#session.record))
  }

  /**
   * The devices that hold a seat of the license: of the key that was given last, be it refused because no seat is free, or that
   * the app has. For a person to choose whose seat {@link takeSeat} takes. Rejects with a `CountersignError`, with
   * `SELF_SERVICE_NOT_ALLOWED` where the terms leave that to the vendor.
   */
  async devices(): Promise<ReadonlyArray<OwnDevice>> {
    await this.#session.sync()
    const { data, record, requests } = this.#session
    const key = this.#given ?? this.#key()
    return requests.listDevices(key, { deviceId: data?.["device_id"], record: recordAs(record, key, this.#signedIn) })
  }

  /**
   * Activates this device with the key that {@link devices} is about, and takes the seat of another device if none is free: that
   * device stays out until a person activates it again. Rejects as {@link activate} does, with `SELF_SERVICE_LIMIT_EXCEEDED` when
   * that was done too often.
   */
  async takeSeat(of: string | Pick<OwnDevice, "id">): Promise<LicenseView> {
    await this.#session.sync()
    const key = this.#given ?? this.#key()
    const take_seat_of = typeof of === "string" ? of : of.id
    const user = this.#signedIn?.key === key ? this.#signedIn.user : undefined
    const record = recordAs(this.#session.record, key, this.#signedIn)
    return this.#adopt(key, () => this.#session.requests.send("activate", key, { take_seat_of }, record), user)
  }

  /** The user who is signed in; undefined where nobody is, or the sign-in has ended. Sign in again before `until`. */
  get user(): SignedInUser | undefined {
    const { record: { user }, time } = this.#session
    return user !== undefined && user.until > time.now() ? user : undefined
  }

  /**
   * Signs a person in to a license with users, by an ID token of the identity provider that the license trusts, and activates this
   * device for the person. Rejects with a `CountersignError` as `USER_NOT_ALLOWED` if it is refused.
   */
  async signInUser({ activate, idToken, licenseKey, nonce }: UserSignInOptions): Promise<LicenseView> {
    await this.#session.sync()
    const asked = { id_token: idToken, ...(nonce === undefined ? {} : { id_token_nonce: nonce }) }
    return this.#signIn(this.#keyGiven(licenseKey), asked, activate)
  }

  /** Begins a sign-in by a mail, for a license that trusts no identity provider. Answers the same for every address. */
  async startMailSignIn({ email, licenseKey }: StartMailSignInOptions): Promise<MailSignInPrompt> {
    await this.#session.sync()
    const key = this.#keyGiven(licenseKey)
    return startMailSignIn(this.#session, { email, key }, (asked, activate) => this.#signIn(key, asked, activate))
  }

  /**
   * Begins a sign-in for a person who has a browser on another device: answers a code and a page to show, and what then waits. Rejects
   * with `SIGN_IN_UNSUPPORTED` where the identity provider of the license has none, or `IDENTITY_PROVIDER_UNAVAILABLE`.
   */
  async startUserSignIn(options: StartUserSignInOptions = {}): Promise<UserSignInPrompt> {
    await this.#session.sync()
    const licenseKey = this.#keyGiven(options.licenseKey)
    return startUserSignIn(this.#session, { ...options, licenseKey }, (given) => this.signInUser(given))
  }

  /** Opens the trial of this device by a publishable key, or goes on with the one that runs. Rejects as {@link activate} does. */
  startTrial(publishableKey: string): Promise<LicenseView> {
    return this.#adopt(undefined, () => this.#session.requests.send("trials", publishableKey, {}, this.#session.record))
  }

  /**
   * Asks the service whether this device may run, at the start of the app. Never rejects: without an answer the standing is
   * that of what is kept, which a service that hangs delays by up to 20.5 s: two attempts of 10 s, and the pause between them
   * (`transport` sets them). Do not let a window wait for it: {@link standing} is known at once. Activates again where the
   * device was released; sends the usage that waits.
   */
  check(): Promise<LicenseView> {
    this.#checking ??= this.#session.requests.listOnce(() => this.#check()).finally(() => (this.#checking = undefined))
    return this.#checking
  }

  /**
   * Keeps checking while the app runs, when the service said it should, later where it cannot be reached, and notices what other
   * windows learn. Heartbeats of a floating seat are sent in time. Answers what ends it.
   */
  watch(listener?: (standing: LicenseView) => void): () => void {
    const silence = listener === undefined ? undefined : this.onChange(listener)
    const stop = watch(this.#session, this.#floating, () => this.check())
    return () => {
      silence?.()
      stop()
    }
  }

  /**
   * Uses up some of a metered feature, once, however often the app or its network fails: the use is kept before it is sent. Without
   * the service it waits (`pending`), as long as what is left of the quota covers it. Rejects with a `CountersignError`
   * if it is refused. An `eventId` of your own makes a repetition by your program count once. A number
   * counts the smallest steps of the feature; a text, such as `"0.25"`, is exact by its `decimals`. `dimensions`, such as
   * `{ model: "large" }`, are what usage is grouped by in reports.
   */
  consume(
    featureCode: string,
    amount: number | string = 1,
    eventId?: string,
    dimensions?: Readonly<Record<string, string>>
  ): Promise<Use> {
    return consume(this.#session, { featureCode, given: amount, eventId, dimensions })
  }

  /**
   * Refunds usage of this device that came to nothing, by the `eventId` of {@link consume}, whole or in part, where the terms allow it
   * (`refund_window_minutes`). Needs the service: nothing waits. Rejects with a `CountersignError`: `REFUND_NOT_ALLOWED` where
   * the terms do not allow it or not any more, `STATE_CONFLICT` where it was refunded already.
   */
  refund(featureCode: string, eventId: string, amount?: number | string): Promise<Refund> {
    return refund(this.#session, { featureCode, eventId, given: amount })
  }

  /**
   * The proof that a use is in the vendor's event log, verified; keep its `text` for disputes. `featureCode` is needed where one
   * `eventId` was counted for several. Rejects with a `CountersignError`: `UNAVAILABLE` until a checkpoint covers the use, about a second.
   */
  async receipt(eventId: string, featureCode?: string): Promise<UsageReceipt> {
    await this.#session.sync()
    return this.#session.requests.fetchReceipt(this.#key(), eventId, featureCode, this.#session.record)
  }

  /**
   * Takes a floating seat; {@link watch} then keeps it. A key is needed until one was had. Rejects as {@link activate} does, with
   * `FLOATING_LIMIT_EXCEEDED` when none is free; a license with another key then stays as it is.
   */
  async acquire(licenseKey?: string): Promise<LicenseView> {
    await this.#session.sync()
    const key = licenseKey === undefined ? this.#key() : normalLicenseKey(licenseKey)
    this.#given = key
    return this.#attempt(key, () => this.#floating.acquire(key))
  }

  /** Releases the floating seat. Rejects if the service cannot be reached; the seat is then free when its lease expires. */
  async release(): Promise<LicenseView> {
    await this.#floating.release(this.#key())
    return this.standing
  }

  /**
   * Fetches an envelope by which the app runs without a network, for as long as the terms of the license say, and keeps it. Each
   * has the full time anew. Rejects if the terms do not allow it (`OFFLINE_NOT_ALLOWED`), or nobody can be asked.
   */
  async goOffline(): Promise<LicenseView> {
    const session = this.#session
    await session.sync()
    const key = this.#key()
    const deviceId = session.data?.["device_id"]
    if (typeof deviceId !== "string") throw noLicense()
    return this.#attempt(key, () => keepEnvelope(session, key, deviceId))
  }

  /**
   * Takes over an offline file (`.lic`) that the vendor issued for this machine, its bytes or its text as it came by mail, and by
   * it a license that the app has not yet. Asks nobody. A file of later than a refusal lifts it. Rejects, and keeps what there
   * was: `license_key_invalid` or `cannot_decrypt` with another key, `device_mismatch`, `product_mismatch`, `expired`,
   * `rolled_back` where a later one was had, `unknown_key`; and by the code of a refusal that was signed later.
   */
  async keepOffline(file: string | Uint8Array, licenseKey?: string): Promise<LicenseView> {
    await this.#session.sync()
    await takeOverFile(this.#session, file, this.#keyGiven(licenseKey))
    return this.standing
  }

  /**
   * Gives this device's seat back, for another device. Rejects if the service cannot be told: the device then keeps its seat and
   * the app its license.
   */
  async deactivate(): Promise<LicenseView> {
    await this.#session.sync()
    await giveBack(this.#session, this.#key())
    return this.standing
  }

  #signIn(key: string, asked: JsonMembers, activate: boolean | undefined): Promise<LicenseView> {
    this.#given = key
    return signIn(this.#session, { key, asked, activate }, {
      know: (user) => (this.#signedIn = { key, user }),
      adopt: (send, user) => this.#adopt(key, send, user),
      check: () => this.check()
    })
  }

  #keyGiven(licenseKey: string | undefined): string {
    return licenseKey === undefined ? this.#given ?? this.#key() : normalLicenseKey(licenseKey)
  }

  #key(): string {
    const { licenseKey } = this.#session
    if (licenseKey === undefined) throw noLicense()
    return licenseKey
  }

  /** Runs what asks about the license of a key, and takes in a refusal of it. */
  async #attempt(key: string | undefined, action: () => Promise<void>): Promise<LicenseView> {
    try {
      await action()
    } catch (error) {
      await this.#session.refuse(error, key)
      throw error
    }
    return this.standing
  }

  /** Takes over a license that this device was activated with. */
  #adopt(
    licenseKey: string | undefined,
    send: () => ReturnType<Session["requests"]["send"]>,
    user?: SignedInUser
  ): Promise<LicenseView> {
    return this.#attempt(licenseKey, () => adoptLicense(this.#session, licenseKey, send, user))
  }

  async #check(): Promise<LicenseView> {
    await checkLicense(this.#session, this.#floating)
    return this.standing
  }
}

/**
 * Opens the license of an app: reads what is kept and verifies it again, without the network. Then call `check()`. Throws a
 * TypeError where the options make no sense, as without a pinned key.
 */
export const openLicense = async (options: LicenseOptions): Promise<AppLicense> => {
  // Without it the license of any product would do; an unset variable is undefined whatever the types say.
  if (!options.productCode) throw new TypeError("productCode must be the code of your product")
  const shipped: unknown = options.publicKeys
  if (!Array.isArray(shipped) || shipped.length === 0 || !shipped.every(isMembers)) {
    throw new TypeError(
      "publicKeys must have the keys that you ship with the app: the array that is `data` of the list of public keys"
    )
  }
  if (options.fingerprint.trim() === "") throw new TypeError("fingerprint must name this machine")
  if (!((options.graceDays ?? 0) >= 0)) throw new TypeError("graceDays must not be negative")
  const session = new Session(options)
  await session.sync()
  return new AppLicense(session)
}
