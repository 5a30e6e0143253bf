import type { ComponentChildren } from "preact"
import { useLocation } from "preact-iso"
import { Button } from "../design/Button.tsx"
import { Icon, Mark } from "../design/Icon.tsx"
import { SearchBox } from "../search/SearchBox.tsx"
import { isBesideLive } from "../session/Environment.ts"
import { identity, may, signOut } from "../session/Session.ts"
import { pageTitle } from "../session/Title.ts"
import { useArrival, useFocusKept } from "./Arrival.ts"
import { EnvironmentBand } from "./EnvironmentBand.tsx"
import { EnvironmentSwitch } from "./EnvironmentSwitch.tsx"
import { places } from "./Places.ts"
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
        {isBesideLive() ? null : <EnvironmentSwitch to="test" />}
        <a class="small" href="/docs" target="_blank" rel="noreferrer">API</a>
      </span>
    </div>
  )
}

/** The frame of every page: the menu, the identity and the search. */
export const Shell = ({ children }: { readonly children: ComponentChildren }) => {
  const { path, url } = useLocation()
  useArrival(url, path)
  useFocusKept()
  return (
    <div class="shell">
      <a class="skip button" href="#main">Skip to content</a>
      <EnvironmentBand />
      <p class="unseen" role="status">
        <bdi>{pageTitle.value}</bdi>
      </p>
      <header class="side">
        <a class="brand" href="/console">
          <Mark />Countersign
        </a>
        <nav aria-label="Console">
          {places.map(([whom, all]) => {
            const seen = all.filter(({ scope }) => may(scope))
            return seen.length === 0 ? null : (
              <div key={whom}>
                <h2>{whom}</h2>
                {seen.map(({ href, icon, name }) => (
                  <a key={href} href={href} {...(path.startsWith(href) ? { "aria-current": "page" as const } : {})}>
                    <Icon name={icon} />
                    {name}
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
