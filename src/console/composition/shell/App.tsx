import { LocationProvider, Route, Router, useLocation } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import "../../ground/design/tokens.css"
import "../../ground/design/base.css"
import "../../ground/design/components.css"
import { addressIn } from "../../ground/addresses/Address.ts"
import { Located, showAddress } from "../../ground/addresses/Located.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Failure, Forbidden } from "../../ground/session/Failure.tsx"
import {
  errorOf,
  follow,
  has,
  identity,
  isAway,
  isConfirmed,
  isToRenew,
  may,
  mayOfAll,
  resume,
  shownName,
  token,
  visit
} from "../../ground/session/Session.ts"
import { otherPerson } from "../../ground/session/SessionRefusals.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { OtherPersonOver, SignIn, SignInOver } from "../../people/entry/SignIn.tsx"
import { pagePaths } from "../parts/PagePaths.ts"
import { retryPart, usePart } from "../parts/Parts.ts"
import type { Part } from "../parts/Parts.ts"
import { forbiddenAt, homeOf, isOfPeople } from "./Places.ts"
import type { Place as PlaceOfMenu } from "./Places.ts"
import { Shell } from "./Shell.tsx"

const Nowhere = () => {
  useTitle("Page not found")
  return (
    <main class="page" id="main">
      <header>
        <h1>Page not found</h1>
      </header>
      <p>
        No console page has this URL. Go to the <a href="/console">start page</a>, or search above.
      </p>
    </main>
  )
}

/** Stands at an address that the person may not see. */
const ForbiddenPage = ({ of: { name, scope } }: { readonly of: PlaceOfMenu }) => {
  useTitle(name)
  return (
    <main class="page" id="main">
      <header>
        <h1>{name}</h1>
      </header>
      {scope === "person"
        ? <Note tone="warn" title="Sign in as a person to see this page." />
        : <Forbidden scope={scope} />}
    </main>
  )
}

/** Stands at an address about people in an environment that has none of its own. */
const PeopleOfLive = ({ path }: { readonly path: string }) => {
  useTitle("People")
  return (
    <main class="page" id="main">
      <header>
        <h1>People</h1>
      </header>
      <p>People, roles, passkeys and sessions are those of the live environment, also in this one.</p>
      <p>
        <Button onClick={() => showAddress(addressIn("live", path))}>Open in live</Button>
      </p>
    </main>
  )
}

const NothingToSee = () => {
  useTitle("This token has no access to the console")
  return (
    <main class="page" id="main">
      <header>
        <h1>This token has no access to the console</h1>
      </header>
      <p>
        The console needs other scopes. Sign in with one that has <code>license:read</code>, <code>report:read</code> or
        {" "}
        <code>ops:read</code>.
      </p>
    </main>
  )
}

/** Leads to the first page that the token may see. */
const Home = () => {
  const { route } = useLocation()
  const home = homeOf(may, mayOfAll)
  useEffect(() => {
    if (home !== undefined) route(home, true)
  }, [home])
  return home === undefined ? <NothingToSee /> : null
}

/** The place of a page whose part is not loaded. */
const Coming = ({ hasFailed }: Pick<Part, "hasFailed">) => (
  <main class="page" id="main">
    {hasFailed
      ? (
        <Note tone="bad" title="This page could not be loaded.">
          <span>Cannot reach the service. Check your connection and try again.</span>
          <span class="row">
            <Button small onClick={retryPart}>Try again</Button>
          </span>
        </Note>
      )
      : <Skeleton />}
  </main>
)

const Pages = () => {
  const { path } = useLocation()
  const { hasFailed, pages } = usePart(path)
  const forbidden = forbiddenAt(path, has)
  return (
    <Shell isThere={pages !== undefined}>
      {isAway() && isOfPeople(path) ?
        <PeopleOfLive path={path} /> :
        forbidden !== undefined
        ? <ForbiddenPage of={forbidden} />
        : pages === undefined ?
        <Coming hasFailed={hasFailed} /> :
        (
          <Router>
            <Route path="/console" component={Home} />
            <Route path="/console/sign-in" component={Home} />
            {pagePaths.flatMap((path) => {
              const component = pages[path]
              return component === undefined ? [] : [<Route key={path} path={path} component={component} />]
            })}
            <Route default component={Nowhere} />
          </Router>
        )}
    </Shell>
  )
}

/**
 * Checks the token, because a stored one may have ended. Meanwhile the page is shown if the stored identity may see
 * it.
 */
const Resumed = () => {
  const [error, setError] = useState<Error>()
  const ask = () => {
    setError(undefined)
    resume().catch((cause: unknown) => setError(errorOf(cause)))
  }
  useEffect(() => {
    if (!isConfirmed.value) ask()
  }, [])
  if (identity.value !== undefined && error === undefined) {
    return (
      <>
        <Pages />
        {isToRenew() ? <SignInOver /> : null}
        {otherPerson.value === undefined || isToRenew() ? null : <OtherPersonOver name={otherPerson.value} />}
      </>
    )
  }
  return error === undefined ? null : (
    <main class="narrow">
      <Failure error={error} onRetry={ask} />
    </main>
  )
}

/** The page of an invitation, for who is not signed in, or as another person. */
const Joining = () => {
  const { hasFailed, pages } = usePart("/console/join")
  const Page = pages?.["/console/join"]
  return Page === undefined ? <Coming hasFailed={hasFailed} /> : <Page />
}

const Place = () => {
  if (useLocation().path === "/console/join") return <Joining />
  return token.value === undefined ? <SignIn /> : <Resumed key={visit.value} />
}

/** The console: a session, and what it may see. */
export const App = () => (
  <LocationProvider scope="/console">
    <Located shown={shownName.value} onEnvironment={follow}>
      <Place />
    </Located>
  </LocationProvider>
)
