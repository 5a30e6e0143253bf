import { useEffect, useRef } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { ManagementScope, ScopeGranters } from "../../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"
import { useLoad } from "./Load.ts"
import { clientOf, identity, isAway, personHere } from "./Session.ts"
import { cookieSession } from "./Tokens.ts"

const cureOf = (error: Error): string => {
  if (!isCountersignError(error)) {
    return "Reload the page. If the error persists, contact the operator and describe what you did."
  }
  const { code, retryAfterMs, status } = error
  if (code === "NETWORK_ERROR") return "Check your connection and try again."
  if (code === "UNAUTHENTICATED") return "Check the token, or sign in another way."
  if (code === "TIMEOUT") return "The request timed out. Try again; changes are never applied twice."
  if (code === "INVALID_ANSWER") return "The response did not come from the service. A proxy may have replaced it."
  if (code === "TOKEN_SCOPE_DENIED") {
    return "Your token does not have the required scope. Sign in with a token that has it."
  }
  if (code === "TOKEN_PRODUCT_DENIED") {
    return "The token you are signed in with is limited to products. Sign in with one that has all that is concerned."
  }
  if (code === "PERSON_MISMATCH") return "Your input is kept. Sign in again in another tab, and try again."
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

/** Scopes as the detail of a refusal names them, and no other words. */
const scopeShape = /^(admin|[a-z]+:[a-z]+)$/

/** The first scope that a refusal names; undefined where its detail says something else. */
const scopeIn = (detail: string | undefined): ManagementScope | undefined =>
  detail?.split(" ").find((word): word is ManagementScope => scopeShape.test(word))

/** The names of people who can give a scope, as the subject of a sentence; undefined where nobody is named. */
const subjectOf = ({ has_more, names }: Pick<ScopeGranters, "has_more" | "names">): string | undefined => {
  if (names.length === 0) return undefined
  if (has_more) return `${names.join(", ")} and others`
  return new Intl.ListFormat("en", { type: "conjunction" }).format(names)
}

/** The people to ask for a scope. The service is asked for them once the refusal is shown. */
const Granters = ({ scope }: { readonly scope: ManagementScope }) => {
  const { data, error } = useLoad(
    // People are those of live, wherever somebody is.
    (client, signal) =>
      (isAway() ? clientOf(cookieSession, personHere()) : client).people.granters({ scope }, { signal }),
    [scope]
  )
  if (data === undefined && error === undefined) return null
  const subject = data === undefined ? undefined : subjectOf(data)
  return subject === undefined
    ? <>Ask the operator of this service.</>
    : (
      <>
        <bdi>{subject}</bdi> can give it to you.
      </>
    )
}

/** Says which right is missing, and to a person who can give it. */
const ForbiddenText = ({ scope }: { readonly scope: ManagementScope }) =>
  identity.value?.kind === "person"
    ? (
      <span>
        You need <strong>{scope}</strong> for this. <Granters scope={scope} />
      </span>
    )
    : (
      <span>
        Your token does not have the required scope. Sign in with one that has <code>{scope}</code>.
      </span>
    )

/** Stands in the place of what needs a scope that the person lacks. */
export const Forbidden = ({ scope, title = "You cannot open this page" }: {
  readonly scope: ManagementScope
  readonly title?: string
}) => (
  <Note tone="warn" title={title}>
    <ForbiddenText scope={scope} />
  </Note>
)

/** An error: its code with a link, the cure, and the request ID for the service's log. */
export const Failure = ({ error, onRetry }: { readonly error: Error; readonly onRetry?: () => void }) => {
  const known = isCountersignError(error) ? error : undefined
  const missing = known?.code === "TOKEN_SCOPE_DENIED" ? scopeIn(known.detail) : undefined
  return (
    <Note tone="bad" title={isCountersignError(error, "NETWORK_ERROR") ? "Cannot reach the service." : error.message}>
      {known?.detail === undefined || missing !== undefined ? null : <span>{known.detail}</span>}
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
      {missing === undefined ? <span>{cureOf(error)}</span> : <ForbiddenText scope={missing} />}
      <span class="row wraps small">
        {known === undefined ? null : known.docUrl === undefined
          ? <code>{known.code}</code>
          : (
            <a class="target" href={new URL(known.docUrl, location.href).pathname} target="_blank" rel="noreferrer">
              {known.code}
            </a>
          )}
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

/** The first field of a form in which something was found; what is folded around it is opened. */
const firstWrong = (form: Element | null): HTMLElement | undefined => {
  const wrong = form?.querySelector<HTMLElement>("[aria-invalid=true]") ?? undefined
  wrong?.closest("details")?.setAttribute("open", "")
  return wrong
}

/** The failure of a form that was sent: the focus goes to the first field with a finding, or else to the failure. */
export const FormFailure = ({ error }: { readonly error: Error }) => {
  const summary = useRef<HTMLDivElement>(null)
  useEffect(() => {
    const shown = summary.current
    if (shown !== null) (firstWrong(shown.closest("form")) ?? shown).focus()
  }, [error])
  return (
    <div ref={summary} class="outcome" tabIndex={-1}>
      <Failure error={error} />
    </div>
  )
}
