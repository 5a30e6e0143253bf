import { useEffect, useRef, useState } from "preact/hooks"
import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { useStay } from "../design/Entry.ts"

/** The link that a click would open in this window; undefined where it opens none, or one on the same page. */
const linkOf = ({ altKey, button, ctrlKey, metaKey, shiftKey, target }: MouseEvent): string | undefined => {
  if (button !== 0 || altKey || ctrlKey || metaKey || shiftKey || !(target instanceof Element)) return undefined
  const link = target.closest<HTMLAnchorElement>("a[href]")
  if (link === null || link.target !== "" || link.closest("dialog") !== null) return undefined
  return link.origin !== location.origin || link.pathname === location.pathname ? undefined : link.href
}

/**
 * Asks once before a page with entered values is left: by a link, by Back, by the command menu or another environment. The
 * browser asks before it reloads or closes the page.
 */
export const AskBeforeLeaving = ({ isDirty, isKept }: {
  readonly isDirty: boolean
  /** Whether the values stay in this tab when the page is left. */
  readonly isKept: boolean
}) => {
  const [leave, setLeave] = useState<() => void>()
  const passing = useRef(false)
  const release = useStay(isDirty, (go) => setLeave(() => go))
  useEffect(() => {
    if (!isDirty) return
    const onClick = (event: MouseEvent) => {
      const href = linkOf(event)
      if (href === undefined || passing.current) return
      event.preventDefault()
      event.stopPropagation()
      const link = event.target instanceof Element ? event.target.closest<HTMLElement>("a[href]") : null
      setLeave(() => () => {
        passing.current = true
        link?.click()
        passing.current = false
      })
    }
    // Before the router, which listens on the document.
    addEventListener("click", onClick, true)
    return () => removeEventListener("click", onClick, true)
  }, [isDirty])
  if (leave === undefined) return null
  const stay = () => setLeave(undefined)
  return (
    <Dialog title="Leave this page?" onClose={stay}>
      <p>
        {isKept
          ? "Your changes are not saved. This tab keeps them until you save or discard them."
          : "Your changes are not saved, and are lost when you leave."}
      </p>
      <div class="actions">
        <Button onClick={stay}>Stay</Button>
        <Button
          weight="main"
          onClick={() => {
            stay()
            release()
            leave()
          }}
        >
          Leave
        </Button>
      </div>
    </Dialog>
  )
}
