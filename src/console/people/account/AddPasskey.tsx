import { useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { ask, errorOf } from "../../ground/session/Session.ts"
import { createdPasskey, passkeyProblem } from "../entry/Passkey.ts"

/** Adds a passkey to those of who is signed in, and says what came of it. */
export const AddPasskey = ({ isMain = false, label, onAdded }: {
  readonly label: string
  readonly isMain?: boolean
  readonly onAdded?: () => void
}) => {
  const [isSending, setIsSending] = useState(false)
  const [error, setError] = useState<Error>()
  const [added, setAdded] = useState<string>()
  const add = async () => {
    setIsSending(true)
    setError(undefined)
    setAdded(undefined)
    try {
      const created = await createdPasskey(await ask((client) => client.passkeys.begin()))
      setAdded((await ask((client) => client.passkeys.create(created))).name)
      onAdded?.()
    } catch (cause) {
      setError(errorOf(cause))
    }
    setIsSending(false)
  }
  const problem = error === undefined ? undefined : passkeyProblem(error)
  return (
    <div class="stack">
      <span class="row">
        <Button weight={isMain ? "main" : "plain"} isBusy={isSending} onClick={() => void add()}>
          {isSending ? "Waiting for your passkey…" : label}
        </Button>
      </span>
      {added === undefined ? null : (
        <Note tone="good">
          <span>
            Added <bdi class="strong">{added}</bdi>.
          </span>
        </Note>
      )}
      {error === undefined
        ? null
        : problem === undefined
        ? <Failure error={error} />
        : <Note tone="warn">{problem}</Note>}
    </div>
  )
}
