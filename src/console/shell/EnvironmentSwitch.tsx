import { useLocation } from "preact-iso"
import { useState } from "preact/hooks"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { whenLeft } from "../design/Entry.ts"
import { TokenForm } from "../entry/TokenForm.tsx"
import { isAvailable } from "../session/Environment.ts"
import { signInBeside, switchTo } from "../session/Session.ts"
import { keptToken } from "../session/Tokens.ts"
import type { EnvironmentName } from "../session/Tokens.ts"

interface SwitchProps {
  readonly to: EnvironmentName
  readonly weight?: Weight
  /** Whether it shows only the target, where space is short. */
  readonly isShort?: boolean
}

/** Switches to another environment that the service has, and first asks for a token if the tab has none. */
export const EnvironmentSwitch = ({ isShort = false, to, weight = "bare" }: SwitchProps) => {
  const { route } = useLocation()
  const [isAsking, setIsAsking] = useState(false)
  // The records in URLs belong to one environment only.
  const leave = () => route("/console")
  const onSwitch = () =>
    whenLeft(() => {
      if (keptToken(to) === undefined) setIsAsking(true)
      else {
        leave()
        switchTo(to)
      }
    })
  const onToken = async (given: string) => {
    const enter = await signInBeside(to, given)
    leave()
    enter()
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
