import type { ComponentChildren } from "preact"
import { useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { TextField } from "../../ground/design/Field.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { errorOf } from "../../ground/session/Session.ts"

/** The field for a token, and what came of it. `beside` stands beside the button. */
export const TokenForm = (
  { beside, isFirst = true, onToken, placeholder = "csk_…" }: {
    readonly beside?: ComponentChildren
    /** Takes the token; rejects with what is wrong with it. */
    readonly onToken: (token: string) => Promise<void>
    readonly placeholder?: string
    /** Whether it has the focus when it appears. */
    readonly isFirst?: boolean
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
        isFirst={isFirst}
      />
      {error === undefined ? null : <Failure error={error} />}
      <div class={beside === undefined ? "stack" : "actions"}>
        {beside}
        <Button type="submit" weight="main" isBusy={isAsking}>{isAsking ? "Signing in…" : "Sign in"}</Button>
      </div>
    </form>
  )
}
