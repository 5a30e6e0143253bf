import { Schema } from "effect"
import { Hex } from "effect/encoding"
import { Reason } from "../../ground/wire/Action.ts"
import { Email, field, Name, optional, ShownName, text, Timestamp } from "../../ground/wire/Fields.ts"
import { HttpsAddress, isHttpsAddress } from "../../ground/wire/HttpsAddress.ts"
import { MailLanguage } from "../../ground/wire/MailLanguage.ts"

/** The most bytes of a logo, and the most pixels of a side. */
const longestLogo = 32 * 1024
const widestLogo = 1024

/** The formats of a logo. None of them has scripts or links, as SVG has. */
type LogoType = "image/png" | "image/jpeg" | "image/webp"

/** An image by its first bytes: its format and its size in pixels. */
export interface LogoHead {
  readonly type: LogoType
  readonly width: number
  readonly height: number
}

const latin1 = new TextDecoder("latin1")

const ascii = (bytes: Uint8Array, from: number, length: number): string =>
  latin1.decode(bytes.subarray(from, from + length))

const viewOf = (bytes: Uint8Array): DataView => new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength)

const pngSignature = [0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a, 0x1a, 0x0a]

/** Bytes that a PNG has at least: its signature and its header. */
const shortestPng = 33

const pngHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes.length < shortestPng || !pngSignature.every((byte, at) => bytes[at] === byte)) return undefined
  if (ascii(bytes, 12, 4) !== "IHDR") return undefined
  const view = viewOf(bytes)
  return { type: "image/png", width: view.getUint32(16), height: view.getUint32(20) }
}

/** The markers of a JPEG that begin a frame, which has its size: all SOF but DHT, JPG and DAC. */
const isFrame = (marker: number): boolean =>
  marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc

const jpegHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes[0] !== 0xff || bytes[1] !== 0xd8) return undefined
  const view = viewOf(bytes)
  for (let at = 2; at + 9 < bytes.length;) {
    if (bytes[at] !== 0xff) return undefined
    const marker = bytes[at + 1]!
    if (isFrame(marker)) return { type: "image/jpeg", height: view.getUint16(at + 5), width: view.getUint16(at + 7) }
    at += 2 + view.getUint16(at + 2)
  }
  return undefined
}

const threeBytes = (bytes: Uint8Array, at: number): number => bytes[at]! | bytes[at + 1]! << 8 | bytes[at + 2]! << 16

/** Bytes that a WebP has at least: the header of its container and that of its first chunk. */
const shortestWebp = 30

const webpHead = (bytes: Uint8Array): LogoHead | undefined => {
  if (bytes.length < shortestWebp || ascii(bytes, 0, 4) !== "RIFF" || ascii(bytes, 8, 4) !== "WEBP") return undefined
  const view = viewOf(bytes)
  const sized = (width: number, height: number): LogoHead => ({ type: "image/webp", width, height })
  switch (ascii(bytes, 12, 4)) {
    case "VP8X":
      return sized(threeBytes(bytes, 24) + 1, threeBytes(bytes, 27) + 1)
    case "VP8L": {
      const packed = view.getUint32(21, true)
      return sized((packed & 0x3fff) + 1, (packed >>> 14 & 0x3fff) + 1)
    }
    case "VP8 ":
      return sized(view.getUint16(26, true) & 0x3fff, view.getUint16(28, true) & 0x3fff)
    default:
      return undefined
  }
}

/** The format and size of an image, by its bytes and not by what it is called; undefined where it is none of the formats of a logo. */
export const logoHead = (bytes: Uint8Array): LogoHead | undefined =>
  pngHead(bytes) ?? jpegHead(bytes) ?? webpHead(bytes)

/** The reason why bytes are no logo, in words that complete a sentence about them; undefined where they are one. */
export const logoProblem = (bytes: Uint8Array): string | undefined => {
  if (bytes.length > longestLogo) return `must be at most ${longestLogo / 1024} KiB`
  const head = logoHead(bytes)
  if (head === undefined) return "must be a PNG, a JPEG or a WebP"
  const { height, width } = head
  return width < 1 || height < 1 || width > widestLogo || height > widestLogo
    ? `must be at most ${widestLogo} pixels wide and high`
    : undefined
}

