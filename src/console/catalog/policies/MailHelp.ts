import type { PolicyMailKind } from "../../../client/api/index.ts"

const helps: Readonly<Record<PolicyMailKind, string>> = {
  license_issued: "When a license is issued: its key, the product and the expiry.",
  key_changed: "When the key is rotated: the new key.",
  license_expiring:
    "30, 7 and 1 days before the expiry, or on the days below; not while its subscription renews by itself.",
  license_expired: "At the expiry, with the end of the grace period, and again once that is over.",
  quota_threshold: "When usage reaches a threshold of a quota: what is used and what is left.",
  device_added: "When a device takes a seat for the first time.",
  payment_failed: "When the subscription becomes past due.",
  user_invited: "When a person is invited by an email address: to this address, not to the owner."
}

/** When a mail is sent, and what it says: a line beside its choice. */
export const mailHelp = (kind: string): string => Object.entries(helps).find(([name]) => name === kind)?.[1] ?? ""
