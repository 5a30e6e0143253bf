import { useState } from "preact/hooks"
import { Button } from "../../ground/design/Button.tsx"
import { Dialog } from "../../ground/design/Dialog.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { continueAsOther, errorOf, identity, signOut } from "../../ground/session/Session.ts"
import { isOver, otherPerson } from "../../ground/session/SessionRefusals.ts"

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
