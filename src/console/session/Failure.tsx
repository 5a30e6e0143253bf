import { isCountersignError } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"

const cureOf = (error: Error): string => {
  if (!isCountersignError(error)) {
    return "Reload the page. If the error persists, contact the operator and describe what you did."
  }
  const { code, retryAfterMs, status } = error
  if (code === "NETWORK_ERROR") {
    return "Cannot reach the service. Check your connection and try again."
  }
  if (code === "TIMEOUT") return "The request timed out. Try again; changes are never applied twice."
  if (code === "INVALID_ANSWER") return "The response did not come from the service. A proxy may have replaced it."
  if (code === "TOKEN_SCOPE_DENIED") {
    return "Your token does not have the required scope. Sign in with a token that has it."
  }
  if (code === "TOKEN_PRODUCT_DENIED") {
    return "The token you are signed in with is limited to products. Sign in with one that has all that is concerned."
  }
  if (code === "IDEMPOTENCY_CONFLICT") {
    return "An earlier attempt with different values succeeded. Check the current data before you send again."
  }
  if (status === 404) return "The resource may have been deleted, or the URL is incomplete."
  if (status === 429 || status === 503) {
    const why = status === 429 ? "Too many requests." : "The service is temporarily unavailable."
    return `${why} Try again in ${retryAfterMs === undefined ? "a moment" : `${Math.ceil(retryAfterMs / 1000)} s`}.`
  }
  if (status !== undefined && status >= 500) return "Internal error. Send the request ID below to the operator."
  return "Correct the fields above and try again. Your input is kept."
}

/** An error: its code with a link, the cure, and the request ID for the service's log. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) => {
  const known = isCountersignError(error) ? error : undefined
  return (
    <Note tone="bad" title={error.message}>
      {known?.detail === undefined ? null : <span>{known.detail}</span>}
      {/* The title has the only one in full. */ known === undefined || known.fields.length < 2 ?
        null :
        (
          <ul>
            {known.fields.map(({ message, path }) => (
              <li key={path}>
                <code>{path}</code>: {message}
              </li>
            ))}
          </ul>
        )}
      <span>{cureOf(error)}</span>
      <span class="row wraps small">
        {known === undefined ? null : known.docUrl === undefined
          ? <code>{known.code}</code>
          : <a href={new URL(known.docUrl, location.href).pathname} target="_blank" rel="noreferrer">{known.code}</a>}
        {known?.requestId === undefined ? null : (
          <span>
            request <code>{known.requestId}</code>
          </span>
        )}
        {onRetry === undefined ? null : <Button small onClick={onRetry}>Try again</Button>}
      </span>
    </Note>
  )
}
