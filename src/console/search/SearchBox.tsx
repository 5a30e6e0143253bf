import { useLocation } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import { useCombobox } from "../combobox/Combobox.ts"
import type { Combobox } from "../combobox/Combobox.ts"
import { Options } from "../combobox/Options.tsx"
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

/** The box: its text, and the options that are found for it. */
const useBox = () => {
  const { route } = useLocation()
  const [text, setText] = useState("")
  const found = useFound(text.trim())
  const box: Combobox<SearchOption> = useCombobox<SearchOption>({
    text,
    onText: setText,
    options: found.options,
    answer: found.data,
    isCurrent: found.isCurrent,
    isShown: found.isLong,
    onChoose: ({ href }) => {
      setText("")
      route(href)
    },
    onLeave: () => box.input.current?.blur()
  })
  useSlash(() => {
    box.input.current?.focus()
    box.input.current?.select()
  })
  return { box, found }
}

/**
 * One search box for everything. `/` focuses it. A license key is sent in a body, never in a URL.
 */
export const SearchBox = () => {
  const { box, found: { data, error, isCurrent, isFirstAwaited, options } } = useBox()
  return (
    <div class="search">
      <Icon name="search" />
      <input
        {...box.field}
        type="search"
        aria-label="Search"
        placeholder="Search by name, email, key, device or ID"
        maxLength={longest}
      />
      <kbd aria-hidden="true">/</kbd>
      <Options of={box} label="Results" keyOf={({ href }) => href} text={(option) => <OptionText of={option} />}>
        {error === undefined ? null : <Failure error={error} />}
        {isCurrent && error === undefined && options.length === 0
          ? <p class="none quiet">{noResultsText(data?.text ?? "")}</p>
          : null}
        {isFirstAwaited ? <p class="none quiet">Searching…</p> : null}
      </Options>
    </div>
  )
}
