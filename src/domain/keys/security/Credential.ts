import * as Base64Url from "effect/encoding/Base64Url"
import * as Hex from "effect/encoding/Hex"
import {
  environmentOf,
  environments,
  keyGrouping,
  keyLeads,
  keyPattern
} from "../../ground/environments/Environment.ts"
import { environmentNames } from "../../ground/environments/EnvironmentName.ts"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import * as Crockford from "../../ground/wire/Crockford.ts"
import { asMeant, trimmedOf, unquoted, withoutQuotationMarks } from "./PastedText.ts"

const base62Alphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"

/** A number as base62 of a fixed width, most significant digit first. */
const base62 = (value: bigint, width: number): string => {
  let text = ""
  for (let rest = value; text.length < width; rest /= 62n) text = base62Alphabet[Number(rest % 62n)] + text
  return text
}

/** CRC-32 of ASCII text (ISO-HDLC: reflected polynomial 0xEDB88320, as in zip and PNG). */
const crc32 = (ascii: string): number => {
  let crc = 0xffff_ffff
  for (let index = 0; index < ascii.length; index++) {
    crc ^= ascii.charCodeAt(index)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  return ~crc >>> 0
}

/** Text in base62, with six characters of CRC-32 over all that stands before them at its end. */
const checked = (body: string): string => body + base62(BigInt(crc32(body)), 6)

const isChecked = (text: string): boolean => checked(text.slice(0, -6)) === text

const managementTokenShape = /^csk_(?:test_)?[0-9A-Za-z]{49}$/

/**
 * A management token: `csk_`, the mark of its environment, 32 random bytes as 43 base62 characters, and 6 base62
 * characters of CRC-32 over all that stands before them. Throws a RangeError when there are not exactly 32 bytes.
 */
export const formatManagementToken = (random: Uint8Array, environment: EnvironmentName = "live"): string => {
  if (random.length !== 32) throw new RangeError(`A management token needs 32 random bytes, not ${random.length}`)
  return checked(`csk_${environments[environment].tokenMark}${base62(BigInt(`0x${Hex.encode(random)}`), 43)}`)
}

/**
 * The tokens of keys that are narrower than their scopes, by the mark before their random bytes. No other token begins so: the first
 * digit of 32 bytes is `y` at most, and that of 31 bytes `E`.
 */
const narrowedTokens = {
  limited: { mark: "z", bytes: 31, digits: 42 },
  reseller: { mark: "zz", bytes: 30, digits: 41 }
} as const

const formatNarrowed =
  (kind: keyof typeof narrowedTokens) => (random: Uint8Array, environment: EnvironmentName = "live"): string => {
    const { bytes, digits, mark } = narrowedTokens[kind]
    if (random.length !== bytes) throw new RangeError(`A ${kind} token needs ${bytes} random bytes`)
    const lead = `csk_${environments[environment].tokenMark}${mark}`
    return checked(lead + base62(BigInt(`0x${Hex.encode(random)}`), digits))
  }

/** The same for a key that is limited to products, of 31 random bytes; a RangeError where there are not as many. */
export const formatLimitedToken = formatNarrowed("limited")

/** The same for the key of a reseller, which is limited to the licenses with a tag, too, of 30 random bytes. */
export const formatResellerToken = formatNarrowed("reseller")

/** Whether the text is the token of a key that is limited to products. */
export const isLimitedToken = (text: string): boolean => /^csk_(?:test_)?z/.test(text) && isManagementToken(text)

/** Whether the text is the token of a reseller's key. It is that of a limited key, too. */
export const isResellerToken = (text: string): boolean => /^csk_(?:test_)?zz/.test(text) && isManagementToken(text)

/**
 * Whether the text has the shape and the checksum of a management token: a typo is refused without a query, and
 * scanners recognise a leaked token anywhere. A bootstrap token that an operator chose need not pass.
 */
export const isManagementToken = (text: string): boolean => managementTokenShape.test(text) && isChecked(text)

const publishableKeyShape = /^cpk_(?:test_)?[0-9A-Za-z]{28}$/

/**
 * A publishable key: `cpk_`, the mark of its environment, 16 random bytes as 22 base62 characters, and 6 base62
 * characters of CRC-32 over all that stands before them. It is no secret. Throws a RangeError when there are not exactly
 * 16 bytes.
 */
export const formatPublishableKey = (random: Uint8Array, environment: EnvironmentName = "live"): string => {
  if (random.length !== 16) throw new RangeError(`A publishable key needs 16 random bytes, not ${random.length}`)
  return checked(`cpk_${environments[environment].tokenMark}${base62(BigInt(`0x${Hex.encode(random)}`), 22)}`)
}

/** Whether the text has the shape and the checksum of a publishable key, so that a typo is refused without a query. */
export const isPublishableKey = (text: string): boolean => publishableKeyShape.test(text) && isChecked(text)

/** The part of a management token that may be stored and shown: its first 12 characters, the mark of its environment not counted. */
export const managementTokenPrefix = (token: string): string =>
  token.slice(0, 12 + environments[environmentOf(token) ?? "live"].tokenMark.length)

/** One step of the check below: multiply by x in GF(32) = GF(2)[x] / (x^5 + x^2 + 1). */
const timesX = (value: number): number => (value << 1) ^ (value & 16 ? 0b100101 : 0)

/**
 * The check over Crockford characters: the sum of the values weighted with powers of x in GF(32); a key with its check
 * character sums to 0. All 25 weights are non-zero and different (x has order 31), so one wrong character and two
 * swapped characters, adjacent or not, are always seen. Luhn modulo 32 would miss the swap of the first and the last
 * letter of the alphabet.
 */
const weigh = (characters: string): number => {
  let sum = 0
  for (let index = 0; index < characters.length; index++) {
    sum = timesX(sum) ^ Crockford.valueAt(characters, index)
  }
  return sum
}

const group = (lead: string, characters: string): string => `${lead}-${characters.match(/.{5}/g)!.join("-")}`

/**
 * A license key: `CS-` (of the test environment `CST-`) and five groups of five Crockford base32 characters, 24 of them
 * random (120 bits) and the last one a check character. Throws a RangeError when there are not exactly 15 bytes.
 */
export const formatLicenseKey = (random: Uint8Array, environment: EnvironmentName = "live"): string => {
  if (random.length !== 15) throw new RangeError(`A license key needs 15 random bytes, not ${random.length}`)
  const { keyCheck, keyLead } = environments[environment]
  const characters = Crockford.encode(random)
  return group(keyLead, characters + Crockford.alphabet[timesX(weigh(characters)) ^ keyCheck])
}

const licenseKeyShape = new RegExp(`^(${keyLeads})([0-9A-HJKMNP-TV-Z]{25})$`)

/** The sum that the check of a license key with this lead must have. */
const checkOf: ReadonlyMap<string, number> = new Map(
  environmentNames.map((name) => [environments[name].keyLead, environments[name].keyCheck])
)

/** The form of a license key from another system: 8 to 1,000 visible ASCII characters; signed ones have some hundred. */
export const importedKeyShape = /^[!-~]{8,1000}$/

/** The longest text in which a license key is looked for: a mail around it. */
export const longestPaste = 4000

/** The characters of one of our license keys, however they are grouped, and not within a word or another key. */
const oursWithin = new RegExp(
  `(?<![0-9A-Za-z-])(?:${keyLeads})(?:[ \\n-]*[0-9A-Za-z]){25}(?![0-9A-Za-z]|-[0-9A-Za-z])`,
  "gi"
)

/** Characters around a pasted key, such as quotes, brackets and the end of a sentence. */
const punctuation = /[^0-9A-Za-z]/

/** One of our license keys as {@link formatLicenseKey} wrote it, from its characters; undefined where they are wrong. */
const readOurs = (text: string): string | undefined => {
  const entered = text.replace(/[ \n-]/g, "").toUpperCase().replaceAll("O", "0").replace(/[IL]/g, "1")
  const [, lead, characters] = licenseKeyShape.exec(entered) ?? []
  if (lead === undefined || characters === undefined) return undefined
  return weigh(characters) === checkOf.get(lead) ? group(lead, characters) : undefined
}

/** Whether a text begins as our license keys do, or has about the characters of one with the dashes missing or elsewhere. */
const beginsAsOurs = (text: string): boolean => {
  if (/^CS ?-/i.test(text) || keyGrouping.test(text)) return true
  const bare = text.replace(/[ \n-]/g, "")
  // Letters alone are more likely the name of a company.
  return /^CS[0-9A-Z]{25}$/i.test(bare) || (/^CS[ \n]/i.test(text) && /^CS(?=.*\d)[0-9A-Z]{20,30}$/i.test(bare))
}

/**
 * Whether a text is meant as one of our own license keys, be it right or mistyped: it begins with `CS-` or `CST-`, it has the
 * characters of one with the dashes missing or elsewhere, or there is one in it.
 */
export const isMeantAsOurs = (text: string): boolean => {
  const reading = readLicenseKey(text)
  return "key" in reading
    ? keyPattern.test(reading.key)
    : reading.fault === "mistyped" || reading.fault === "several"
}

/** Whether a text is meant as a management token. */
export const isMeantAsToken = (text: string): boolean => /^(?:csk|admin)_/.test(text)

/** The reason why a text is not a license key. */
export type LicenseKeyFault =
  | "empty"
  | "too_long"
  | "management_token"
  | "publishable_key"
  | "mistyped"
  | "several"
  | "spaces"
  | "characters"
  | "length"

/** Each fault as what completes "license key …". None repeats what was entered. */
export const licenseKeyFaults: Readonly<Record<LicenseKeyFault, string>> = {
  empty: "is missing",
  too_long: "stands in a text that is too long: give the key alone",
  management_token: "is a management token, and no license key",
  publishable_key: "is a publishable key, which is good for opening trials alone, and no license key",
  mistyped:
    "is mistyped: its length, a character or the check character at its end is wrong; compare it with the key as it " +
    "was issued",
  several: "must be one, and several are in this text",
  spaces: "cannot be in this text, which has spaces where no key has any: give the key alone, as it was issued",
  characters:
    "has characters that no license key has, such as letters of another alphabet; compare it with the key as it " +
    "was issued",
  length: "cannot be this: one has 8 to 1,000 visible ASCII characters; compare it with the key as it was issued"
}

/** A fault as a sentence. */
export const sayLicenseKeyFault = (fault: LicenseKeyFault): string => `The license key ${licenseKeyFaults[fault]}.`

/** The reading of a text as a license key. */
export type LicenseKeyReading = { readonly key: string } | { readonly fault: LicenseKeyFault }

const isSolid = (text: string): boolean => /^[!-~]+$/.test(text)

/** Reads a text of visible ASCII characters, in which every one may belong to a key. */
const readSolid = (text: string): LicenseKeyReading => {
  if (isMeantAsToken(text)) return { fault: "management_token" }
  if (isPublishableKey(text)) return { fault: "publishable_key" }
  const bare = trimmedOf(text, punctuation)
  const ours = readOurs(bare)
  if (ours !== undefined) return { key: ours }
  if (beginsAsOurs(text)) return { fault: "mistyped" }
  return importedKeyShape.test(text) ? { key: text } : { fault: "length" }
}

/** A label before a key, such as `License key: `. A key with spaces in it there is not. */
const label = /^[^:\d]{1,60}: *\n*/

/** The shortest line that a mail program breaks. */
const shortestBrokenLine = 40

/** The one key of another system in a text: behind a label, in quotation marks, or broken into long lines. */
const readAround = (text: string): string => {
  const unlabelled = withoutQuotationMarks(text.includes(" ") || text.includes("\n") ? text.replace(label, "") : text)
  const lines = unlabelled.split("\n").map((line) => line.trim())
  const isBroken = lines.slice(0, -1).every((line) => line.length >= shortestBrokenLine)
  return isBroken ? lines.join("") : unlabelled
}

/**
 * Reads a license key as people type and paste it, and answers it as it is hashed. One of ours is answered as
 * {@link formatLicenseKey} wrote it: case, the mix-ups O/0 and I/L/1, missing or extra spaces and dashes, and the sentence or the
 * mail around it are forgiven. One that another system issued is 8 to 1,000 visible ASCII characters and answered as it is: what
 * is none, such as typographic dashes and quotes, characters that nobody sees and full-width letters, is read as what was meant.
 * No text is both.
 */
export const readLicenseKey = (input: string): LicenseKeyReading => {
  // Apps send what they were given, and there is nothing to forgive.
  const lead = keyPattern.exec(input)?.[1]
  if (lead !== undefined && weigh(input.slice(lead.length).replaceAll("-", "")) === checkOf.get(lead)) {
    return { key: input }
  }
  if (input.length > longestPaste) return { fault: "too_long" }
  const entered = asMeant(input).trim()
  if (isSolid(entered)) return readSolid(entered)
  const text = unquoted(entered)
  if (text === "") return { fault: "empty" }
  const within = [...text.matchAll(oursWithin)].map(([match]) => readOurs(match))
  const ours = new Set(within.filter((key) => key !== undefined))
  if (ours.size > 0) return ours.size > 1 ? { fault: "several" } : { key: [...ours][0]! }
  const alone = readAround(text)
  if (isSolid(alone) && within.length === 0) return readSolid(alone)
  if (isMeantAsToken(alone)) return { fault: "management_token" }
  if (within.length > 0 || beginsAsOurs(alone)) return { fault: "mistyped" }
  return { fault: /[^ -~\n]/.test(alone) ? "characters" : "spaces" }
}

/** {@link readLicenseKey}, for whom a text that is no license key is nothing. */
export const parseLicenseKey = (input: string): string | undefined => {
  const reading = readLicenseKey(input)
  return "key" in reading ? reading.key : undefined
}

/**
 * The beginning of a license key that is shown: `CS-` and the first group, eight characters. Of a key that is shorter
 * than ours it is less, so that eight more than the last four stay hidden.
 */
export const licenseKeyPrefix = (key: string): string => key.slice(0, Math.min(8, Math.max(0, key.length - 12)))

/** The last four characters of a license key, for display. */
export const licenseKeyLast4 = (key: string): string => key.slice(-4)

/** A lease token: `csl_` and 32 bytes as 43 base62 characters. Throws a RangeError when there are not exactly 32. */
export const formatLeaseToken = (bytes: Uint8Array): string => {
  if (bytes.length !== 32) throw new RangeError(`A lease token needs 32 bytes, not ${bytes.length}`)
  return `csl_${base62(BigInt(`0x${Hex.encode(bytes)}`), 43)}`
}

/** Whether the text has the shape of a lease token. */
export const isLeaseToken = (text: string): boolean => /^csl_[0-9A-Za-z]{43}$/.test(text)

/** A bootstrap token: `admin_`, the mark of its environment, and 32 bytes in base64url. */
export const formatBootstrapToken = (random: Uint8Array, environment: EnvironmentName = "live"): string =>
  `admin_${environments[environment].tokenMark}${Base64Url.encode(random)}`

/** Whether the text has the shape of a bootstrap token that we made. */
export const isBootstrapToken = (text: string): boolean => /^admin_(?:test_)?[A-Za-z0-9_-]{43}$/.test(text)
