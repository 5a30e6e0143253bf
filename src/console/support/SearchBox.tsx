import { useLocation } from "preact-iso"
import { useEffect, useRef, useState } from "preact/hooks"
import { State } from "../design/Badge.tsx"
import { Icon } from "../design/Icon.tsx"
import { onKey } from "../design/Keys.ts"
import { mayBeKey } from "../lists/KeyLike.ts"
import { useSettled } from "../lists/Settled.ts"
import { Failure } from "../session/Failure.tsx"
import { useLoad } from "../session/Load.ts"
import { find } from "./Found.ts"
import { keyOf, Owner } from "./Owner.tsx"
import "./search.css"

/** How long a person pauses before it is searched, in milliseconds. */
const pause = 30

/** Shorter texts find too much to be of use; longer ones than a mail with a key in it are not taken. */
const shortest = 2
const longest = 4000

const options = "search-options"

/**
 * One box for whatever a person knows. `/` focuses it, the arrows go through what was found, Enter opens it (a combobox
 * as WAI-ARIA 1.2 describes it). A license key goes into a body, never into an address.
 */
export const SearchBox = () => {
  const { route } = useLocation()
  const [text, setText] = useState("")
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  const settled = useSettled(text.trim(), pause)
  const isLong = settled.length >= shortest
  const found = useLoad(
    async (client, signal) => ({ of: settled, ...await find(client, settled, signal) }),
    [settled],
    { when: isLong }
  )

  useEffect(() => {
    const focus = onKey((key, event) => {
      const isTyping = (event.target as Element).closest?.("input, textarea, select, dialog") !== null
      if (key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      input.current?.focus()
      input.current?.select()
    })
    addEventListener("keydown", focus)
    return () => removeEventListener("keydown", focus)
  }, [])
  useEffect(() => setAt(0), [found.data])
  useEffect(() => document.getElementById(`${options}-${at}`)?.scrollIntoView({ block: "nearest" }), [at])
  // Who is quicker than the answer has the first of it opened.
  const isAwaited = useRef(false)

  const { customers = [], licenses = [] } = found.data ?? {}
  const isCurrent = found.data?.of === text.trim()
  const all = `/console/licenses?q=${encodeURIComponent(settled)}`
  const hasAll = isCurrent && isLong && !mayBeKey(settled) && !settled.startsWith("req_") && licenses.length > 0
  const hrefs = [
    ...licenses.map(({ id }) => `/console/licenses/${id}`),
    ...customers.map(({ id }) => `/console/customers/${id}`),
    ...(hasAll ? [all] : [])
  ]
  const open = (href: string | undefined) => {
    if (href === undefined) return
    setIsOpen(false)
    setText("")
    isAwaited.current = false
    input.current?.blur()
    route(href)
  }
  useEffect(() => {
    if (isAwaited.current && isCurrent) open(hrefs[0])
  }, [isCurrent, found.data])
  const onKeyDown = onKey((key, event) => {
    if (key === "Escape") {
      isAwaited.current = false
      setIsOpen(false)
      input.current?.blur()
    }
    if (key === "Enter") {
      if (isCurrent) open(hrefs[at])
      else isAwaited.current = true
    }
    if (key !== "ArrowDown" && key !== "ArrowUp" || hrefs.length === 0) return
    event.preventDefault()
    setAt((at + (key === "ArrowDown" ? 1 : hrefs.length - 1)) % hrefs.length)
  })
  const option = (index: number) => ({
    id: `${options}-${index}`,
    role: "option",
    "aria-selected": at === index,
    class: "option",
    onPointerDown: (event: PointerEvent) => {
      event.preventDefault()
      open(hrefs[index])
    },
    onPointerEnter: () => setAt(index)
  } as const)
  const isShown = isOpen && isLong
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown}
        aria-controls={options}
        aria-autocomplete="list"
        list={undefined}
        {...(isShown && hrefs.length > 0 ? { "aria-activedescendant": `${options}-${at}` } : {})}
        placeholder="Search by name, email, key, device or ID"
        value={text}
        autocomplete="off"
        spellcheck={false}
        maxLength={longest}
        onInput={(event) => {
          isAwaited.current = false
          setText(event.currentTarget.value)
          setIsOpen(true)
        }}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <div class="found" hidden={!isShown}>
        {found.error === undefined ? null : <Failure error={found.error} />}
        <ul id={options} role="listbox" aria-label="Results">
          {licenses.map((license, index) => (
            <li key={license.id} {...option(index)}>
              <span class="grow">
                <Owner of={license} />
              </span>
              <code class="quiet tiny">{keyOf(license)}</code>
              <State of={license.status} />
            </li>
          ))}
          {customers.map(({ code, id, name }, index) => (
            <li key={id} {...option(licenses.length + index)}>
              <Icon name="customers" />
              <bdi class="grow clip strong">{name}</bdi>
              <span class="quiet small clip">{code}</span>
            </li>
          ))}
          {hasAll
            ? (
              <li {...option(hrefs.length - 1)}>
                <span class="quiet">All matching licenses</span>
              </li>
            )
            : null}
        </ul>
        {isCurrent && found.error === undefined && hrefs.length === 0
          ? (
            <p class="none quiet">
              No results. Search matches the start of a name or email, and the last four characters of a key or the
              whole key.
            </p>
          )
          : null}
        {found.isLoading && found.data === undefined ? <p class="none quiet">Searching…</p> : null}
      </div>
    </div>
  )
}
