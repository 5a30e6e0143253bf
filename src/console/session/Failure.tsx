import { isCountersignError } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"

/** What helps, by what went wrong. */
const cureOf = (error: Error): string => {
  if (!isCountersignError(error)) {
    return "Open the page again. If it stays, tell who looks after the service what you did."
  }
  const { code, retryAfterMs, status } = error
  if (code === "NETWORK_ERROR") {
    return "Look whether you are online and the service runs; then try again. Nothing was lost."
  }
  if (code === "TIMEOUT") return "The service took too long. Try again; what was written is not written twice."
  if (code === "INVALID_ANSWER") return "What answered is not the service. A proxy before it may be the reason."
  if (code === "TOKEN_SCOPE_DENIED") {
    return "The token you are signed in with may not do this. Sign in with one that has the scope."
  }
  if (code === "TOKEN_PRODUCT_DENIED") {
    return "The token you are signed in with is limited to products. Sign in with one that has all that is concerned."
  }
  if (code === "IDEMPOTENCY_CONFLICT") {
    return "An earlier try, with other values, was done. Look at what is there before you send this."
  }
  if (status === 404) return "It may have been deleted, or the address is not whole."
  if (status === 429 || status === 503) {
    return retryAfterMs === undefined
      ? "The service cannot answer now. It answers again by itself: try in a moment."
      : `The service asks for a pause. Try again in ${Math.ceil(retryAfterMs / 1000)} s.`
  }
  if (status !== undefined && status >= 500) return "This is the service's own fault. Its log names the request below."
  return "Change what is named above, and try again. What you have entered is kept."
}

/** An error, the code with its page, what helps, and the request that the service's log names. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) => {
  const known = isCountersignError(error) ? error : undefined
  return (
    <Note tone="bad" title={error.message}>
      {known?.detail === undefined ? null : <span>{known.detail}</span>}
      {known === undefined || known.fields.length === 0 ?
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
