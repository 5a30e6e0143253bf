import { useLocation } from "preact-iso"
import { useState } from "preact/hooks"
import { addressIn } from "../addresses/Address.ts"
import type { EnvironmentName } from "../addresses/Address.ts"
import { showAddress } from "../addresses/Located.tsx"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { whenLeft } from "../design/Entry.ts"
import { TokenForm } from "../entry/TokenForm.tsx"
import { isAvailable } from "../session/Environment.ts"
import { signInBeside } from "../session/Session.ts"
import { keptToken } from "../session/Tokens.ts"
import { listOf } from "./Places.ts"

interface SwitchProps {
  readonly to: EnvironmentName
  readonly weight?: Weight
  /** Whether it shows only the target, where space is short. */
  readonly isShort?: boolean
}

/**
 * Switches to another environment that the service has, and first asks for a token if the tab has none. The page stays; of a page
 * about a record, which belongs to one environment, the list of such records is shown.
 */
export const EnvironmentSwitch = ({ isShort = false, to, weight = "bare" }: SwitchProps) => {
  const { path } = useLocation()
  const [isAsking, setIsAsking] = useState(false)
  const show = () => showAddress(addressIn(to, listOf(path)))
  const onSwitch = () => whenLeft(() => keptToken(to) === undefined ? setIsAsking(true) : show())
  const onToken = async (given: string) => {
    await signInBeside(to, given)
    show()
  }
  if (!isAvailable(to)) return null
  return (
    <>
      <Button small weight={weight} label={`Switch to ${to}`} onClick={onSwitch}>
        {isShort ? <span class="capital">{to}</span> : `Switch to ${to}`}
      </Button>
      {isAsking
        ? (
          <Dialog title={`Sign in to ${to}`} onClose={() => setIsAsking(false)}>
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
