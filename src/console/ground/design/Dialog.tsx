import { createContext } from "preact"
import type { ComponentChildren } from "preact"
import { useCallback, useContext, useEffect, useId, useLayoutEffect, useMemo, useRef, useState } from "preact/hooks"
import { Button, RowName } from "./Button.tsx"
import { useStay } from "./Entry.ts"
import { onKey } from "./Keys.ts"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
  /** Whether it comes from below, on a phone. */
  readonly isSheet?: boolean
  /** Whether it has room for a table. */
  readonly isWide?: boolean
}

interface Hold {
  readonly isHeld: boolean
  /** Holds the dialog open until the answered function is called. */
  readonly hold: () => () => void
}

const Held = createContext<Hold>({ isHeld: false, hold: () => () => {} })

/** Holds the dialog around it open while it is shown: neither Escape, nor a click outside, nor Back closes it. */
export const useHold = (): void => {
  const { hold } = useContext(Held)
  useLayoutEffect(hold, [hold])
}

/** The button that closes a dialog. It is the only way out of a dialog that is held open. */
export const CloseButton = ({ onClose }: { readonly onClose: () => void }) => (
  <Button weight="main" onClick={onClose}>{useContext(Held).isHeld ? "I saved it" : "Close"}</Button>
)

/** Keeps Escape from the browser, wherever the focus is; answers what ends that. */
const ignoreEscape = (): () => void => {
  const ignore = onKey((key, event) => {
    if (key === "Escape") event.preventDefault()
  })
  document.addEventListener("keydown", ignore, { capture: true })
  return () => document.removeEventListener("keydown", ignore, { capture: true })
}

/**
 * A modal window of the platform: it keeps the focus inside, closes on Escape and gives the focus back. Content that
 * must not be lost by a slip holds it open.
 */
export const Dialog = ({ children, isSheet = false, isWide = false, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const isGone = useRef(false)
  const [holds, setHolds] = useState(0)
  const id = useId()
  const isHeld = holds > 0
  const hold = useCallback(() => {
    setHolds((many) => many + 1)
    return () => setHolds((many) => many - 1)
  }, [])
  const held = useMemo(() => ({ isHeld, hold }), [isHeld, hold])
  useStay(isHeld)
  useEffect(() => {
    const shown = dialog.current
    return () => {
      isGone.current = true
      shown?.close()
    }
  }, [])
  const show = () => {
    if (dialog.current?.open === false) dialog.current.showModal()
  }
  // Browsers close a dialog on a second Escape whatever the handler of the first said, unless they do not hear of the key.
  useEffect(() => isHeld ? ignoreEscape() : undefined, [isHeld])
  // They have other ways to ask for it, such as the gesture for Back. A dialog that is held is opened again at once, so
  // that no key reaches the page behind it, and then shows the outcome.
  useLayoutEffect(show)
  const leave = () => {
    if (isGone.current) return
    if (isHeld) show()
    else onClose()
  }
  return (
    <dialog
      ref={dialog}
      class={`dialog ${isSheet ? "sheet" : isWide ? "wide" : ""}`}
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        leave()
      }}
      onClose={leave}
      onClick={(event) => {
        if (event.target === dialog.current) leave()
      }}
    >
      <div class="inside">
        <h2 id={id}>{title}</h2>
        <RowName.Provider value={undefined}>
          <Held.Provider value={held}>{children}</Held.Provider>
        </RowName.Provider>
      </div>
    </dialog>
  )
}
