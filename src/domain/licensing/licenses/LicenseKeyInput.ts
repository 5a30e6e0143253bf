import { Schema, SchemaGetter } from "effect"
import { environmentOfKey } from "../../ground/environments/Environment.ts"
import type { EnvironmentName } from "../../ground/environments/EnvironmentName.ts"
import type { FieldFinding } from "../../ground/wire/Errors.ts"
import {
  importedKeyShape,
  isMeantAsOurs,
  isMeantAsToken,
  isPublishableKey,
  parseLicenseKey
} from "../../keys/security/Credential.ts"

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
  description: "The license key, for customers who keep a key from another system: 8 to 1,000 visible ASCII " +
    "characters, case-sensitive. No license may have or have had it. A key that looks like one of this " +
    "service, such as one that starts with `CS-`, must be valid. Default: a new key."
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

/**
 * The findings about the license key that a license is to be created with in an environment: a key of another one leads every
 * request there.
 */
export const keyElsewhere = (key: string | undefined, own: EnvironmentName): ReadonlyArray<FieldFinding> => {
  const name = key === undefined ? undefined : environmentOfKey(key)
  return name === undefined || name === own ? [] : [{
    path: "license_key",
    code: "other_environment",
    message:
      `must not be a key of the ${name} environment, where every request with it would go: this is the ${own} environment`
  }]
}
