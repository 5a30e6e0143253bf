import { randomBytes } from "node:crypto"
import { appendFile } from "node:fs/promises"
import type { EnvironmentName } from "../../domain/ground/environments/EnvironmentName.ts"
import { membersOf } from "../../domain/ground/parsing/JsonMembers.ts"
import {
  formatLicenseKey,
  licenseKeyLast4,
  licenseKeyPrefix,
  parseLicenseKey
} from "../../domain/keys/security/Credential.ts"
import { fileText, UnreadableFile } from "../importing/FileText.ts"
import { importRows } from "../importing/MappedRows.ts"
import { noMapping } from "../importing/Mapping.ts"
import type { Mapping } from "../importing/Mapping.ts"
import type { Entry, Resource } from "./ExportDirectory.ts"
import { all, limit } from "./Move.ts"
import type { CustomerPart, Move } from "./Move.ts"
import { hasEnded } from "./MovedGrants.ts"
import type { Ids } from "./MovedGrants.ts"

/** Bodies are built from answers of the same operations, so they are valid; the generated types cannot know that. */
type Body = any

/** A pool that is given here, and whether it is revoked at once. */
interface MovedPool {
  readonly body: Body
  readonly isRevoked: boolean
}

/** The members in which pools must be alike: what is used of them since, or revoked, is the new service's. */
const comparedPool = ({ amount, feature_id, max_per_license, priority, reference }: Entry): Entry => ({
  amount,
  feature_id,
  priority,
  reference,
  ...(max_per_license === undefined ? {} : { max_per_license })
})

/**
 * The pools that are given for one of an export: what is left of it, which each license may take of up to the limit anew. A
 * reference gives once, as that of a grant does: where less is left, one of the whole amount is given with it and revoked.
 */
const poolsFor = (pool: Entry, ids: Ids, now: number): ReadonlyArray<MovedPool> => {
  const left = hasEnded(pool, now) ? 0 : Number(pool["remaining"] ?? 0)
  const isHeld = pool["reference"] !== undefined && left !== pool["amount"]
  const { amount, expires_at, feature_id, max_per_license, priority, reference, starts_at } = pool
  const given = {
    feature_id: ids.get(String(feature_id)) ?? feature_id,
    starts_at,
    priority,
    ...(max_per_license === undefined ? {} : { max_per_license }),
    // Nothing is given that has ended already.
    ...(expires_at === undefined || hasEnded(pool, now) ? {} : { expires_at })
  }
  return [
    ...(isHeld ? [{ body: { ...given, amount, reference }, isRevoked: true }] : []),
    ...(left === 0
      ? []
      : [{
        body: { ...given, amount: left, reference: isHeld ? pool["id"] : reference ?? pool["id"] },
        isRevoked: false
      }])
  ]
}

/** Gives a customer the pools of an export; a repeated import gives each once, by its reference. */
const bring = async (move: Move, old: string, id: string, pools: ReadonlyArray<Entry>): Promise<void> => {
  const { client } = move
  const about = <A>(request: () => PromiseLike<A>) => move.attempt("customer_pools", old, request)
  for (const pool of pools) {
    for (const { body, isRevoked } of poolsFor(pool, move.ids, Date.now())) {
      const given = await about(() => client.customers.createPool(id, body))
      if (isRevoked && given !== undefined) await about(() => client.customers.revokePool(id, given.id))
    }
  }
}

/** Compares the pools of a customer with those of an export. */
const compare = async (move: Move, old: string, id: string, pools: ReadonlyArray<Entry>): Promise<void> => {
  const wanted = pools.flatMap((pool) => poolsFor(pool, move.ids, Date.now()))
  if (wanted.length === 0) return
  const there = await all(move.client.customers.listPools(id, limit))
  const bodies = wanted.map(({ body }) => comparedPool(body))
  move.compare("customer_pools", old, bodies, there.map(comparedPool), ({ reference }) => reference)
}

/** The pools of customers. */
export const movedPools: CustomerPart = { file: "customer_pools", owner: "customer_id", bring, compare }

/** A list of keys is read for its keys only, whatever else it has: it may be an export of another system. */
const mapping: Mapping = { ...noMapping, others: "keys" }

/** The length of the shown prefix of a long key. */
const shownPrefix = 8

/** The reason why a matching key may be another license's. */
interface UnclearKey {
  readonly unclear: string
}

