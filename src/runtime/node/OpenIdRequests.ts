import type { CustomFetch } from "openid-client"

/** How long one request to the provider may take, in seconds. */
export const patienceSeconds = 10

/** How large one of its answers may be, in bytes. */
const largestAnswer = 1024 * 1024

/** A provider that does not answer as one. The library wraps it, as a cause. */
export class Unusable extends Error {}

/** The first of an error and its causes that a reading finds something in. */
const inCauses = <A>(error: unknown, read: (cause: Error) => A | undefined): A | undefined => {
  for (let cause = error; cause instanceof Error; cause = cause.cause) {
    const found = read(cause)
    if (found !== undefined) return found
  }
  return undefined
}

/** The reason why the provider cannot be used; undefined where it was the answer that is not good. */
export const unusable = (error: unknown): string | undefined =>
  inCauses(error, (cause) => cause instanceof Unusable ? cause.message : undefined)

/** A member of an error. */
const memberOf = (error: unknown, name: string): unknown =>
  typeof error === "object" && error !== null && Object.hasOwn(error, name) ? Reflect.get(error, name) : undefined

/** The issuer that a description names where it is another than the expected one; undefined where something else was wrong. */
export const otherIssuerIn = (error: unknown): string | undefined =>
  inCauses(error, ({ cause }) => {
    const issuer = memberOf(cause, "attribute") === "issuer" ? memberOf(memberOf(cause, "body"), "issuer") : undefined
    return typeof issuer === "string" && URL.canParse(issuer) ? issuer : undefined
  })

/** Whether a provider does not take the client, or its secret as it was sent. */
export const isClientRefused = (error: unknown): boolean =>
  memberOf(error, "error") === "invalid_client" ||
  (memberOf(error, "code") === "OAUTH_WWW_AUTHENTICATE_CHALLENGE" && memberOf(error, "status") === 401)

/** Asks the provider: whatever it answers is read, up to a size. */
export const ask: CustomFetch = async (url, options) => {
  const { host } = new URL(url)
  const failed = (problem: string, cause?: unknown) => new Unusable(`${host} ${problem}`, { cause })
  const answer = await fetch(url, options as RequestInit).catch((cause: unknown) => {
    throw failed("does not respond", cause)
  })
  if (answer.status >= 500 || answer.status === 429) throw failed(`answers ${answer.status}`)
  const chunks: Array<Uint8Array> = []
  let size = 0
  try {
    for await (const chunk of answer.body ?? []) {
      size += chunk.length
      if (size > largestAnswer) throw failed("sends too much")
      chunks.push(chunk)
    }
  } catch (cause) {
    throw cause instanceof Unusable ? cause : failed("breaks off its response", cause)
  }
  const isBodiless = [204, 205, 304].includes(answer.status)
  return new Response(isBodiless ? null : Buffer.concat(chunks), { status: answer.status, headers: answer.headers })
}

/** Reads what an address has, as JSON. */
export const askJson = async (url: string): Promise<unknown> => {
  const answer = await ask(url, {
    body: undefined,
    headers: { accept: "application/json" },
    method: "GET",
    redirect: "manual",
    signal: AbortSignal.timeout(patienceSeconds * 1000)
  })
  if (answer.status !== 200) throw new Error(`${url} answers ${answer.status}`)
  return answer.json()
}

/** A refusal of the provider that was not at its word: the sentence is for the person who signs in. */
export class NotAnswered extends Error {}

const clientWords =
  "The identity provider refuses the client that this service is there: COUNTERSIGN_OIDC_CLIENT_ID or COUNTERSIGN_OIDC_CLIENT_SECRET " +
  "is another one than it has."

/** An error of the library as a sentence for the person who signs in. */
export const refusalOf = (error: unknown): string => {
  if (error instanceof NotAnswered) return error.message
  if (isClientRefused(error)) return clientWords
  const [code, declined] = [memberOf(error, "code"), memberOf(error, "error")]
  if (declined === "access_denied") return "The identity provider says that the sign-in was canceled or denied."
  if (typeof declined === "string" && /^[\x21-\x7e]{1,64}$/.test(declined)) {
    return `The identity provider refuses the sign-in: ${declined}.`
  }
  const why = typeof code === "string" ? ` (${code})` : ""
  const clocks = code === "OAUTH_JWT_TIMESTAMP_CHECK_FAILED"
    ? " Either it is over, or the clocks of the provider and of this service differ by more than a minute."
    : ""
  return `The response of the identity provider is not valid for this sign-in${why}.${clocks} Begin again.`
}

/** The words for a client that the provider refuses, for whoever sets it up. */
export const clientProblem = (issuer: string): string =>
  `${issuer} refuses the client: check COUNTERSIGN_OIDC_CLIENT_ID and COUNTERSIGN_OIDC_CLIENT_SECRET`
