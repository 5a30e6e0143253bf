/**
 * The mailbox of an address, in one spelling: upper and lower case are alike, and what follows a `+` leads to the same one. Limits on
 * mails count mailboxes, not the ways to write them.
 */
export const mailboxOf = (email: string): string => email.toLowerCase().replace(/\+[^@]*(?=@)/, "")
