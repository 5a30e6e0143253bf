import { useEffect, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { SignInWays } from "../../../client/api/index.ts"
import { Button } from "../../ground/design/Button.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { errorOf, openProcessClient, signIn } from "../../ground/session/Session.ts"
import { cookieSession } from "../../ground/session/Tokens.ts"
import { passkeyProblem, signedWithPasskey } from "./Passkey.ts"

/** A client of the doors, which take no token. */
export const doors = () => openProcessClient().sessions

/** The ways in that the service offers; undefined until it has answered. */
export const useWays = (): { readonly ways: SignInWays | undefined; readonly error: Error | undefined } => {
  const [ways, setWays] = useState<SignInWays>()
  const [error, setError] = useState<Error>()
  useEffect(() => {
    doors().getSignInWays().then(setWays, (cause: unknown) => setError(errorOf(cause)))
  }, [])
  return { ways, error }
}

/** The name of an identity provider: its host. */
const providerName = (issuer: string): string => URL.canParse(issuer) ? new URL(issuer).host : issuer

/** The page that a sign-in at the provider ends at: the one that is shown, unless it is that of signing in. */
const returnPath = (): string =>
  /^\/console\/(sign-in|join)\b/.test(location.pathname) ? "/console" : location.pathname + location.search

interface Sent {
  readonly to: "provider" | "passkey"
  readonly error?: Error
}

/** Whether the provider is away, and nobody was refused. */
const isAway = (error: Error): boolean => isCountersignError(error, "UNAVAILABLE", "NETWORK_ERROR", "TIMEOUT")

const Refused = ({ error, issuer, to, ways }: Required<Sent> & {
  readonly issuer: string | undefined
  readonly ways: SignInWays
}) => {
  if (to === "provider" && isAway(error)) {
    return (
      <Note tone="bad" title={`${providerName(issuer ?? "The provider")} did not respond.`}>
        People who are signed in continue. Use {ways.passkeys ? "a passkey, or " : ""}the admin token.
      </Note>
    )
  }
  const problem = to === "passkey" ? passkeyProblem(error) : undefined
  return problem === undefined ? <Failure error={error} /> : <Note tone="warn">{problem}</Note>
}

/** The buttons of the provider and of passkeys. `isOver`: the page stays, so that the provider is in a tab of its own. */
export const WaysIn = ({ invitation, isOver = false, ways }: {
  readonly ways: SignInWays
  readonly isOver?: boolean
  /** The invitation that a sign-in at the provider spends. */
  readonly invitation?: string
}) => {
  const [sent, setSent] = useState<Sent>()
  const [isElsewhere, setIsElsewhere] = useState(false)
  const isBusy = sent !== undefined && sent.error === undefined
  const run = async (to: Sent["to"], work: () => Promise<void>) => {
    setSent({ to })
    try {
      await work()
      setSent(undefined)
    } catch (cause) {
      setSent({ to, error: errorOf(cause) })
    }
  }
  const toProvider = () => {
    // A window is opened in the click, or not at all.
    const tab = isOver ? open("", "_blank") : null
    void run("provider", async () => {
      const body = {
        return_to: isOver ? "/console/sign-in" : returnPath(),
        ...(invitation === undefined ? {} : { invitation })
      }
      const { authorization_url } = await doors().beginSignIn(body).catch((cause: unknown) => {
        tab?.close()
        throw cause
      })
      if (tab === null) location.assign(authorization_url)
      else tab.location.href = authorization_url
      setIsElsewhere(tab !== null)
    })
  }
  const withPasskey = () =>
    void run("passkey", async () => {
      await doors().finishPasskey(await signedWithPasskey(await doors().beginPasskey()))
      await signIn(cookieSession)
    })
  // The sign-in in the other tab has ended when this browser has a session.
  useEffect(() => {
    if (!isElsewhere) return
    const look = () => {
      if (document.hidden) return
      doors().getSignInWays().then(({ signed_in = false }) => signed_in ? signIn(cookieSession) : undefined)
        .catch((cause: unknown) => setSent({ to: "provider", error: errorOf(cause) }))
    }
    addEventListener("focus", look)
    document.addEventListener("visibilitychange", look)
    return () => {
      removeEventListener("focus", look)
      document.removeEventListener("visibilitychange", look)
    }
  }, [isElsewhere])
  const issuer = ways.openid_connect?.issuer
  return (
    <div class="stack ways">
      {issuer === undefined ?
        null :
        <Button weight="main" isBusy={isBusy} onClick={toProvider}>Continue with {providerName(issuer)}</Button>}
      {ways.passkeys && invitation === undefined
        ? (
          <Button weight={issuer === undefined ? "main" : "plain"} isBusy={isBusy} onClick={withPasskey}>
            {sent?.to === "passkey" && isBusy ? "Waiting for your passkey…" : "Use a passkey"}
          </Button>
        )
        : null}
      {isElsewhere ? <Note>Sign in in the other tab, then come back to this one.</Note> : null}
      {sent?.error === undefined ? null : <Refused to={sent.to} error={sent.error} issuer={issuer} ways={ways} />}
    </div>
  )
}
