import type { ComponentChildren } from "preact"
import { useEffect, useId, useRef } from "preact/hooks"

interface DialogProps {
  readonly title: string
  readonly children: ComponentChildren
  readonly onClose: () => void
}

/** A modal window: the platform's own, which keeps the focus inside, closes on Escape and gives the focus back. */
export const Dialog = ({ children, onClose, title }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null)
  const id = useId()
  useEffect(() => {
    const shown = dialog.current
    return () => shown?.close()
  }, [])
  // A second Escape closes it whatever we say. What is then said to whoever asked, as an outcome, opens it again.
  useEffect(() => {
    if (dialog.current?.open === false) dialog.current.showModal()
  })
  return (
    <dialog
      ref={dialog}
      class="dialog"
      aria-labelledby={id}
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
      onClose={onClose}
      onClick={(event) => {
        if (event.target === dialog.current) onClose()
      }}
    >
      <div class="inside">
        <h2 id={id}>{title}</h2>
        {children}
      </div>
    </dialog>
  )
}
