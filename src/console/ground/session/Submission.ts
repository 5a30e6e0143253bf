import { useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign } from "../../../client/api/index.ts"
import { newKey } from "../../../client/transport/IdempotencyKey.ts"
import type { HeldDraft } from "./Draft.tsx"
import { ask, errorOf } from "./Session.ts"

/** Whether a refusal is final: the next attempt is another request, with an idempotency key of its own. */
export const isDecided = (error: Error): boolean =>
  isCountersignError(error) && error.status !== undefined && error.status < 500 && ![408, 429].includes(error.status) &&
  error.code !== "IDEMPOTENCY_IN_FLIGHT"

/** The state of a form that is sent. */
type Sent<A> =
  | { readonly name: "editing" | "sending" }
  | { readonly name: "failed"; readonly error: Error; readonly isDecided: boolean }
  | { readonly name: "done"; readonly answer: A }

/**
 * The sending of a form. The idempotency key is that of its content: the same content is never written twice while nobody
 * knows whether it was, and another content is another request. With the attempt of a draft, that holds after a reload too.
 */
export function useSubmission<Content, A>(
  perform: (client: Countersign, content: Content, idempotencyKey: string) => Promise<A>,
  attempt?: HeldDraft["attempt"]
) {
  const [state, setState] = useState<Sent<A>>({ name: "editing" })
  const kept = useRef({ content: "", key: "" })
  const send = async (content: Content): Promise<void> => {
    if (state.name === "sending") return
    const written = JSON.stringify(content)
    if (kept.current.content !== written) {
      const before = kept.current.content === "" ? attempt?.get() : undefined
      kept.current = { content: written, key: before ?? newKey() }
    }
    attempt?.set(kept.current.key)
    setState({ name: "sending" })
    try {
      const answer = await ask((client) => perform(client, content, kept.current.key))
      kept.current = { content: "", key: "" }
      setState({ name: "done", answer })
    } catch (cause) {
      const error = errorOf(cause)
      const decided = isDecided(error)
      if (decided) {
        kept.current = { content: "", key: "" }
        attempt?.set(undefined)
      }
      setState({ name: "failed", error, isDecided: decided })
    }
  }
  return { state, send: (content: Content) => void send(content), again: () => setState({ name: "editing" }) }
}
