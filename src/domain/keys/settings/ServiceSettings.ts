import { Schema } from "effect"
import { Email, field, Name, optional, ShownName, text, Timestamp } from "../../ground/wire/Fields.ts"
import { HttpsAddress, isHttpsAddress } from "../../ground/wire/HttpsAddress.ts"
import { MailLanguage } from "../../ground/wire/MailLanguage.ts"
import { longestLogo, widestLogo } from "./Logo.ts"
import { RequiredReasons, SuggestedReasons, usualReasons } from "./ReasonRules.ts"

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
