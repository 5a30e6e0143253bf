/** A secret that a provider signs with; `until` is RFC 3339, and absent of the newest. */
export interface ConnectionSecret {
  readonly secret: string
  readonly until?: string
}

/** What a connection keeps encrypted: what its provider signs with, newest first, and what its objects are read with. */
export interface Credentials {
  readonly secrets: ReadonlyArray<ConnectionSecret>
  readonly api_key?: string
}

/** How many secrets are taken at once, as of webhooks. */
const maximumSecrets = 5

/** How long a replaced secret is taken, in seconds, where nothing is said: Stripe signs with both for a day. */
export const defaultOverlapSeconds = 86_400

const isLive = (now: number) => ({ until }: ConnectionSecret): boolean => until === undefined || Date.parse(until) > now

/** The secrets that a signature may be made with at an instant of Unix milliseconds. */
export const liveSecrets = ({ secrets }: Credentials, now: number): ReadonlyArray<string> =>
  secrets.filter(isLive(now)).map(({ secret }) => secret)

/**
 * The secrets once a new one is given: those before it are taken for `overlapSeconds` more, or for as long as they had,
 * whichever is shorter. The newest, given again, changes nothing. `now` is Unix milliseconds.
 */
export const withSecret = (
  credentials: Credentials,
  secret: string,
  overlapSeconds: number,
  now: number
): Credentials => {
  if (credentials.secrets[0]?.secret === secret) return credentials
  const end = now + overlapSeconds * 1000
  const ending = (known: ConnectionSecret): ConnectionSecret => ({
    ...known,
    until: new Date(Math.min(end, known.until === undefined ? end : Date.parse(known.until))).toISOString()
  })
  const before = credentials.secrets.filter((known) => known.secret !== secret && isLive(now)(known)).map(ending)
  return { ...credentials, secrets: [{ secret }, ...before.filter(isLive(now))].slice(0, maximumSecrets) }
}

/** The credentials once an API key is given; the empty text takes it away. */
export const withApiKey = ({ api_key: _before, ...rest }: Credentials, key: string): Credentials =>
  key === "" ? rest : { ...rest, api_key: key }
