import type { ComponentType } from "preact"
import { LocationProvider, Route, Router, useLocation } from "preact-iso"
import { useEffect, useState } from "preact/hooks"
import "../design/tokens.css"
import "../design/base.css"
import "../design/components.css"
import { WebhooksPage } from "../developer/WebhooksPage.tsx"
import { ReportsPage } from "../finance/ReportsPage.tsx"
import { OperationsPage } from "../operator/OperationsPage.tsx"
import { ConnectionPage } from "../purchases/ConnectionPage.tsx"
import { PurchasePage } from "../purchases/PurchasePage.tsx"
import { PurchasesPage } from "../purchases/PurchasesPage.tsx"
import { Failure } from "../session/Failure.tsx"
import { errorOf, identity, isConfirmed, isToRenew, may, mayOfAll, resume, token, visit } from "../session/Session.ts"
import { SignIn, SignInOver } from "../session/SignIn.tsx"
import { useTitle } from "../session/Title.ts"
import { CustomerPage } from "../support/CustomerPage.tsx"
import { CustomersPage } from "../support/CustomersPage.tsx"
import { LicensePage } from "../support/LicensePage.tsx"
import { LicensesPage } from "../support/LicensesPage.tsx"
import { DesignPage } from "./DesignPage.tsx"
import type { PagePath } from "./Places.ts"
import { homeOf, pagePaths } from "./Places.ts"
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

const components: Readonly<Record<PagePath, ComponentType>> = {
  "/console/licenses": LicensesPage,
  "/console/licenses/:id": LicensePage,
  "/console/customers": CustomersPage,
  "/console/customers/:id": CustomerPage,
  "/console/purchases": PurchasesPage,
  "/console/purchases/:id": PurchasePage,
  "/console/purchases/connections/:id": ConnectionPage,
  "/console/webhooks": WebhooksPage,
  "/console/operations": OperationsPage,
  "/console/reports": ReportsPage,
  "/console/reports/:kind": ReportsPage,
  "/console/design": DesignPage
}

const Pages = () => (
  <Shell>
    <Router>
      <Route path="/console" component={Home} />
      {pagePaths.map((path) => <Route key={path} path={path} component={components[path]} />)}
      <Route default component={Nowhere} />
    </Router>
  </Shell>
)

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
      </>
    )
  }
  return error === undefined ? null : (
    <main class="narrow">
      <Failure error={error} onRetry={ask} />
    </main>
  )
}

/** The console: a session, and what it may see. */
export const App = () => (
  <LocationProvider scope="/console">
    {token.value === undefined ? <SignIn /> : <Resumed key={visit.value} />}
  </LocationProvider>
)
