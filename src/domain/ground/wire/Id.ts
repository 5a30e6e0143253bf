import { Schema } from "effect"
import * as Crockford from "./Crockford.ts"
import { filterBy, spaceless, text as boundedText } from "./Fields.ts"

/** Every type of ID: the name of its schema in the contract, and what it identifies. */
const registry = {
  prod: { name: "ProductId", noun: "product" },
  pol: { name: "PolicyId", noun: "policy" },
  feat: { name: "FeatureId", noun: "feature" },
  cus: { name: "CustomerId", noun: "customer" },
  lic: { name: "LicenseId", noun: "license" },
  grant: { name: "GrantId", noun: "grant" },
  pool: { name: "PoolId", noun: "pool" },
  note: { name: "NoteId", noun: "note" },
  job: { name: "JobId", noun: "job" },
  view: { name: "LicenseViewId", noun: "saved view" },
  dev: { name: "DeviceId", noun: "device" },
  usr: { name: "LicenseUserId", noun: "user" },
  lease: { name: "LeaseId", noun: "floating seat" },
  ofl: { name: "OfflineFileId", noun: "offline file" },
  ord: { name: "OrderId", noun: "order" },
  sub: { name: "SubscriptionId", noun: "subscription" },
  ver: { name: "ProductVersionId", noun: "version" },
  fld: { name: "CustomFieldDefinitionId", noun: "custom field" },
  key: { name: "ManagementKeyId", noun: "API key" },
  per: { name: "PersonId", noun: "person" },
  ses: { name: "SessionId", noun: "session" },
  pky: { name: "PasskeyId", noun: "passkey" },
  role: { name: "RoleId", noun: "role" },
  apr: { name: "ApprovalId", noun: "approval" },
  pub: { name: "PublishableKeyId", noun: "publishable key" },
  bcn: { name: "BillingConnectionId", noun: "billing connection" },
  pur: { name: "PurchaseId", noun: "purchase" },
  rcn: { name: "ReconciliationId", noun: "reconciliation" },
  whk: { name: "WebhookEndpointId", noun: "webhook endpoint" },
  evt: { name: "EventId", noun: "event" },
  act: { name: "ActivityId", noun: "activity" },
  dlv: { name: "DeliveryId", noun: "delivery" },
  rptx: { name: "ReportExportId", noun: "export" },
  sig: { name: "SigningKeyId", noun: "signing key" },
  sup: { name: "MailSuppressionId", noun: "suppression" },
  req: { name: "RequestId", noun: "request" }
} as const

/** The part of an ID before the underscore. */
export type IdType = keyof typeof registry

/** Every type of ID. */
export const types = Object.keys(registry) as ReadonlyArray<IdType>

/** The noun of the resource that an ID of this type identifies: `license`. */
export const nounOf = (type: IdType): string => registry[type].noun

/** An ID of this type in examples. All examples have the same one, so that they fit together. */
export const exampleOf = (type: IdType): string => `${type}_06eqpx1trxz3h94vqjm3a6kz7c`

const maximumMillis = 2 ** 48 - 1

/**
 * Builds an id: `<type>_` and a UUIDv7 (RFC 9562 section 5.7) as 26 lower-case Crockford base32 characters.
 * `millis` is Unix time in milliseconds. Of the 10 random bytes, the first two (12 bits of them) become rand_a and the
 * other eight (62 bits of them) rand_b. Throws a RangeError when `millis` does not fit in 48 bits or when there are
 * not exactly 10 random bytes.
 */
export const encode = (type: IdType, millis: number, random: Uint8Array): string => {
  if (!Number.isInteger(millis) || millis < 0 || millis > maximumMillis) {
    throw new RangeError(`An id needs whole milliseconds in 48 bits, not ${millis}`)
  }
  if (random.length !== 10) throw new RangeError(`An id needs 10 random bytes, not ${random.length}`)
  const uuid = new Uint8Array(16)
  const high = Math.floor(millis / 2 ** 32)
  const low = millis % 2 ** 32
  uuid[0] = high >>> 8
  uuid[1] = high
  uuid[2] = low >>> 24
  uuid[3] = low >>> 16
  uuid[4] = low >>> 8
  uuid[5] = low
  uuid.set(random, 6)
  uuid[6] = 0x70 | (uuid[6]! & 0x0f)
  uuid[8] = 0x80 | (uuid[8]! & 0x3f)
  return `${type}_${Crockford.encodeLowerCase(uuid)}`
}

const patterns = new Map<IdType, RegExp>()

