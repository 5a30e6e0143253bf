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

/**
 * Whether a secret that a person chose can be guessed: fewer than 8 different characters, one piece repeated, or
 * characters that follow each other as in the alphabet or on a scale.
 */
export const isGuessable = (secret: string): boolean => {
  const codes = Array.from(secret, (character) => character.codePointAt(0)!)
  const steps = new Set(codes.slice(1).map((code, index) => code - codes[index]!))
  // A text repeats a piece exactly when it occurs in its own doubling at a place other than the ends.
  return new Set(codes).size < 8 || steps.size < 5 || (secret + secret).indexOf(secret, 1) < secret.length
}
