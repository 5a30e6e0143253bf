import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import { addressIn } from "../../ground/addresses/Address.ts"
import type { EnvironmentName } from "../../ground/addresses/Address.ts"
import { showAddress } from "../../ground/addresses/Located.tsx"
import { BrandMark } from "../../ground/brand/Brand.tsx"
import { hasLetterKeys, setLetterKeys } from "../../ground/commands/LetterKeys.ts"
import { Button } from "../../ground/design/Button.tsx"
import type { Weight } from "../../ground/design/Button.tsx"
import { CloseButton, Dialog } from "../../ground/design/Dialog.tsx"
import { whenLeft } from "../../ground/design/Entry.ts"
import { Check } from "../../ground/design/Field.tsx"
import { Icon } from "../../ground/design/Icon.tsx"
import { onKey } from "../../ground/design/Keys.ts"
import { some } from "../../ground/design/Numbers.ts"
import { momentOf } from "../../ground/design/Time.tsx"
import { environment, isAvailable, isBesideLive, updateEnvironment } from "../../ground/session/Environment.ts"
import { Failure } from "../../ground/session/Failure.tsx"
import { mostAwaiting, useAwaitingCount, useLoad } from "../../ground/session/Load.ts"
import { errorOf, identity, may, mayOfAll, signInBeside, token } from "../../ground/session/Session.ts"
import { pageTitle } from "../../ground/session/Title.ts"
import { cookieSession, keptToken } from "../../ground/session/Tokens.ts"
import { loadSettings } from "../../keys/settings/LoadedSettings.ts"
import { leave } from "../../people/entry/Leave.ts"
import { TokenForm } from "../../people/entry/TokenForm.tsx"
import { most, useWaitingCount } from "../../sales/purchases/WaitingCount.ts"
import type { Destination } from "../search/MenuView.ts"
import { SearchBox } from "../search/SearchBox.tsx"
import { useArrival, useFocusKept } from "./Arrival.ts"
import { barOf, beginnings, isListed, listOf, places } from "./Places.ts"
import type { Place } from "./Places.ts"
import "./shell.css"

interface SwitchProps {
  readonly to: EnvironmentName
  readonly weight?: Weight
  /** Whether it shows only the target, where space is short. */
  readonly isShort?: boolean
}

/**
 * Switches to another environment that the service has. A person is there, too; whoever came with a token is first asked for one of that
 * environment, if the tab has none. The page stays; of a page
 * about a record, which belongs to one environment, the list of such records is shown.
 */
