import { isMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import type { JsonMembers } from "../../domain/ground/parsing/JsonMembers.ts"
import { CountersignError } from "../transport/CountersignError.ts"

/** The reason why a person could not be signed in at the identity provider. */
export type SignInCode =
  | "SIGN_IN_UNSUPPORTED"
  | "SIGN_IN_DENIED"
  | "SIGN_IN_EXPIRED"
  | "SIGN_IN_FAILED"
  | "IDENTITY_PROVIDER_UNAVAILABLE"

/** The longest answer of an identity provider that is read, in bytes. */
const largestAnswer = 262_144
const patienceMillis = 10_000

/** A failure to sign a person in. `detail` is what the identity provider said. */
export const signInFailed = (code: SignInCode, message: string, detail?: string): CountersignError<SignInCode> =>
  new CountersignError({ code, message, detail })

/** The response of an identity provider. */
export interface ProviderAnswer {
  readonly status: number
  /** The object of the body; empty where it is none. */
  readonly members: JsonMembers
}

const readBounded = async ({ body }: Response): Promise<string> => {
  const decoder = new TextDecoder()
  let text = ""
  let size = 0
  const reader = body?.getReader()
  for (;;) {
    const part = await reader?.read()
    if (part?.value === undefined) return text + decoder.decode()
    size += part.value.length
    if (size > largestAnswer) {
      await reader!.cancel()
      throw signInFailed("IDENTITY_PROVIDER_UNAVAILABLE", "The identity provider sends too much")
    }
    text += decoder.decode(part.value, { stream: true })
  }
}

const membersOf = (text: string): JsonMembers => {
  try {
    const value: unknown = JSON.parse(text)
    return isMembers(value) ? value : {}
  } catch {
    return {}
  }
}

/**
 * Asks an identity provider, by a form where one is given. Redirects are not followed: they could carry the device code elsewhere.
 * Rejects where no answer comes.
 */
export const askProvider = async (
  send: typeof fetch,
  url: string,
  form: Readonly<Record<string, string>> | undefined,
  signal: AbortSignal | undefined
): Promise<ProviderAnswer> => {
  signal?.throwIfAborted()
  const controller = new AbortController()
  const stop = () => controller.abort(signal?.reason)
  signal?.addEventListener("abort", stop, { once: true })
  const timer = setTimeout(stop, patienceMillis)
  try {
    const response = await send(url, {
      redirect: "error",
      signal: controller.signal,
      headers: { accept: "application/json" },
      ...(form === undefined ? {} : { method: "POST", body: new URLSearchParams(form) })
    })
    return { status: response.status, members: membersOf(await readBounded(response)) }
  } catch (error) {
    if (signal?.aborted === true) throw signal.reason
    if (error instanceof CountersignError) throw error
    throw signInFailed("IDENTITY_PROVIDER_UNAVAILABLE", "The identity provider does not respond")
  } finally {
    clearTimeout(timer)
    signal?.removeEventListener("abort", stop)
  }
}
