import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import { useEffect } from "preact/hooks"
import { BrandMark } from "../../ground/brand/Brand.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Icon } from "../../ground/design/Icon.tsx"
import { isBesideLive } from "../../ground/session/Environment.ts"
import { identity, may, mayOfAll } from "../../ground/session/Session.ts"
import { pageTitle } from "../../ground/session/Title.ts"
import { loadSettings } from "../../keys/settings/LoadedSettings.ts"
import { leave } from "../../people/entry/Leave.ts"
import type { Destination } from "../search/MenuView.ts"
import { SearchBox } from "../search/SearchBox.tsx"
import { useArrival, useFocusKept } from "./Arrival.ts"
import { EnvironmentBand } from "./EnvironmentBand.tsx"
import { EnvironmentSwitch } from "./EnvironmentSwitch.tsx"
import { KeysHelp } from "./KeysHelp.tsx"
import { listedGroups, Navigation } from "./Navigation.tsx"
import { beginnings, isListed } from "./Places.ts"
import "./shell.css"

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
