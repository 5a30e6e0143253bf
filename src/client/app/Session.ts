import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { parseLicenseKey } from "../../domain/keys/security/Credential.ts"
import { emptyRecord, isOfSeat, readRecord, writeRecord } from "../license/LicenseRecord.ts"
import type { LicenseRecord } from "../license/LicenseRecord.ts"
import { initial, instantOf, isOfTest, limitsOf, next } from "../license/Machine.ts"
import type { AppEvent, Standing } from "../license/Machine.ts"
import type { LicenseOptions } from "../license/Options.ts"
import type { SignedAnswer } from "../license/SignedInUser.ts"
import { reasonOf, runningStates } from "../license/States.ts"
import type { AppProblem } from "../license/States.ts"
import { exclusively, makeTime, systemClock } from "../license/Store.ts"
import type { AppClock, LicenseTime } from "../license/Store.ts"
import { withLearned } from "../verify/KeyTrust.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { AppRequests } from "./AppRequests.ts"
import { decisionOf, isOtherEnvironment, OtherDevice, problemOf, ProvenRefusal } from "./Refusal.ts"

/**
 * The state that the parts of a license share: the record as it is kept, and how the license stands by it. The standing is always
 * computed anew from the record, so that windows that share a store agree.
 */
export class Session {
  readonly requests: AppRequests
  readonly time: LicenseTime
  readonly clock: AppClock
  readonly options: LicenseOptions
  readonly graceMs: number
  record: LicenseRecord = emptyRecord
  standing: Standing = initial
  /** The signed data: of the last answer, or of the envelope where the app runs by that. */
  data: JsonMembers | undefined
  /** The error of the last request, if it failed. */
  trouble: AppProblem | undefined
  /** Whether that error has the form of a refusal, but no signature. */
  #isUnsigned = false
  #isUnsaved = false
  #damage: AppProblem | undefined
  /** A refusal of a license that the app does not have yet. */
  #notice: AppProblem | undefined
  /**
   * The reason why a process with a floating seat of its own has none, or that it gave it back. It says nothing of the others,
   * so it is not kept.
   */
  seat: AppProblem | "given_back" | undefined
  readonly #listeners = new Set<() => void>()
  #shown = ""
  constructor(options: LicenseOptions) {
    this.options = options
    this.clock = options.clock ?? systemClock
    this.time = makeTime(this.clock)
    this.requests = new AppRequests(options)
    this.graceMs = (options.graceDays ?? 7) * 86_400_000
  }

  get isRunning(): boolean {
    return runningStates.includes(this.standing.state)
  }

  /** The key that the app has. */
  get licenseKey(): string | undefined {
    return this.keyOf(this.record)
  }

  /** The key that the app has by a record, as it may stand by now. */
  keyOf(record: LicenseRecord): string | undefined {
    const key = record.licenseKey ?? (record.isGivenBack === true ? undefined : this.options.licenseKey)
    // One that an earlier version kept, or the app has from elsewhere, may be as it was typed.
    return key === undefined ? undefined : parseLicenseKey(key) ?? key
  }

  /** A record, with what was learned of keys. */
  withLearned(record: LicenseRecord, learned: LearnedKeys): Promise<LicenseRecord> {
    return withLearned(this.options.publicKeys, record, learned)
  }

  /** Calls a listener at every change of the standing; answers what ends that. */
  onChange(listener: () => void): () => void {
    this.#listeners.add(listener)
    return () => void this.#listeners.delete(listener)
  }

