import type { LicenseRecord } from "../license/LicenseRecord.ts"
import type { LicenseOptions } from "../license/Options.ts"
import type { PublicKey } from "../notes/signature.ts"
import type { Transport } from "../transport/Transport.ts"
import { isToBeListed, isTrustedWay, learn, trustOf } from "../verify/KeyTrust.ts"
import type { LearnedKeys } from "../verify/KeyTrust.ts"
import { problemOf } from "./Refusal.ts"

/** The signing keys that an app trusts: those that it ships, and those that it learned from the service's list. */
export class AppKeys {
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