const EnvironmentSwitch = ({ isShort = false, to, weight = "bare" }: SwitchProps) => {
  const { path } = useLocation()
  const [isAsking, setIsAsking] = useState(false)
  const show = () => showAddress(addressIn(to, listOf(path)))
  const [problem, setProblem] = useState<Error>()
  const onToken = async (given: string) => {
    await signInBeside(to, given)
    show()
  }
  const asPerson = () =>
    onToken(cookieSession).catch((cause: unknown) => {
      setProblem(errorOf(cause))
      setIsAsking(true)
    })
  const onSwitch = () =>
    whenLeft(() => {
      if (keptToken(to) !== undefined) show()
      else if (token.value === cookieSession) void asPerson()
      else setIsAsking(true)
    })
  if (!isAvailable(to)) return null
  return (
    <>
      <Button small weight={weight} label={`Switch to ${to}`} onClick={onSwitch}>
        {isShort ? <span class="capital">{to}</span> : `Switch to ${to}`}
      </Button>
      {isAsking
        ? (
          <Dialog title={`Sign in to ${to}`} onClose={() => setIsAsking(false)}>
            {problem === undefined ? null : <Failure error={problem} />}
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

/** How often it asks for the clock, which somebody else may move, in milliseconds. */
const every = 30_000

/** A band at the top of every page that names the environment, unless it is live. */
const EnvironmentBand = () => {
  const shown = environment.value
  useLoad(async (client, signal) => updateEnvironment(await client.environment.get({ signal })), [], {
    every,
    later: true,
    when: isBesideLive()
  })
  if (shown === undefined || !isBesideLive()) return null
  return (
    <div class="band" role="region" aria-label="Environment">
      <span class="band-text">
        <span class="strong capital">{shown.name} environment</span>
        {shown.clock_moved ? <time class="clip" dateTime={shown.now}>Clock: {momentOf(shown.now)}</time> : null}
      </span>
      <EnvironmentSwitch to="live" weight="plain" />
    </div>
  )
}

const keys: ReadonlyArray<readonly [keys: ReadonlyArray<string>, does: string]> = [
  [["Ctrl", "K"], "Search, open a page, or run a command of this page"],
  [["/"], "The same, outside of a field"],
  [["?"], "Show these keys"],
  [["Ctrl", "Enter"], "Send the form in front"],
  [["Esc"], "Close the menu or the dialog"],
  [["↑", "↓"], "Move through results and rows"],
  [["Enter"], "Open the result or the row"]
]

const isTyping = ({ target }: KeyboardEvent): boolean =>
  target instanceof Element && target.closest("input, textarea, select, dialog") !== null

/** The form in front: that of the open dialog, else the one with the focus, else the only one of the page. */
const formInFront = (): HTMLFormElement | null => {
  const dialog = document.querySelector("dialog[open]")
  if (dialog !== null) return dialog.querySelector("form")
  const forms = document.querySelectorAll<HTMLFormElement>("main form")
  return document.activeElement?.closest("form") ?? (forms.length === 1 ? forms[0] ?? null : null)
}

/** Listens for the keys that mean the same on every page. */
const useGlobalKeys = (help: () => void): void =>
  useEffect(() => {
    const listener = onKey((key, event) => {
      if (key === "Enter" && (event.ctrlKey || event.metaKey)) {
        event.preventDefault()
        formInFront()?.requestSubmit()
      }
      if (key !== "?" || isTyping(event) || !hasLetterKeys.value) return
      event.preventDefault()
      help()
    })
    addEventListener("keydown", listener)
    return () => removeEventListener("keydown", listener)
  }, [])

/** The button that lists the keys of the console, and the keys themselves. */
const KeysHelp = () => {
  const [isOpen, setIsOpen] = useState(false)
  useGlobalKeys(() => setIsOpen(true))
  return (
    <>
      <Button weight="bare" label="Keyboard shortcuts" onClick={() => setIsOpen(true)}>?</Button>
      {isOpen
        ? (
          <Dialog title="Keyboard shortcuts" onClose={() => setIsOpen(false)}>
            <dl class="facts keys">
              {keys.map(([names, does]) => (
                <>
                  <dt>
                    {names.map((name) => <kbd key={name}>{name}</kbd>)}
                  </dt>
                  <dd>{does}</dd>
                </>
              ))}
            </dl>
            <Check isOn={hasLetterKeys.value} onChange={setLetterKeys}>
              Single keys <kbd>/</kbd> and <kbd>?</kbd>. Switch them off if you use speech input.
            </Check>
            <div class="actions">
              <CloseButton onClose={() => setIsOpen(false)} />
            </div>
          </Dialog>
        )
        : null}
    </>
  )
}

/** A number in the navigation always means that there is something to do. */
const Todo = ({ most, of }: { readonly of: number; readonly most: number }) =>
  of === 0 ? null : (
    <>
      <span class="todo" aria-hidden="true">{of >= most ? `${most}+` : of}</span>
      <span class="visually-hidden">({some(of, "needs", "need")} attention)</span>
    </>
  )

/** How many purchases wait for a person. */
const WaitingCount = ({ path }: { readonly path: string }) => <Todo of={useWaitingCount(path) ?? 0} most={most} />

/** How many requests wait for the decision of this person. */
const AwaitingCount = ({ path }: { readonly path: string }) => (
  <Todo of={useAwaitingCount(path).data ?? 0} most={mostAwaiting} />
)

/** Whether a page is of a place: what a longer path has a place of its own for is of that one. */
const isAt = (path: string, href: string): boolean =>
  path.startsWith(href) && !(href === "/console/people" && path === "/console/people/approvals")

interface LinkProps {
  readonly to: Place
  readonly path: string
  readonly isInBar: boolean
}

const PlaceLink = ({ isInBar, path, to: { href, icon, name } }: LinkProps) => (
  <a
    href={href}
    class={isInBar ? "" : "behind"}
    {...(isAt(path, href) ? { "aria-current": "page" as const } : {})}
  >
    <Icon name={icon} />
    {name}
    {href === "/console/purchases" ? <WaitingCount path={path} /> : null}
    {href === "/console/people/approvals" ? <AwaitingCount path={path} /> : null}
  </a>
)

/** The groups of the navigation, with the pages that the person may see. */
const listedGroups = (): ReadonlyArray<readonly [group: string, ReadonlyArray<Place>]> =>
  places.map(([group, all]) => [group, all.filter((place) => isListed(place, may, mayOfAll))] as const)
    .filter(([, all]) => all.length > 0)

/** The pages that a phone's bar has no room for, in a sheet from below. */
const More = ({ groups, path }: {
  readonly groups: ReturnType<typeof listedGroups>
  readonly path: string
}) => {
  const [isOpen, setIsOpen] = useState(false)
  useEffect(() => setIsOpen(false), [path])
  return (
    <>
      <button type="button" class="more" aria-haspopup="dialog" onClick={() => setIsOpen(true)}>
        <Icon name="more" />More
      </button>
      {isOpen
        ? (
          <Dialog title="More" isSheet onClose={() => setIsOpen(false)}>
            {isBesideLive()
              ? <EnvironmentSwitch to="live" weight="plain" />
              : <EnvironmentSwitch to="test" weight="plain" />}
            <nav class="sheet-places" aria-label="More pages">
              {groups.map(([group, all]) => (
                <div key={group}>
                  {group === "" ? null : <h3>{group}</h3>}
                  {all.map((place) => <PlaceLink key={place.href} to={place} path={path} isInBar />)}
                </div>
              ))}
            </nav>
          </Dialog>
        )
        : null}
    </>
  )
}

/** The navigation: groups at the side, and on a phone a bar with what is opened most, and the rest behind "More". */
const Navigation = ({ path }: { readonly path: string }) => {
  const groups = listedGroups()
  const bar = barOf(groups.flatMap(([, all]) => all))
  const behind = groups.map(([group, all]) => [group, all.filter((place) => !bar.has(place))] as const)
    .filter(([, all]) => all.length > 0)
  return (
    <nav aria-label="Console">
      {groups.map(([group, all]) => (
        <div key={group}>
          {group === "" ? null : <h2>{group}</h2>}
          {all.map((place) => <PlaceLink key={place.href} to={place} path={path} isInBar={bar.has(place)} />)}
        </div>
      ))}
      {behind.length === 0 ? null : <More groups={behind} path={path} />}
    </nav>
  )
}

const Who = () => {
  const { key_prefix, kind, name, scopes = [] } = identity.value ?? {}
  return (
    <div class="who">
      {kind === "person" ?
        (
          <a class="strong clip target" href="/console/me">
            <bdi>{name}</bdi>
          </a>
        ) :
        <bdi class="strong clip">{name ?? "Admin token"}</bdi>}
      {kind === "bootstrap" ? <span class="tiny">For emergencies</span> : null}
      {kind === "person"
        ? null
        : <span class="quiet tiny clip" title={scopes.join(", ")}>{scopes.join(", ")}</span>}
      {key_prefix === undefined ? null : <code class="quiet tiny">{key_prefix}…</code>}
      <span class="row wraps">
        <Button small weight="bare" onClick={() => void leave()}>
          <Icon name="out" />Sign out
        </Button>
        <a class="small target" href="/docs" target="_blank" rel="noreferrer">API</a>
        {isBesideLive() ? null : <EnvironmentSwitch to="test" />}
      </span>
    </div>
  )
}

/** The pages that the command menu leads to: those of the navigation, and those on which something is begun. */
const destinations = (): ReadonlyArray<Destination> => [
  ...beginnings.filter((place) => isListed(place, may, mayOfAll)).map(({ href, name }): Destination => ({
    href,
    name,
    icon: "command"
  })),
  ...listedGroups().flatMap(([, all]) => all)
]

/** The frame of every page: the menu, the identity and the search. */
export const Shell = ({ children, isThere }: {
  readonly children: ComponentChildren
  /** Whether the page is there, and not only its place. */
  readonly isThere: boolean
}) => {
  const { path, url } = useLocation()
  useArrival(url, path, isThere)
  useFocusKept()
  useEffect(() => void loadSettings(), [])
  return (
    <div class="shell">
      <a class="skip button" href="#main">Skip to content</a>
      <EnvironmentBand />
      <p class="visually-hidden" role="status">
        <bdi>{pageTitle.value}</bdi>
      </p>
      <header class="side branded">
        <a class="brand" href="/console">
          <BrandMark />
        </a>
        <Navigation path={path} />
        <Who />
      </header>
      <div style={{ minWidth: 0 }}>
        <div class="top" role="search" aria-label="Everything">
          <div class="row">
            <SearchBox pages={destinations()} />
            <span class="beside">
              <KeysHelp />
            </span>
            <span class="pocket">
              {isBesideLive() ? null : <EnvironmentSwitch to="test" isShort />}
              {identity.value?.kind === "person"
                ? (
                  <a class="button bare" href="/console/me" aria-label="Your account">
                    <Icon name="customers" />
                  </a>
                )
                : null}
              <Button weight="bare" label="Sign out" onClick={() => void leave()}>
                <Icon name="out" />
              </Button>
            </span>
          </div>
        </div>
        {children}
      </div>
    </div>
  )
}