/** How much of the digest of a logo stands in its path, in hexadecimal digits. */
const versionDigits = 16

/** Where the logo is served. */
export const logoPath = "/brand/logo"

/** The version of a logo, by its content. */
export const logoVersion = (digest: Uint8Array): string => Hex.encode(digest).slice(0, versionDigits)

/** The path of a logo, which changes with it. */
export const pathOfLogo = (digest: Uint8Array): string => `${logoPath}?v=${logoVersion(digest)}`

/** The actions of people that can require a reason. Each takes `reason`, and the console asks for it. */
const reasonedActions = [
  "license.suspended",
  "license.reinstated",
  "license.revoked",
  "license.renewed",
  "license.transferred",
  "license.policy_changed",
  "license.key_rotated",
  "license.usage_reset",
  "device.reset",
  "device.blacklisted",
  "lease.checked_in",
  "customer.erased",
  "api_key.revoked",
  "person.removed"
] as const

export const ReasonedAction = Schema.Literals(reasonedActions).annotate({
  identifier: "ReasonedAction",
  description: "An action that can require a reason, by the kind of its event."
})
export type ReasonedAction = typeof ReasonedAction.Type

/** Whether an action can require a reason. */
export const isReasonedAction = Schema.is(ReasonedAction)

/** The most reasons that are suggested, and the most characters of each. */
const maximumSuggestions = 12
const longestSuggestion = 60

/** The reasons that are suggested until others are set. */
export const usualReasons: ReadonlyArray<string> = ["Refund", "Chargeback", "Key leaked", "Customer asked", "Abuse"]

/** The actions that require a reason. */
const RequiredReasons = field(
  Schema.Array(ReasonedAction).check(Schema.isMaxLength(reasonedActions.length), Schema.isUnique()),
  "The actions that are refused without a `reason`, for every caller and in jobs."
)

/** The reasons that the console suggests. */
const SuggestedReasons = Schema.Array(Reason.check(Schema.isMaxLength(longestSuggestion))).check(
  Schema.isMaxLength(maximumSuggestions),
  Schema.isUnique()
)

const accentShape = /^#[0-9a-f]{6}$/u

const Accent = Schema.String.check(
  Schema.isPattern(accentShape, { expected: "a color as # and six hexadecimal digits, such as #3b5bdb" })
)

/** The most characters of a name in the console's head. */
const longestBrandName = 60

const BrandName = Name.check(Schema.isMaxLength(longestBrandName))

/** A side of a logo, in pixels. */
const Side = Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: widestLogo }))

/** A logo as it is described: its bytes are at its path. */
const Logo = Schema.Struct({
  content_type: field(Schema.Literals(["image/png", "image/jpeg", "image/webp"]), "The format."),
  bytes: field(
    Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: longestLogo })),
    "The size of the file, in bytes."
  ),
  width: field(Side, "The width, in pixels."),
  height: field(Side, "The height, in pixels."),
  path: field(Schema.String, "The public path of the image. It changes with the image.")
}).annotate({
  identifier: "BrandLogo",
  description: "The logo of the vendor.",
  examples: [{
    content_type: "image/png",
    bytes: 2048,
    width: 128,
    height: 128,
    path: "/brand/logo?v=5f0c4a1f0e2f0bb1"
  }]
})

const brandFields = {
  brand_name: optional(ShownName, "The vendor's own name, in place of Countersign."),
  brand_accent: optional(Schema.String, "The color of the brand: `#` and six hexadecimal digits."),
  brand_logo: optional(Logo, "The logo; absent without one.")
}

const isEmail = Schema.is(Email)

/** Where customers may be sent to: an email address, or a page. */
const Contact = Schema.String.check(
  Schema.isBetweenLength(3, 2048),
  Schema.makeFilter(
    (value: string) =>
      isEmail(value) || isHttpsAddress(value)
        ? undefined
        : "must be an email address, or a URL that begins with https://",
    {
      toJsonSchema: () => ({
        pattern: "^https://[^\\s/?#@\\x00]+([/?#][^\\s\\x00]*)?$|^[^\\s@\\x00]{1,64}@[^\\s@\\x00]{1,255}$"
      })
    }
  )
)

