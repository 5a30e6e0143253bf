import type { ComponentChildren } from "preact"
import { useEffect, useRef, useState } from "preact/hooks"
import type { TokenIdentity } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { Dialog, useHold } from "../design/Dialog.tsx"
import { Note } from "../design/Feedback.tsx"
import { TextField } from "../design/Field.tsx"
import { Mark } from "../design/Icon.tsx"
import { environment, isBesideLive } from "./Environment.ts"
import { Failure } from "./Failure.tsx"
import { arriving, beginAnew, ended, errorOf, goOn, identity, signIn, signOut, switchTo } from "./Session.ts"
import { environmentNames, keptToken } from "./Tokens.ts"

/** The field for a token, and what came of it. `beside` stands beside the button. */
export const TokenForm = (
  { beside, onToken, placeholder = "csk_…" }: {
    readonly beside?: ComponentChildren
    /** Takes the token; rejects with what is wrong with it. */
    readonly onToken: (token: string) => Promise<void>
    readonly placeholder?: string
  }
) => {
  const [entered, setEntered] = useState("")
  const [error, setError] = useState<Error>()
  const [isAsking, setIsAsking] = useState(false)
  const submit = async () => {
    setIsAsking(true)
    setError(undefined)
    try {
      await onToken(entered.trim())
    } catch (cause) {
      setError(errorOf(cause))
      setIsAsking(false)
    }
  }
  return (
    <form
      class="stack wide"
      onSubmit={(event) => {
        event.preventDefault()
        if (entered.trim() !== "" && !isAsking) void submit()
      }}
    >
      <TextField
        label="Token"
        type="password"
        value={entered}
        onChange={setEntered}
        placeholder={placeholder}
        required
        autocomplete="off"
        isFirst
      />
      {error === undefined ? null : <Failure error={error} />}
      <div class={beside === undefined ? "stack" : "actions"}>
        {beside}
        <Button type="submit" weight="main" isBusy={isAsking}>{isAsking ? "Signing in…" : "Sign in"}</Button>
      </div>
    </form>
  )
}

const Why = () => ended.value === undefined ? null : <Note tone="warn" title="You were signed out">{ended.value}</Note>

/** Leads back to another environment whose token the tab still has. */
const OtherEnvironments = () => (
  <>
    {environmentNames.filter((name) => keptToken(name) !== undefined).map((name) => (
      <Button
        key={name}
        onClick={() => switchTo(name)}
      >
        Back to {name}
      </Button>
    ))}
  </>
)

/** Asks for a token. The requested page opens once it is valid. */
export const SignIn = () => {
  useEffect(() => {
    document.title = "Sign in · Countersign"
  }, [])
  return (
    <main class="narrow stack wide">
      <span class="brand">
        <Mark />Countersign
      </span>
      <h1>Sign in with a token</h1>
      <p class="quiet">
        Your token's scopes decide what you can see and do. The token is kept only in this browser tab, until you close
        it. A token belongs to the live or to the test environment.
      </p>
      <Why />
      <TokenForm onToken={signIn} />
      <OtherEnvironments />
      <details class="more">
        <summary>Where do I get a token?</summary>
        <p class="small quiet">
          Ask an administrator to create an API key with the scopes that you need. The operator can print the admin
          token with <code>countersign token</code>, or with <code>countersign token --environment test</code>{" "}
          for the test environment. See <a href="/docs/guides/use-the-console">the console guide</a>.
        </p>
      </details>
    </main>
  )
}

const Held = () => {
  useHold()
  return (
    <>
      <Why />
      <p class="quiet">
        The page and your input are kept. After you sign in, the page continues where it was; no request is sent twice.
      </p>
      {isBesideLive() ? <p>Enter a token of the {environment.value?.name} environment.</p> : null}
      <TokenForm onToken={signIn} beside={<Button onClick={() => signOut()}>Leave page</Button>} />
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
