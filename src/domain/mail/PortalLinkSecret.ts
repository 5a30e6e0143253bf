import { Schema } from "effect"

/**
 * The mailbox of an address, in one spelling: upper and lower case are alike, and what follows a `+` leads to the same one. Limits on
 * mails count mailboxes, not the ways to write them.
 */
export const mailboxOf = (email: string): string => email.toLowerCase().replace(/\+[^@]*(?=@)/, "")

/** The secrets in a mail with a link, a code, or both. */
const PortalLinkSecret = Schema.Struct({
  url: Schema.optionalKey(Schema.String),
  code: Schema.optionalKey(Schema.String)
})
export type PortalLinkSecret = typeof PortalLinkSecret.Type

const Text = Schema.fromJsonString(PortalLinkSecret)

/** The secrets as the text that is sealed. */
export const writeLinkSecret = Schema.encodeSync(Text)

/** The secrets of a text that was sealed. */
export const readLinkSecret = Schema.decodeSync(Text)
