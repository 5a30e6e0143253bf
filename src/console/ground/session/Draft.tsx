import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { Countersign } from "../../../client/api/index.ts"
import { newKey } from "../../../client/transport/Credentials.ts"
import { Button } from "../design/Button.tsx"
import { Dialog } from "../design/Dialog.tsx"
import { useStay } from "../design/Entry.ts"
import { environment } from "./Environment.ts"
import { ask, ended, errorOf, identity, onVisitEnd, token } from "./Session.ts"
import { draftPrefix, forgetDrafts } from "./Tokens.ts"

// Entered values belong to a visit. Only a person who signs in again after the service ended the session gets them back.
onVisitEnd(() => ended.value === undefined || token.value !== undefined ? forgetDrafts() : undefined)

/** The person or token that enters values: a draft is given back to nobody else. */
const owner = (): string => `${identity.value?.kind ?? ""} ${identity.value?.id ?? ""}`

/** The place of a draft in this tab: drafts of the same name on other pages, and of another environment, are others. */
const placeOf = (name: string): string => `${draftPrefix}${environment.value?.name ?? ""} ${location.pathname} ${name}`

const isSame = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b)

const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

/** Whether a value that was kept can be that of a member, as far as the loaded one says what it is. */
const isLike = (kept: unknown, loaded: unknown): boolean =>
  loaded === undefined || (typeof kept === typeof loaded && Array.isArray(kept) === Array.isArray(loaded))

/** The values that this tab keeps under the name of a draft. */
interface Stored<T> {
  readonly entered: Partial<T>
  /** The idempotency key of an attempt whose outcome nobody knows. */
  readonly key: string | undefined
}

const read = <T extends object>(place: string | undefined, loaded: T): Stored<T> => {
  const nothing = { entered: {}, key: undefined }
  if (place === undefined) return nothing
  try {
    const kept: unknown = JSON.parse(sessionStorage.getItem(place) ?? "null")
    if (!isObject(kept) || !("by" in kept) || kept.by !== owner() || !("entered" in kept) || !isObject(kept.entered)) {
      return nothing
    }
    const like = Object.entries(kept.entered).filter(([name, value]) => isLike(value, loaded[name as keyof T]))
    return {
      entered: Object.fromEntries(like) as Partial<T>,
      key: "key" in kept && typeof kept.key === "string" ? kept.key : undefined
    }
  } catch {
    return nothing
  }
}

const write = <T extends object>(place: string | undefined, { entered, key }: Stored<T>): void => {
  if (place === undefined) return
  if (Object.keys(entered).length === 0 && key === undefined) sessionStorage.removeItem(place)
  else sessionStorage.setItem(place, JSON.stringify({ by: owner(), entered, key }))
}

/** The values that are entered over those that were loaded. */
export interface Draft<T extends object> {
  readonly values: T
  /** The names of what differs from what was loaded. */
  readonly changed: ReadonlyArray<string>
  readonly set: (values: Partial<T>) => void
  /** Keeps nothing any more: it is saved. What was entered is still shown. */
  readonly saved: () => void
  /** Forgets what was entered. */
  readonly discard: () => void
  /** The idempotency key of an attempt whose outcome nobody knows, so that another one after a reload does it once. */
  readonly attempt: { readonly get: () => string | undefined; readonly set: (key: string | undefined) => void }
}

/** A draft as a form or a dialog holds it, whatever its values are. */
export interface HeldDraft extends Pick<Draft<object>, "attempt" | "changed" | "discard" | "saved"> {
  /** The reason why nothing is kept of what is entered; absent where it is kept. */
  readonly unkept?: string
}

/** Stands in the place of a draft where nothing may be kept, with the reason. `isEntered`: leaving loses something. */
export const unkept = (reason: string, isEntered: boolean): HeldDraft => ({
  unkept: reason,
  changed: isEntered ? [reason] : [],
  discard: () => {},
  saved: () => {},
  attempt: { get: () => undefined, set: () => {} }
})

/**
 * Values that are entered over those that were loaded: the one state of all forms. Only what differs by value is kept, in
 * this tab under the address of the page, so that it stays when others change the rest. It is given back after a reload, a
 * sign-in and a return, until it is saved or discarded. Nothing secret goes in here. `begun` is what is entered at first;
 * without a name nothing is kept.
 */