  /** Reads what is kept, by whichever window, and how the license stands by it. */
  async sync(): Promise<void> {
    this.record = await exclusively(this.options.store, () => this.#load())
    await this.judge()
  }

  /**
   * Changes what is kept, as it stands now and not as this window knew it. `heard` is an instant that
   * the service signed just now, `atLeast` one that it signed some time, `moved` says that it did so by the clock of test; `isWeighty` writes twice, so that the previous copy says the same. Rejects only if `mustKeep` and the store cannot be written.
   */
  async update(
    change: (record: LicenseRecord) => LicenseRecord | Promise<LicenseRecord>,
    { atLeast, heard, isWeighty = false, moved = false, mustKeep = false }: {
      readonly atLeast?: number
      readonly heard?: number
      readonly moved?: boolean
      readonly isWeighty?: boolean
      readonly mustKeep?: boolean
    } = {}
  ): Promise<void> {
    await exclusively(this.options.store, async () => {
      const current = await this.#load()
      // After what was kept, which may be of a clock that was far ahead.
      if (heard !== undefined) this.time.heard(heard, moved)
      if (atLeast !== undefined) {
        this.time.recall(atLeast, moved ? Math.min(this.clock.now() - atLeast, 0) : this.time.ahead())
      }
      const changed = await change(current)
      const record = {
        ...changed,
        version: current.version + 1,
        floor: this.time.floor(),
        ahead: this.time.ahead()
      }
      try {
        const text = await writeRecord(record)
        await this.options.store.write(text)
        if (isWeighty) await this.options.store.write(text)
        this.#isUnsaved = false
      } catch (error) {
        this.options.onProblem?.(error)
        if (mustKeep) throw error
        this.#isUnsaved = true
      }
      this.#damage = undefined
      this.record = record
    })
    await this.judge()
  }

  /**
   * Keeps a signed answer. It lifts a refusal, unless that came after the request was sent, at the version `sentAt` of the
   * record. One that is `about` the license of a key is not kept where another window activated another one meanwhile, or gave
   * the seat back; `otherwise` is done then.
   */
  confirm(
    { data, issuedAt, learned, nonce, text }: SignedAnswer,
    sentAt: number,
    change: (record: LicenseRecord) => LicenseRecord,
    { about, otherwise = (record) => record }: {
      readonly about?: string
      readonly otherwise?: (record: LicenseRecord) => LicenseRecord
    } = {}
  ): Promise<void> {
    this.trouble = undefined
    this.#notice = undefined
    return this.update(async (kept) => {
      if (about !== undefined && this.keyOf(kept) !== about) return otherwise(kept)
      const record = change(kept)
      // A license that is used by an activation has no seat that could be refused.
      if (record.isFloating !== true) this.seat = undefined
      // A later answer of another window counts, unless it does not verify.
      const isNewer = this.data === undefined || record.answer === undefined || record.answer.issuedAt <= issuedAt
      return {
        ...await this.withLearned(record, learned),
        answer: isNewer ? { text, nonce, issuedAt } : record.answer,
        refusal: record.refusal !== undefined && record.refusal.version > sentAt ? record.refusal : undefined,
        isGivenBack: undefined
      }
    }, { heard: issuedAt, moved: isOfTest(data) })
  }

  /**
   * Handles a failed request: a signed refusal of the license that is kept stops it and is remembered, one of another
   * key is only shown, and what decides nothing, or was signed by nobody, leaves the license to its limits.
   */
  async refuse(error: unknown, key: string | undefined): Promise<void> {
    const problem = problemOf(error)
    if (isOtherEnvironment(error)) {
      // It says nothing of the license that is kept, and is shown where none lets the app run.
      this.trouble = this.#notice = problem
      this.#isUnsigned = false
      return this.judge()
    }
    if (!(error instanceof ProvenRefusal) || decisionOf(error) === undefined) {
      this.trouble = problem
      this.#isUnsigned = reasonOf(problem) !== undefined
      return this.update((record) => record)
    }
    const { learned, proof } = error
    this.trouble = undefined
    if (key !== undefined && key === this.licenseKey) {
      if (this.options.processId !== undefined && isOfSeat(problem)) {
        this.seat = problem
        return this.judge()
      }
      return this.update(
        async (record) =>
          this.keyOf(record) === key
            ? {
              ...await this.withLearned(record, learned),
              refusal: { ...problem, proof, version: record.version + 1 }
            }
            : record,
        { isWeighty: true }
      )
    }
    this.#notice = problem
    return this.judge()
  }

  /** Whether this process gave its floating seat back, and others have theirs. */
  get hasReturnedSeat(): boolean {
    return this.seat === "given_back" && this.record.isFloating === true
  }

  /** Whether what is kept was written on another device. */
  get isCopied(): boolean {
    return this.standing.reason === "other_device"
  }

  /** How the license stands now, by what is kept and by the time. */
  async judge(): Promise<void> {
    const { record } = this
    const now = this.time.now()
    let standing = initial
    const happened = (event: AppEvent) => (standing = next(standing, event, now))
    if (this.#damage !== undefined) happened({ type: "damaged", error: this.#damage })
    if (record.isGivenBack === true) happened({ type: "deactivated" })
    let data: JsonMembers | undefined
    if (record.answer !== undefined) {
      try {
        data = await this.requests.verifyAnswer(record)
        happened({ type: "confirmed", status: String(data["status"]), limits: limitsOf(data, this.graceMs) })
      } catch (error) {
        const type = error instanceof OtherDevice ? "copied" : isOtherEnvironment(error) ? "refused" : "damaged"
        happened({ type, error: problemOf(error) })
      }
    }
    if (record.envelope !== undefined && record.licenseKey !== undefined && standing.reason !== "other_device") {
      const opened = await this.requests.openEnvelope(record).catch((error: unknown) => {
        const problem = problemOf(error)
        if (isOtherEnvironment(error) && !runningStates.includes(standing.state)) {
          happened({ type: "refused", error: problem })
        }
      })
      const offlineUntil = instantOf(opened?.data["valid_until"])
      if (offlineUntil !== undefined) {
        happened({ type: "sealed", offlineUntil })
        if (now <= offlineUntil) data ??= opened!.data
      }
    }
    if (standing.reason !== "other_device") {
      const refusal = await this.requests.verifyRefusal(record)
      if (refusal !== undefined) happened({ type: "refused", error: refusal })
      happened(
        this.trouble === undefined
          ? { type: "ticked" }
          : { type: this.#isUnsigned ? "unsigned" : "unreachable", error: this.trouble }
      )
    }
    if (this.hasReturnedSeat) happened({ type: "deactivated" })
    else if (this.seat !== undefined && this.seat !== "given_back") happened({ type: "refused", error: this.seat })
    if (this.#notice !== undefined && !runningStates.includes(standing.state)) {
      happened({ type: "refused", error: this.#notice })
    }
    this.data = data
    this.standing = standing
    const shown = JSON.stringify([standing, data])
    if (shown === this.#shown) return
    this.#shown = shown
    for (const listener of this.#listeners) listener()
  }

  /** The record as it is kept now. What cannot be read is replaced by the copy before, or by what this window knows. */
  async #load(): Promise<LicenseRecord> {
    const { store } = this.options
    const read = async (text: string | undefined) => text === undefined ? undefined : readRecord(text)
    let record: LicenseRecord | undefined
    try {
      const text = await store.read()
      record = await read(text)
      if (record === undefined && (text !== undefined || this.record.version > 0)) {
        record = this.record.version > 0 ? this.record : await read(await store.readPrevious?.())
        if (record === undefined) {
          this.#damage = { code: "STORE_DAMAGED", message: "The stored license cannot be read" }
        }
      }
    } catch (error) {
      this.options.onProblem?.(error)
    }
    record ??= this.record
    // A record that could not be written is known in this window alone.
    if (this.#isUnsaved && record.version < this.record.version) record = this.record
    this.time.recall(record.floor, record.ahead ?? 0)
    return record
  }
}