/** The pattern of an ID of this type. The first character is at most 7, because 26 characters hold 130 bits. */
export const pattern = (type: IdType): RegExp => {
  const known = patterns.get(type)
  if (known !== undefined) return known
  // Only patterns with the `u` flag reach JSON Schema.
  const made = new RegExp(`^${type}_[0-7][0-9a-hjkmnp-tv-z]{25}$`, "u")
  patterns.set(type, made)
  return made
}

/** Whether the text is an id of this type. */
export const is = (type: IdType, text: string): boolean => pattern(type).test(text)

const ofAnyType = /^([a-z]+)_[0-7][0-9a-hjkmnp-tv-z]{25}$/

/**
 * A filter by an id of this type. The id of something else would find nothing for ever, which looks like an answer. An
 * unknown text is looked for as it is.
 */
export const filter = (type: IdType) => {
  const documented = `^(?!(?!${type}_)[a-z]+_[0-7][0-9a-hjkmnp-tv-z]{25}$)[^\\x00]+$`
  return Schema.String.check(
    Schema.isBetweenLength(1, 128),
    Schema.makeFilter(
      (input: string) => {
        if (input.includes("\u0000") || !input.isWellFormed()) return "must be well-formed Unicode without NUL"
        const other = ofAnyType.exec(input)?.[1]
        return other === undefined || other === type
          ? undefined
          : `must be an id that begins with ${type}_, not one with ${other}_`
      },
      { toJsonSchema: () => ({ pattern: documented }) }
    )
  ).annotate({
    description: `Only what belongs to this ${nounOf(type)}.`,
    examples: [exampleOf(type)],
    ...spaceless((text) => is(type, text))
  })
}

/** A filter by an id, whatever it is the id of. */
export const anyFilter = filterBy(Schema.String.check(Schema.isPattern(ofAnyType)), 128)

const makeSchema = (type: IdType) =>
  Schema.String.check(Schema.isPattern(pattern(type), { expected: `an id that starts with ${type}_` })).annotate({
    identifier: registry[type].name,
    description: `The ID of the ${nounOf(type)}: \`${type}_\` and 26 characters. Later IDs sort after earlier ones.`,
    examples: [exampleOf(type)]
  })

const schemas = new Map<IdType, ReturnType<typeof makeSchema>>()

/** The schema of an id of this type, for paths, queries and bodies. One instance per type, so that it has one name. */
export const schema = (type: IdType): ReturnType<typeof makeSchema> => {
  const known = schemas.get(type)
  if (known !== undefined) return known
  const made = makeSchema(type)
  schemas.set(type, made)
  return made
}

/** An ID of this type in a response. It needs no check: the service wrote it. */
export const text = (type: IdType) =>
  Schema.String.annotate({ description: `The ID of the ${nounOf(type)}: \`${type}_\` and 26 characters.` })

/** An ID of this type in the body of a request. An unknown one is a finding of the operation, so it is only bounded. */
export const reference = (type: IdType) =>
  boundedText(1, 64).annotate({ description: `The ID of the ${nounOf(type)}.` })

/** A reference that the empty string removes. */
export const referenceOrClear = (type: IdType) =>
  boundedText(0, 64).annotate({ description: `The ID of the ${nounOf(type)}. The empty string removes the link.` })

// Random bytes are fetched for this many ids at once: a call to the system costs more than an id.
const batch = 64

/**
 * A source of ids whose text sorts in the order of creation, also within a millisecond and when the clock goes back:
 * rand_a is a 12-bit counter (RFC 9562 section 6.2, method 1), seeded at random with its top bit clear each
 * millisecond. When the counter is full the id borrows the next millisecond, which the method allows.
 * `now` answers Unix milliseconds and `randomBytes` that many bytes from a cryptographic source.
 */
export const generator = (
  now: () => number,
  randomBytes: (count: number) => Uint8Array
): (type: IdType) => string => {
  let millis = -1
  let counter = 0
  let pool = new Uint8Array(0)
  let used = 0
  return (type) => {
    if (used === pool.length) {
      pool = Uint8Array.from(randomBytes(10 * batch))
      used = 0
    }
    const random = pool.subarray(used, used + 10)
    used += 10
    const seed = ((random[0]! << 8) | random[1]!) & 0x7ff
    const current = Math.trunc(now())
    if (current > millis) {
      millis = current
      counter = seed
    } else if (counter < 0xfff) {
      counter += 1
    } else {
      millis += 1
      counter = seed
    }
    random[0] = counter >>> 8
    random[1] = counter & 0xff
    return encode(type, millis, random)
  }
}