export const useDraft = <T extends object>(
  name: string | undefined,
  loaded: T,
  begun: Partial<T> = {}
): Draft<T> => {
  // The address is that of the page on which it was opened, also while another one is about to be shown.
  const [place] = useState(() => name === undefined ? undefined : placeOf(name))
  const [entered, setEntered] = useState<Partial<T>>(() => ({ ...begun, ...read(place, loaded).entered }))
  const latest = useRef(entered)
  const names: ReadonlyArray<string> = Object.keys(loaded)
  const values = { ...loaded, ...entered }
  const keep = (next: Partial<T>): void => {
    const left = Object.fromEntries(
      Object.entries(next).filter(([key, value]) => !isSame(value, loaded[key as keyof T]))
    ) as Partial<T>
    latest.current = left
    setEntered(left)
    write(place, { entered: left, key: read(place, loaded).key })
  }
  return {
    values,
    changed: names.filter((key) => !isSame(values[key as keyof T], loaded[key as keyof T])),
    set: (changes) => keep({ ...latest.current, ...changes }),
    saved: () => write(place, { entered: {}, key: undefined }),
    discard: () => {
      latest.current = {}
      setEntered({})
      write(place, { entered: {}, key: undefined })
    },
    attempt: {
      get: () => read(place, loaded).key,
      set: (key) => write(place, { entered: latest.current, key })
    }
  }
}

/** Opens a dialog again that was open, with entered values, when the page was loaded anew or the session ended. */
export const useReopened = (name: string | undefined, isOpen: boolean, open: () => void): void => {
  const [place] = useState(() => name === undefined ? undefined : `${placeOf(name)} open`)
  useEffect(() => {
    if (place === undefined) return
    const by = sessionStorage.getItem(place)
    sessionStorage.removeItem(place)
    if (by === owner()) open()
  }, [])
  useLayoutEffect(() => {
    if (place === undefined || !isOpen) return
    sessionStorage.setItem(place, owner())
    return () => sessionStorage.removeItem(place)
  }, [isOpen])
}

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
  useLayoutEffect(() => {
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

/** Whether a refusal is final: the next attempt is another request, with an idempotency key of its own. */
export const isDecided = (error: Error): boolean =>
  isCountersignError(error) && error.status !== undefined && error.status < 500 && ![408, 429].includes(error.status) &&
  error.code !== "IDEMPOTENCY_IN_FLIGHT"

/** The state of a form that is sent. */
type Sent<A> =
  | { readonly name: "editing" | "sending" }
  | { readonly name: "failed"; readonly error: Error; readonly isDecided: boolean }
  | { readonly name: "done"; readonly answer: A }

/**
 * The sending of a form. The idempotency key is that of its content: the same content is never written twice while nobody
 * knows whether it was, and another content is another request. With the attempt of a draft, that holds after a reload too.
 */
export function useSubmission<Content, A>(
  perform: (client: Countersign, content: Content, idempotencyKey: string) => Promise<A>,
  attempt?: HeldDraft["attempt"]
) {
  const [state, setState] = useState<Sent<A>>({ name: "editing" })
  const kept = useRef({ content: "", key: "" })
  const send = async (content: Content): Promise<void> => {
    if (state.name === "sending") return
    const written = JSON.stringify(content)
    if (kept.current.content !== written) {
      const before = kept.current.content === "" ? attempt?.get() : undefined
      kept.current = { content: written, key: before ?? newKey() }
    }
    attempt?.set(kept.current.key)
    setState({ name: "sending" })
    try {
      const answer = await ask((client) => perform(client, content, kept.current.key))
      kept.current = { content: "", key: "" }
      setState({ name: "done", answer })
    } catch (cause) {
      const error = errorOf(cause)
      const decided = isDecided(error)
      if (decided) {
        kept.current = { content: "", key: "" }
        attempt?.set(undefined)
      }
      setState({ name: "failed", error, isDecided: decided })
    }
  }
  return { state, send: (content: Content) => void send(content), again: () => setState({ name: "editing" }) }
}