const shownOf = (prefix: unknown, last4: unknown): string => JSON.stringify([prefix, last4])

/** The keys of licenses, from the vendor's own files: a service stores hashes only, so no export has them. */
export class KnownKeys {
  private readonly byId = new Map<string, string>()
  private readonly byShown = new Map<string, Set<string>>()
  /** The license of each key that one names. */
  private readonly owners = new Map<string, string>()
  /** How many licenses without a named key share a prefix and suffix. */
  private readonly expected = new Map<string, number>()

  /** Reads a file with the columns `license_key` and, if known, `license_id`; others are ignored. */
  async read(file: string): Promise<void> {
    for await (const row of importRows({ file, mapping })) {
      const { license_key, metadata } = row.value
      // A line of totals, or a sale without a key. A license whose key is missing is reported when its key is needed.
      if (license_key === undefined && row.unread === undefined && (row.faults ?? []).length === 0) continue
      const key = typeof license_key === "string" ? parseLicenseKey(license_key) : undefined
      if (key === undefined || row.unread !== undefined || (row.faults ?? []).length > 0) {
        throw new UnreadableFile(`Line ${row.line} of ${file} has no license key in its column license_key`)
      }
      const owner = membersOf(metadata)["license_id"]
      if (typeof owner === "string") {
        const other = this.owners.get(key)
        if (other !== undefined && other !== owner) {
          throw new UnreadableFile(`Line ${row.line} of ${file} gives ${owner} the key that is ${other}'s already`)
        }
        this.owners.set(key, owner)
        this.byId.set(owner, key)
      }
      const shown = shownOf(licenseKeyPrefix(key), licenseKeyLast4(key))
      this.byShown.set(shown, (this.byShown.get(shown) ?? new Set()).add(key))
    }
  }

  /** Counts a license before any key is looked up: a prefix and suffix shared by two licenses identifies neither. */
  expect(license: Resource): void {
    const shown = shownOf(license["license_key_prefix"], license["license_key_last4"])
    if (!this.byId.has(license.id)) this.expected.set(shown, (this.expected.get(shown) ?? 0) + 1)
  }

  /**
   * The key of a license: by its ID, or by its prefix and suffix if only one key and one license have them. Short
   * keys show too little to be told apart.
   */
  of(license: Resource): string | UnclearKey | undefined {
    const named = this.byId.get(license.id)
    if (named !== undefined) return named
    const prefix = license["license_key_prefix"]
    const shown = shownOf(prefix, license["license_key_last4"])
    const found = [...this.byShown.get(shown) ?? []].filter((key) => !this.owners.has(key))
    if (found.length === 0) return undefined
    if (String(prefix).length < shownPrefix) {
      return { unclear: "its key is too short to be matched by the part that is shown," }
    }
    if (found.length > 1) return { unclear: "several keys of --keys are shown as" }
    if ((this.expected.get(shown) ?? 0) > 1) return { unclear: "the keys of several licenses are shown as" }
    return found[0]
  }
}

/** New keys in place of unknown ones, written to a file before they are used: a second run finds them there. */
export class NewKeys {
  private readonly file: string
  private readonly environment: EnvironmentName
  private isBegun: boolean

  private constructor(file: string, environment: EnvironmentName, isBegun: boolean) {
    this.file = file
    this.environment = environment
    this.isBegun = isBegun
  }

  /** Continues a file, whose keys `known` reads. Keys of an environment say which one it is. */
  static async at(file: string, known: KnownKeys, environment: EnvironmentName): Promise<NewKeys> {
    let isBegun = false
    for await (
      const text of (async function*() {
        try {
          yield* fileText(file)
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== "ENOENT") throw error
        }
      })()
    ) isBegun ||= text !== ""
    if (isBegun) await known.read(file)
    return new NewKeys(file, environment, isBegun)
  }

  /** A new key for a license, once it is on the disk. */
  async make(license: Resource): Promise<string> {
    const key = formatLicenseKey(randomBytes(15), this.environment)
    const heading = this.isBegun ? "" : "license_id,license_key,customer_email\n"
    this.isBegun = true
    const email = String(license["customer_email"] ?? "").replaceAll("\"", "\"\"")
    await appendFile(this.file, `${heading}${license.id},${key},"${email}"\n`, { mode: 0o600, flush: true })
    return key
  }
}
