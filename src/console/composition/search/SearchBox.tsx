import { useLocation } from "preact-iso"
import { useEffect, useMemo, useState } from "preact/hooks"
import { useCombobox } from "../../ground/combobox/Combobox.ts"
import type { Combobox } from "../../ground/combobox/Combobox.ts"
import { Options } from "../../ground/combobox/Options.tsx"
import { pageCommands } from "../../ground/commands/Commands.ts"
import { hasLetterKeys } from "../../ground/commands/LetterKeys.ts"
import { State } from "../../ground/design/Badge.tsx"
import { whenLeft } from "../../ground/design/Entry.ts"
import { Icon } from "../../ground/design/Icon.tsx"
import { onKey } from "../../ground/design/Keys.ts"
import { useSettled } from "../../ground/lists/Settled.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { may } from "../../ground/session/Session.ts"
import { keyOf, Owner } from "../../licensing/support/Owner.tsx"
import { find } from "./Found.ts"
import { keyOfOption, menuOptions, noResultsText, searchOptions } from "./MenuView.ts"
import type { Destination, MenuOption, SearchOption } from "./MenuView.ts"
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
    { when: settled.length >= shortest && may("license:read") }
  )
  const isCurrent = data?.text === text
  return {
    isLong: settled.length >= shortest && may("license:read"),
    /** Whether the options are those of the text, and not of an earlier one. */
    isCurrent,
    isFirstAwaited: isLoading && data === undefined,
    data,
    error,
    options: data === undefined ? [] : searchOptions(data.text, data.found, isCurrent)
  }
}

/** Whether a key opens the menu: Ctrl-K everywhere but over a dialog, and `/` where nobody is typing. */
const isOpening = (key: string, event: KeyboardEvent): boolean => {
  if ((event.ctrlKey || event.metaKey) && !event.altKey && !event.shiftKey) {
    return key.toLowerCase() === "k" && document.querySelector("dialog[open]") === null
  }
  const isTyping = event.target instanceof Element && event.target.closest("input, textarea, select, dialog") !== null
  return key === "/" && !isTyping && !event.altKey && hasLetterKeys.value
}

const useOpeningKeys = (focus: () => void) =>
  useEffect(() => {
    const listener = onKey((key, event) => {
      if (!isOpening(key, event)) return
      event.preventDefault()
      focus()
    })
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])

const FoundText = ({ of: { customer, license } }: { readonly of: SearchOption }) =>
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

const OptionText = ({ of }: { readonly of: MenuOption }) =>
  of.kind === "found" ? <FoundText of={of.found} /> : (
    <>
      <Icon name={of.kind === "command" ? "command" : of.page.icon} />
      <span class="grow clip">{of.kind === "command" ? `${of.command.name}…` : of.page.name}</span>
      <span class="quiet tiny">{of.kind === "command" ? "On this page" : "Page"}</span>
    </>
  )

/** The menu: its text, and the options for it. */
const useMenu = (pages: ReadonlyArray<Destination>) => {
  const { route } = useLocation()
  const [text, setText] = useState("")
  const found = useFound(text.trim())
  const commands = pageCommands.value
  const options = menuOptions(text, { commands, pages, found: text.trim() === "" ? [] : found.options })
  const hasOwn = options.some(({ kind }) => kind !== "found")
  const box: Combobox<MenuOption> = useCombobox<MenuOption>({
    text,
    onText: setText,
    options,
    // With another text, or another answer, the first option is pointed at.
    answer: useMemo(() => ({}), [found.data, text.trim()]),
    // A command or a page is known without the service, and comes before all that it finds.
    isCurrent: found.isCurrent || hasOwn,
    isShown: found.isLong || hasOwn,
    onChoose: (option) => {
      setText("")
      if (option.kind === "found") whenLeft(() => route(option.found.href))
      else if (option.kind === "page") whenLeft(() => route(option.page.href))
      else {
        // The dialog gives the focus back to where it was, which should not open the menu again.
        document.querySelector<HTMLElement>("#main h1")?.focus({ preventScroll: true })
        option.command.open()
      }
    },
    onLeave: () => box.input.current?.blur()
  })
  useOpeningKeys(() => {
    box.input.current?.focus()
    box.input.current?.select()
  })
  return { box, found }
}

/**
 * One box for everything: licenses and customers, pages, and the commands of the open page. Ctrl-K and `/` lead there. A
 * command that changes something opens its dialog. A license key is sent in a body, never in a URL.
 */
export const SearchBox = ({ pages }: { readonly pages: ReadonlyArray<Destination> }) => {
  const { box, found: { data, error, isCurrent, isFirstAwaited, isLong } } = useMenu(pages)
  return (
    <div class="search">
      <Icon name="search" />
      <input
        {...box.field}
        type="search"
        aria-label="Search"
        placeholder="Search, or type a command"
        maxLength={longest}
      />
      <kbd aria-hidden="true">Ctrl K</kbd>
      <Options of={box} label="Results" keyOf={keyOfOption} text={(option) => <OptionText of={option} />}>
        {error === undefined ? null : <Failure error={error} />}
        {isLong && isCurrent && error === undefined && box.options.length === 0
          ? <p class="none quiet">{noResultsText(data?.text ?? "")}</p>
          : null}
        {isFirstAwaited ? <p class="none quiet">Searching…</p> : null}
      </Options>
    </div>
  )
}
