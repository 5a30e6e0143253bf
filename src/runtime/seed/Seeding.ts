import { Data, Effect, Fiber } from "effect"
import { Hex } from "effect/encoding"
import { formatLicenseKey } from "../../domain/security/Credential.ts"
import { licenseKeyPurpose } from "../../services/licenses/Licenses.ts"
import { Database } from "../../services/persistence/Database.ts"
import { Cryptography } from "../../services/platform/Cryptography.ts"
import { Vault } from "../../services/security/Vault.ts"
import type { KnownLicense } from "./Account.ts"
import { tellAccount } from "./Account.ts"
import { makeChance } from "./Chance.ts"
import { dropSeedMarker, makeSeedMarker, readSeedMarker } from "./SeedMarker.ts"
import { placeRecords } from "./SeedPlaces.ts"
import { makeSeedWebhooks } from "./SeedWebhooks.ts"
import { makeSeedWriter } from "./SeedWriter.ts"
import type { Written } from "./SeedWriter.ts"
import { nothingTold, unit } from "./Telling.ts"
import { makeVendor } from "./Vendor.ts"

/** There is something in the database that a demonstration must not be mixed with. The message says what. */
class NotEmpty extends Data.TaggedError("NotEmpty")<{ readonly message: string }> {}

/** The input of sample data. */
export interface SeedOptions {
  readonly licenses: number
  /** The same text tells the same story, up to the day that it is told on; keys and secrets are always new. */
  readonly seed: string
}

/** How far it is: licenses told, then events placed. */
export interface SeedProgress {
  readonly told: (licenses: number, of: number) => void
  readonly placing: (events: number) => Effect.Effect<(placed: number) => void>
}

/** The rows that exist now. */
export interface Seeded {
  readonly vendor: string
  /** Whether an interrupted run was gone on with. */
  readonly resumed: boolean
  readonly written: Written
  readonly endpoints: number
  /** A license of each product whose key is known, as far as there is one. */
  readonly known: ReadonlyArray<KnownLicense>
}

const year = 365 * 86_400_000

/** Events that are gathered before they are written. */
const gathered = 4000

/** With more licenses than this, each is used less, so that a large vendor is made in minutes. */
const usedInFull = 8000

const checkEmpty = Effect.gen(function*() {
  const sql = yield* Database
  const [found] = yield* sql<Readonly<Record<string, boolean>>>`
    SELECT EXISTS (SELECT FROM licenses) AS licenses, EXISTS (SELECT FROM products) AS products,
      EXISTS (SELECT FROM customers) AS customers, EXISTS (SELECT FROM webhook_endpoints) AS "webhook endpoints",
      EXISTS (SELECT FROM management_keys) AS "API keys"`
  const there = Object.keys(found!).filter((name) => found![name])
  if (there.length > 0) {
    return yield* new NotEmpty({
      message: `This database has ${there.join(", ")} already, and sample data could not be distinguished from them. ` +
        "No data was written. Use an empty one: COUNTERSIGN_DATA_DIR=/tmp/demo npm start, and then the same with " +
        "npm run seed"
    })
  }
})

/** Whether an interrupted run is to be gone on with; fails where there is anything else in the database. */
export const examineTarget = Effect.gen(function*() {
  if ((yield* readSeedMarker) !== undefined) return true
  yield* checkEmpty
  return false
})

/** Begins a vendor in an empty database; or what an interrupted run began. */
const begin = Effect.fnUntraced(function*({ licenses, seed }: SeedOptions) {
  const begun = yield* readSeedMarker
  if (begun !== undefined) return { ...begun, isResumed: true }
  yield* checkEmpty
  const sql = yield* Database
  const [clock] = yield* sql<{ readonly now: Date; readonly ordinal: bigint }>`
    SELECT date_trunc('minute', now()) AS now, nextval(pg_get_serial_sequence('event_pending', 'ordinal')) AS ordinal`
  const first = clock!.ordinal
  // From here on the service's own events come after these, whatever is committed first.
  const last = first + BigInt(year / unit + 100_000) * BigInt(licenses + 1)
  yield* sql`SELECT setval(pg_get_serial_sequence('event_pending', 'ordinal'), ${last})`
  return { seed, licenses, until: clock!.now, first, last, accounts: 0, placed: first - 1n, isResumed: false }
})

/**
 * Invents a vendor with a year behind it. Each row is as the services would have left it and each event is in the log,
 * so that doctor and the verification of the log find what they would have found had it all happened. It is written in
 * transactions of a moment each, because the feed of a service that runs waits for every transaction: first the rows of
 * some accounts at a time, then the places of their events in the log. A marker says how far that is, and a run that
 * finds one goes on from there, whatever its own options: the same chance tells the same story again.
 */
export const seedVendor = Effect.fn("seedVendor")(function*(options: SeedOptions, progress: SeedProgress) {
  const sql = yield* Database
  const crypto = yield* Cryptography
  const vault = yield* Vault
  const marker = yield* begin(options)
  const { isResumed, licenses, seed } = marker
  const until = marker.until.getTime()
  const from = until - year
  const told = nothingTold()
  const chance = makeChance(seed)
  const vendor = makeVendor(chance, crypto, from, until)
  const webhooks = yield* makeSeedWebhooks(chance, vendor.told, from)
  const writer = yield* makeSeedWriter({ first: Number(marker.first), from, accounts: licenses + 1 })
  if (isResumed) writer.forget(vendor.told)
  else {
    yield* sql.withTransaction(Effect.gen(function*() {
      yield* makeSeedMarker(marker)
      yield* webhooks.write
      yield* writer.write(vendor.told, 0)
    }))
  }

  const known = new Map<string, KnownLicense>()
  const newKey = () => {
    const key = formatLicenseKey(crypto.randomBytes(15))
    return { key, hash: Hex.encode(vault.keyedHash(licenseKeyPurpose, key)) }
  }
  let writing = yield* Effect.forkChild(Effect.void)
  for (let number = 1, left = licenses; left > 0; number++) {
    const owned = Math.min(left, chance.weighted([[1, 50], [2, 22], [3, 12], [5, 8], [9, 4], [20, 1]]))
    left -= owned
    const lives = tellAccount(chance, {
      vendor,
      told,
      number,
      licenses: owned,
      from,
      until,
      use: Math.max(0.1, Math.min(1, usedInFull / licenses)),
      newKey
    })
    progress.told(owned, licenses)
    if (number <= marker.accounts) {
      writer.forget(told)
      continue
    }
    for (const license of lives) if (!known.has(license.product)) known.set(license.product, license)
    if (told.events.length >= gathered || left === 0) {
      const chunk = writer.write(told, number)
      yield* Fiber.join(writing)
      writing = yield* Effect.forkChild(chunk, { startImmediately: true })
      // The statement leaves before the next account is told.
      yield* Effect.yieldNow
    }
  }
  yield* Fiber.join(writing)
  const span = { after: marker.placed, before: marker.last }
  const sequence = yield* placeRecords(span, yield* progress.placing(writer.written.events))
  yield* sql.withTransaction(Effect.andThen(webhooks.stand(sequence), dropSeedMarker))
  return {
    vendor: vendor.name,
    resumed: isResumed,
    written: writer.written,
    endpoints: webhooks.endpoints,
    known: [...known.values()]
  } satisfies Seeded
})
