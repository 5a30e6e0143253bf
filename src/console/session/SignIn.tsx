import { useEffect, useState } from "preact/hooks"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"
import { TextField } from "../design/Field.tsx"
import { Mark } from "../design/Icon.tsx"
import { Failure } from "./Failure.tsx"
import { ended, heed, signIn } from "./Session.ts"

/** Asks for a token; the page that was asked for opens when it is good. */
export const SignIn = () => {
  const [entered, setEntered] = useState("")
  const [error, setError] = useState<Error>()
  const [isAsking, setIsAsking] = useState(false)
  useEffect(() => {
    document.title = "Sign in · Countersign"
  }, [])
  const submit = async () => {
    setIsAsking(true)
    setError(undefined)
    try {
      await signIn(entered.trim())
    } catch (cause) {
      setError(heed(cause))
      setIsAsking(false)
    }
  }
  return (
    <main class="narrow stack wide">
      <span class="brand">
        <Mark />Countersign
      </span>
      <h1>Sign in with a token</h1>
      <p class="quiet">
        The console calls the API with your token, and can do what its scopes allow. The token stays in this tab and is
        forgotten when the tab is closed.
      </p>
      {ended.value === undefined ? null : <Note tone="warn" title="You were signed out">{ended.value}</Note>}
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
          placeholder="csk_…"
          required
          autocomplete="off"
          isFirst
        />
        {error === undefined ? null : <Failure error={error} />}
        <Button type="submit" weight="main" disabled={isAsking}>{isAsking ? "Asking…" : "Sign in"}</Button>
      </form>
      <details class="more">
        <summary>Where do I get a token?</summary>
        <p class="small quiet">
          Whoever runs the service prints the first one with{" "}
          <code>countersign token</code>. Better is a key of your own: somebody who has one creates it for you with the
          scopes that you need. See <a href="/docs/guides/use-the-console">the console's guide</a>.
        </p>
      </details>
    </main>
  )
}
