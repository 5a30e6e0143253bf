import { useLocation } from "preact-iso"
import { useState } from "preact/hooks"
import { addressIn } from "../../ground/addresses/Address.ts"
import type { EnvironmentName } from "../../ground/addresses/Address.ts"
import { showAddress } from "../../ground/addresses/Located.tsx"
import { Button } from "../../ground/design/Button.tsx"
import type { Weight } from "../../ground/design/Button.tsx"
import { Dialog } from "../../ground/design/Dialog.tsx"
import { whenLeft } from "../../ground/design/Entry.ts"
import { isAvailable } from "../../ground/session/Environment.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { errorOf, signInBeside, token } from "../../ground/session/Session.ts"
import { cookieSession, keptToken } from "../../ground/session/Tokens.ts"
import { TokenForm } from "../../people/entry/TokenForm.tsx"
import { listOf } from "./Places.ts"

interface SwitchProps {
  readonly to: EnvironmentName
  readonly weight?: Weight
  /** Whether it shows only the target, where space is short. */
  readonly isShort?: boolean
}

/**
 * Switches to another environment that the service has. A person is there, too; whoever came with a token is first asked for one of that
 * environment, if the tab has none. The page stays; of a page
 * about a record, which belongs to one environment, the list of such records is shown.
 */
export const EnvironmentSwitch = ({ isShort = false, to, weight = "bare" }: SwitchProps) => {
  const { path } = useLocation()
  const [isAsking, setIsAsking] = useState(false)
  const show = () => showAddress(addressIn(to, listOf(path)))
  const [problem, setProblem] = useState<Error>()
  const onToken = async (given: string) => {
    await signInBeside(to, given)
    show()
  }
  const asPerson = () =>
    onToken(cookieSession).catch((cause: unknown) => {
      setProblem(errorOf(cause))
      setIsAsking(true)
    })
  const onSwitch = () =>
    whenLeft(() => {
      if (keptToken(to) !== undefined) show()
      else if (token.value === cookieSession) void asPerson()
      else setIsAsking(true)
    })
  if (!isAvailable(to)) return null
  return (
    <>
      <Button small weight={weight} label={`Switch to ${to}`} onClick={onSwitch}>
        {isShort ? <span class="capital">{to}</span> : `Switch to ${to}`}
      </Button>
      {isAsking
        ? (
          <Dialog title={`Sign in to ${to}`} onClose={() => setIsAsking(false)}>
            {problem === undefined ? null : <Failure error={problem} />}
            <p class="quiet">
              Enter a token of the {to} environment. You stay signed in here too, and can switch between both.
            </p>
            <TokenForm
              onToken={onToken}
              placeholder={to === "live" ? "csk_…" : `csk_${to}_…`}
              beside={<Button onClick={() => setIsAsking(false)}>Cancel</Button>}
            />
          </Dialog>
        )
        : null}
    </>
  )
}
