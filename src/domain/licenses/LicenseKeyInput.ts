import { Schema, SchemaGetter } from "effect"
import {
  importedKeyShape,
  isMeantAsOurs,
  isMeantAsToken,
  isPublishableKey,
  parseLicenseKey
} from "../security/Credential.ts"

const reasonAgainst = (text: string): string | undefined => {
  if (!importedKeyShape.test(text)) return "must be 8 to 1,000 visible ASCII characters, without spaces"
  if (isMeantAsToken(text)) return "must be a license key, not a management token"
  if (isPublishableKey(text)) return "must be a license key, not a publishable key"
  return isMeantAsOurs(text) && parseLicenseKey(text) === undefined
    ? "looks like a key of this service and is mistyped: its length, a character or its check character is wrong"
    : undefined
}

/** A license key that a license is created with, read as {@link parseLicenseKey} does. The reason never repeats it. */
export const LicenseKeyInput = Schema.String.annotate({
  description: "The key of the license, for customers who keep the key that another system gave them: " +
    "8 to 1,000 visible ASCII characters that no license has or had; each counts, and so does its case. What looks like " +
    "a key of this service, such as all that begins with `CS-`, must be one. Left out, the service makes one."
}).check(
  Schema.makeFilter(reasonAgainst, { toJsonSchema: () => ({ pattern: importedKeyShape.source }) })
).pipe(
  Schema.decodeTo(Schema.String, {
    decode: SchemaGetter.transform((value: string) => parseLicenseKey(value)!),
    encode: SchemaGetter.transform((value: string) => value)
  })
)

/** The findings about a license key that is not for this license alone. */
export const keyTaken = { path: "license_key", code: "taken", message: "a license has this key, or had it before" }
export const keyDuplicate = {
  path: "license_key",
  code: "duplicate",
  message: "an earlier row of this request has this key"
}
