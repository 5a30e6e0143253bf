import { useEffect, useRef, useState } from "preact/hooks"
import type { SignInWays, TokenIdentity } from "../../../client/api/index.ts"
import { addressIn, environmentNames } from "../../ground/addresses/Address.ts"
import { showAddress } from "../../ground/addresses/Located.tsx"
import { BrandMark, usePublicBrand } from "../../ground/brand/Brand.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Dialog, useHold } from "../../ground/design/Dialog.tsx"
import { Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import {
  arriving,
  beginAnew,
  continueAsOther,
  ended,
  errorOf,
  goOn,
  identity,
  shownName,
  signIn,
  signOut
} from "../../ground/session/Session.ts"
import { isOver, otherPerson } from "../../ground/session/SessionRefusals.ts"
import { useIntroduced } from "../../ground/session/Title.ts"
import { cookieSession, keptToken } from "../../ground/session/Tokens.ts"
import { TokenForm } from "./TokenForm.tsx"
import { useWays, WaysIn } from "./WaysIn.tsx"

/** Says over the page of one person that another is signed in to this browser. The page stays as it is until one goes on. */
export const OtherPersonOver = ({ name }: { readonly name: string }) => {
  const [error, setError] = useState<Error>()
  const [isBusy, setIsBusy] = useState(false)
  const keep = () => {
    otherPerson.value = undefined
  }
  const goOn = async () => {
    setIsBusy(true)
    try {
      await continueAsOther()
    } catch (cause) {
      const failure = errorOf(cause)
      if (isOver(failure)) signOut(failure.message)
      else setError(failure)
      setIsBusy(false)
    }
  }
  return (
    <Dialog title="Another person is signed in" onClose={keep}>
      <p>
        You are signed in as <bdi class="strong">{name}</bdi> in another tab. This page is of{" "}
        <bdi class="strong">{identity.value?.name}</bdi>: the service did nothing of what it asked for.
      </p>
      <p class="quiet">
        If you keep the page, your input stays. It is sent once <bdi>{identity.value?.name}</bdi>{" "}
        has signed in again in another tab, and you try again.
      </p>
      {error === undefined ? null : <Failure error={error} />}
      <div class="actions">
        <Button onClick={keep}>Keep the page</Button>
        <Button weight="main" isBusy={isBusy} onClick={() => void goOn()}>
          <span>
            Continue as <bdi>{name}</bdi>
          </span>
        </Button>
      </div>
    </Dialog>
  )
}

/** The ways in of a service that does not answer which there are. */
const tokenAlone: SignInWays = { passkeys: false, admin_token: true }

const Why = () => ended.value === undefined ? null : <Note tone="warn" title="You were signed out">{ended.value}</Note>

/** Leads back to another environment whose token the tab still has, and from any to live, where people sign in. */
const OtherEnvironments = () => (
  <>
    {environmentNames.filter((name) => name !== shownName.value && (name === "live" || keptToken(name) !== undefined))
      .map((name) => (
        <Button
          key={name}
          onClick={() => showAddress(addressIn(name, "/console"))}
        >
          {keptToken(name) === undefined ? "Go to" : "Back to"} {name}
        </Button>
      ))}
  </>
)

/** Says which token is needed, where the address says the environment. */
const Wanted = () => shownName.value === "live" ? null : <p>Enter a token of the {shownName.value} environment.</p>

const WhereFrom = () => (
  <details class="more">
    <summary>Where do I get a token?</summary>
    <p class="small quiet">
      Ask an administrator to create an API key with the scopes that you need. The operator can print the admin token
      with <code>countersign token</code>, or with <code class="nowrap">countersign token --environment test</code>{" "}
      for the test environment. See <a href="/docs/guides/use-the-console">the console guide</a>.
    </p>
  </details>
)

const TokenWords = () => (
  <p class="quiet">
    Your token's scopes decide what you can see and do. The token is kept only in this browser tab, until you close it.
    A token belongs to the live or to the test environment.
  </p>
)

/** The token, behind the ways of people. The admin token is the key under glass. */
const OtherWays = () => (
  <details class="more">
    <summary>Other ways</summary>
    <div class="stack">
      <p class="small quiet">
        An API key signs in with its scopes, to the live or to the test environment. The admin token is for emergencies:
        people with access can see each use.
      </p>
      <Wanted />
      <TokenForm onToken={signIn} isFirst={false} />
      <WhereFrom />
    </div>
  </details>
)

const Ways = ({ ways }: { readonly ways: SignInWays }) => {
  const isForPeople = ways.passkeys || ways.openid_connect !== undefined
  return (
    <>
      <h1>{isForPeople ? "Sign in" : "Sign in with a token"}</h1>
      {isForPeople ? null : <TokenWords />}
      {isForPeople ? null : <Wanted />}
      <Why />
      {isForPeople
        ? (
          <>
            <WaysIn ways={ways} />
            <OtherEnvironments />
            <OtherWays />
          </>
        )
        : (
          <>
            <TokenForm onToken={signIn} />
            <OtherEnvironments />
            <WhereFrom />
          </>
        )}
      {ways.passkeys_problem === undefined || !isForPeople
        ? null
        : <p class="small quiet">{ways.passkeys_problem}</p>}
    </>
  )
}

/** Shows the ways in. The requested page opens once somebody is signed in, or finds that the browser has a session. */
export const SignIn = () => {
  const { error, ways } = useWays()
  const [problem, setProblem] = useState<Error>()
  const isIn = ways?.signed_in === true && ended.value === undefined
  usePublicBrand({ error, ways })
  useIntroduced("Sign in", ways ?? error)
  useEffect(() => {
    if (isIn) signIn(cookieSession).catch((cause: unknown) => setProblem(errorOf(cause)))
  }, [isIn])
  return (
    <main class="narrow stack wide branded">
      <span class="brand">
        <BrandMark />
      </span>
      {isIn && problem === undefined || ways === undefined && error === undefined
        ? <Skeleton />
        : (
          <>
            {error ?? problem ? <Failure error={(error ?? problem)!} /> : null}
            <Ways ways={ways ?? tokenAlone} />
          </>
        )}
    </main>
  )
}

const Held = () => {
  const { ways } = useWays()
  useHold()
  const isForPeople = ways !== undefined && (ways.passkeys || ways.openid_connect !== undefined)
  const leaving = <Button onClick={() => signOut()}>Leave page</Button>
  return (
    <>
      <Why />
      <p class="quiet">
        The page and your input are kept. After you sign in, the page continues where it was; no request is sent twice.
      </p>
      {isForPeople ? null : <Wanted />}
      {isForPeople
        ? (
          <>
            <WaysIn ways={ways} isOver />
            <OtherWays />
            <div class="actions">{leaving}</div>
          </>
        )
        : <TokenForm onToken={signIn} beside={leaving} />}
    </>
  )
}

const Token = ({ of }: { readonly of: TokenIdentity | undefined }) => (
  <>
    <bdi class="strong">{of?.name ?? "Admin token"}</bdi>
    {of?.key_prefix === undefined ? null : (
      <>
        <code class="tiny">{of.key_prefix}…</code>
      </>
    )}
  </>
)

/** Asks whose page it is, if the token is another than the one that opened it. */
const Whose = () => {
  useHold()
  const question = useRef<HTMLDivElement>(null)
  // No button has the focus, so that pressing Enter twice to send the token decides nothing.
  useEffect(() => question.current?.focus(), [])
  return (
    <>
      <div ref={question} class="stack" tabIndex={-1}>
        <p>
          This page was opened with another token: <Token of={identity.value} />. You signed in with{" "}
          <Token of={arriving.value?.identity} />.
        </p>
        <p class="quiet">
          Continue only if this page and its input are yours: the pending request is sent with your token. Otherwise
          start over: the input is discarded and nothing is sent.
        </p>
      </div>
      <div class="actions">
        <Button onClick={goOn}>Continue</Button>
        <Button weight="main" onClick={beginAnew}>Start over</Button>
      </div>
    </>
  )
}

/** Asks for another token over the page, where the service has ended the session; the page goes on with it. */
export const SignInOver = () => (
  <Dialog title="Sign in again" onClose={() => {}}>
    {arriving.value === undefined ? <Held /> : <Whose />}
  </Dialog>
)