const wayFields = {
  support_contact: optional(
    Schema.String,
    "Where customers can ask: an email address or a URL. The portal and the mails name it."
  ),
  renewal_url: optional(
    Schema.String,
    "Where licenses are renewed. The portal and the mails about the end of a license link to it."
  )
}

/** The brand, as it is shown to everybody. */
export const Brand = Schema.Struct({
  name: brandFields.brand_name,
  accent: brandFields.brand_accent,
  logo: brandFields.brand_logo,
  ...wayFields
}).annotate({
  identifier: "Brand",
  description: "The vendor's own name, color and logo.",
  examples: [{ name: "Acme Licensing", accent: "#3b5bdb" }]
})
export type Brand = typeof Brand.Type

/** Settings of an environment that people change at run time. What the process is started with is not among them. */
export const ServiceSettings = Schema.Struct({
  required_reasons: RequiredReasons,
  suggested_reasons: field(
    Schema.Array(Schema.String),
    "The usual reasons for actions on licenses."
  ),
  ...brandFields,
  ...wayFields,
  mail_language: optional(MailLanguage, "The language of mails to customers who have none. Absent: English."),
  updated_at: optional(Timestamp, "Time of the last change; absent if nothing was ever changed.")
}).annotate({
  identifier: "ServiceSettings",
  description: "Settings of the environment.",
  examples: [{
    required_reasons: ["license.revoked"],
    suggested_reasons: usualReasons,
    brand_name: "Acme Licensing",
    updated_at: "2026-11-21T10:30:00.000Z"
  }]
})
export type ServiceSettings = typeof ServiceSettings.Type

/** The settings as an event has them, without what is as it was at first. */
export const ServiceSettingsInEvent = Schema.Struct({
  required_reasons: Schema.optionalKey(RequiredReasons),
  suggested_reasons: Schema.optionalKey(ServiceSettings.fields.suggested_reasons),
  ...brandFields,
  ...wayFields,
  mail_language: ServiceSettings.fields.mail_language,
  updated_at: ServiceSettings.fields.updated_at
}).annotate({
  identifier: "SettingsEventData",
  description: "The settings as the event left them. Absent: as at first.",
  examples: [{ required_reasons: ["license.revoked"], updated_at: "2026-11-21T10:30:00.000Z" }]
})
export type ServiceSettingsInEvent = typeof ServiceSettingsInEvent.Type

/** The most characters of a logo in base64. */
const longestEncoded = Math.ceil(longestLogo / 3) * 4

export const ServiceSettingsUpdate = Schema.Struct({
  required_reasons: Schema.optionalKey(RequiredReasons),
  suggested_reasons: optional(
    Schema.NullOr(SuggestedReasons),
    "The reasons to suggest, at most 12 of at most 60 characters each. `null`: those of the start."
  ),
  brand_name: optional(Schema.NullOr(BrandName), "The name to show, of at most 60 characters. `null`: Countersign."),
  brand_accent: optional(Schema.NullOr(Accent), "The color, such as `#3b5bdb`. `null`: that of Countersign."),
  brand_logo: optional(
    Schema.NullOr(text(1, longestEncoded)),
    "A PNG, JPEG or WebP in base64, of at most 32 KiB and 1,024 pixels a side; no SVG. `null` removes it."
  ),
  support_contact: optional(
    Schema.NullOr(Contact),
    "Where customers can ask: an email address, or a URL that begins with https://. `null` removes it."
  ),
  renewal_url: optional(
    Schema.NullOr(HttpsAddress),
    "Where licenses are renewed: a URL that begins with https://. `null` removes it."
  ),
  mail_language: optional(
    Schema.NullOr(MailLanguage),
    "The language of mails to customers who have none. `null`: English."
  )
}).annotate({
  identifier: "ServiceSettingsUpdateRequest",
  description: "Changes of the settings. Omitted fields stay as they are.",
  examples: [{ suggested_reasons: ["Refund", "Key leaked"], brand_name: "Acme Licensing" }]
})
export type ServiceSettingsUpdate = typeof ServiceSettingsUpdate.Type
