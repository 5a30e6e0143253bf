import { useLocation } from "preact-iso"
import { useEffect, useRef, useState } from "preact/hooks"
import { State } from "../design/Badge.tsx"
import { Icon } from "../design/Icon.tsx"
import { onKey } from "../design/Keys.ts"
import { useSettled } from "../lists/Settled.ts"
import { Failure } from "../session/Failure.tsx"
import { useLoad } from "../session/Load.ts"
import { keyOf, Owner } from "../support/Owner.tsx"
import { find } from "./Found.ts"
import { noResultsText, searchOptions } from "./SearchView.ts"
import type { SearchOption } from "./SearchView.ts"
import "./search.css"

/** How long a typing pause is before the service is searched, in milliseconds. */
const pause = 30

/** Shorter texts find too much to be of use; longer ones than a mail with a key in it are not taken. */
const shortest = 2
const longest = 4000

const listId = "search-options"

/** Searches for a text once it is long enough and the person pauses. */
const useFound = (text: string) => {
  const settled = useSettled(text, pause)
  const { data, error, isLoading } = useLoad(
    async (client, signal) => ({ text: settled, found: await find(client, settled, signal) }),
    [settled],
    { when: settled.length >= shortest }
  )
  const isCurrent = data?.text === text
  return {
    isLong: settled.length >= shortest,
    /** Whether the options are those of the text, and not of an earlier one. */
    isCurrent,
    isFirstAwaited: isLoading && data === undefined,
    data,
    error,
    options: data === undefined ? [] : searchOptions(data.text, data.found, isCurrent)
  }
}

/** `/` puts the focus into the box, wherever nobody is typing. */
const useSlash = (focus: () => void) =>
  useEffect(() => {
    const listener = onKey((key, event) => {
      const isTyping = (event.target as Element).closest?.("input, textarea, select, dialog") !== null
      if (key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return
      event.preventDefault()
      focus()
    })
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])

const OptionText = ({ of: { customer, license } }: { readonly of: SearchOption }) =>
  license !== undefined
    ? (
      <>
        <span class="grow">
          <Owner of={license} />
        </span>
        <code class="quiet tiny">{keyOf(license)}</code>
        <State of={license.status} />
      </>
    )
    : customer !== undefined
    ? (
      <>
        <Icon name="customers" />
        <bdi class="grow clip strong">{customer.name}</bdi>
        <span class="quiet small clip">{customer.code}</span>
      </>
    )
    : <span class="quiet">All matching licenses</span>

interface ResultsProps {
  readonly of: ReturnType<typeof useFound>
  /** The option that Enter opens. */
  readonly at: number
  readonly onPoint: (index: number) => void
  readonly onOpen: (option: SearchOption) => void
}

const Results = ({ at, of: { data, error, isCurrent, isFirstAwaited, options }, onOpen, onPoint }: ResultsProps) => (
  <>
    {error === undefined ? null : <Failure error={error} />}
    <ul id={listId} role="listbox" aria-label="Results">
      {options.map((option, index) => (
        <li
          key={option.href}
          id={`${listId}-${index}`}
          role="option"
          aria-selected={at === index}
          class="option"
          onPointerDown={(event: PointerEvent) => {
            event.preventDefault()
            onOpen(option)
          }}
          onPointerEnter={() => onPoint(index)}
        >
          <OptionText of={option} />
        </li>
      ))}
    </ul>
    {isCurrent && error === undefined && options.length === 0
      ? <p class="none quiet">{noResultsText(data?.text ?? "")}</p>
      : null}
    {isFirstAwaited ? <p class="none quiet">Searching…</p> : null}
  </>
)

/** The state of the box: the text, the option that Enter opens, and the keys. */
const useBox = () => {
  const { route } = useLocation()
  const [text, setText] = useState("")
  const [isOpen, setIsOpen] = useState(false)
  const [at, setAt] = useState(0)
  const input = useRef<HTMLInputElement>(null)
  // Enter was pressed before the answer came: its first option is opened.
  const isAwaited = useRef(false)
  const found = useFound(text.trim())
  const { data, isCurrent, options } = found
  const close = () => {
    isAwaited.current = false
    setIsOpen(false)
    input.current?.blur()
  }
  const open = (option: SearchOption | undefined) => {
    if (option === undefined) return
    setText("")
    close()
    route(option.href)
  }
  useSlash(() => {
    input.current?.focus()
    input.current?.select()
  })
  useEffect(() => setAt(0), [data])
  useEffect(() => document.getElementById(`${listId}-${at}`)?.scrollIntoView({ block: "nearest" }), [at])
  useEffect(() => {
    if (isAwaited.current && isCurrent) open(options[0])
  }, [isCurrent, data])
  const onKeyDown = onKey((key, event) => {
    if (key === "Escape") close()
    if (key === "Enter") {
      if (isCurrent) open(options[at])
      else isAwaited.current = true
    }
    if (key !== "ArrowDown" && key !== "ArrowUp" || options.length === 0) return
    event.preventDefault()
    setAt((at + (key === "ArrowDown" ? 1 : options.length - 1)) % options.length)
  })
  const onText = (entered: string) => {
    isAwaited.current = false
    setText(entered)
    setIsOpen(true)
  }
  return { text, input, at, setAt, found, open, isShown: isOpen && found.isLong, setIsOpen, onKeyDown, onText }
}

/**
 * One search box for everything. `/` focuses it, the arrow keys move through the options, Enter opens one (a combobox
 * as in WAI-ARIA 1.2). A license key is sent in a body, never in a URL.
 */
export const SearchBox = () => {
  const { at, found, input, isShown, onKeyDown, onText, open, setAt, setIsOpen, text } = useBox()
  return (
    <div class="search">
      <Icon name="search" />
      <input
        ref={input}
        type="search"
        role="combobox"
        aria-label="Search"
        aria-expanded={isShown}
        aria-controls={listId}
        aria-autocomplete="list"
        list={undefined}
        {...(isShown && found.options.length > 0 ? { "aria-activedescendant": `${listId}-${at}` } : {})}
        placeholder="Search by name, email, key, device or ID"
        value={text}
        autocomplete="off"
        spellcheck={false}
        maxLength={longest}
        onInput={(event) => onText(event.currentTarget.value)}
        onFocus={() => setIsOpen(true)}
        onBlur={() => setIsOpen(false)}
        onKeyDown={onKeyDown}
      />
      <kbd aria-hidden="true">/</kbd>
      <div class="found" hidden={!isShown}>
        <Results of={found} at={at} onPoint={setAt} onOpen={open} />
      </div>
    </div>
  )
}
