/**
 * Fields of requests with secrets that may be short enough to be guessed from a plain hash: license keys that a caller brings,
 * secrets and header values of webhooks, secrets and API keys of payment providers.
 */
export const guessableFields = ["api_key", "headers", "license_key", "secret"] as const

/** Fields of requests that hold a secret, at any depth. Each value of `headers` is one. */
export const secretFields: ReadonlySet<string> = new Set([
  ...guessableFields,
  "id_token",
  "lease_token",
  "mail_code",
  "mail_sign_in_token",
  "renewal_token",
  "sign_in_token",
  "user_token"
])
