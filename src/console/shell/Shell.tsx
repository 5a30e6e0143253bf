import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import { Button } from "../design/Button.tsx"
import { Icon, Mark } from "../design/Icon.tsx"
import { some } from "../design/Numbers.ts"
import { most, useWaitingCount } from "../purchases/WaitingCount.ts"
import { SearchBox } from "../search/SearchBox.tsx"
import { isBesideLive } from "../session/Environment.ts"
import { identity, may, mayOfAll, signOut } from "../session/Session.ts"
import { pageTitle } from "../session/Title.ts"
import { useArrival, useFocusKept } from "./Arrival.ts"
import { EnvironmentBand } from "./EnvironmentBand.tsx"
import { EnvironmentSwitch } from "./EnvironmentSwitch.tsx"
import { isListed, places } from "./Places.ts"
import "./shell.css"

const Who = () => {
  const { key_prefix, name, scopes = [] } = identity.value ?? {}
  return (
    <div class="who">
      <bdi class="strong clip">{name ?? "Admin token"}</bdi>
      <span class="quiet tiny clip" title={scopes.join(", ")}>{scopes.join(", ")}</span>
      {key_prefix === undefined ? null : <code class="quiet tiny">{key_prefix}…</code>}
      <span class="row wraps">
        <Button small weight="bare" onClick={() => signOut()}>
          <Icon name="out" />Sign out
        </Button>
        <a class="small" href="/docs" target="_blank" rel="noreferrer">API</a>
        {isBesideLive() ? null : <EnvironmentSwitch to="test" />}
      </span>
    </div>
  )
}

/** How many purchases wait for a person: a number in the navigation always means that there is something to do. */
const WaitingCount = ({ path }: { readonly path: string }) => {
  const waiting = useWaitingCount(path) ?? 0
  if (waiting === 0) return null
  return (
    <>
      <span class="todo" aria-hidden="true">{waiting >= most ? `${most}+` : waiting}</span>
      <span class="visually-hidden">({some(waiting, "needs", "need")} attention)</span>
    </>
  )
}

/** The frame of every page: the menu, the identity and the search. */
export const Shell = ({ children, isThere }: {
  readonly children: ComponentChildren
  /** Whether the page is there, and not only its place. */
  readonly isThere: boolean
}) => {
  const { path, url } = useLocation()
  useArrival(url, path, isThere)
  useFocusKept()
  return (
    <div class="shell">
      <a class="skip button" href="#main">Skip to content</a>
      <EnvironmentBand />
      <p class="visually-hidden" role="status">
        <bdi>{pageTitle.value}</bdi>
      </p>
      <header class="side">
        <a class="brand" href="/console">
          <Mark />Countersign
        </a>
        <nav aria-label="Console">
          {places.map(([whom, all]) => {
            const listed = all.filter((place) => isListed(place, may, mayOfAll))
            return listed.length === 0 ? null : (
              <div key={whom}>
                <h2>{whom}</h2>
                {listed.map(({ href, icon, name }) => (
                  <a key={href} href={href} {...(path.startsWith(href) ? { "aria-current": "page" as const } : {})}>
                    <Icon name={icon} />
                    {name}
                    {href === "/console/purchases" ? <WaitingCount path={path} /> : null}
                  </a>
                ))}
              </div>
            )
          })}
        </nav>
        <Who />
      </header>
      <div style={{ minWidth: 0 }}>
        <div class="top" role="search" aria-label="Licenses and customers">
          <div class="row">
            {may("license:read") ? <SearchBox /> : <span class="grow" />}
            <span class="pocket">
              {isBesideLive() ? null : <EnvironmentSwitch to="test" isShort />}
              <Button weight="bare" label="Sign out" onClick={() => signOut()}>
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
