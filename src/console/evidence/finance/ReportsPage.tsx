import type { FunctionComponent } from "preact"
import { useRoute } from "preact-iso"
import { isKind } from "../../ground/period/Kinds.ts"
import type { SheetKind } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { useSelection } from "../../ground/period/Period.ts"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { FrozenPage } from "../exports/FrozenPage.tsx"
import { CustomerSummary } from "./CustomerSummary.tsx"
import { LicenseAudit } from "./LicenseAudit.tsx"
import { PurchasesSheet } from "./PurchasesSheet.tsx"
import { Settlement } from "./Settlement.tsx"
import { StatementSheet } from "./StatementSheet.tsx"
import { UsageLedger } from "./UsageLedger.tsx"
import { UsageSummary } from "./UsageSummary.tsx"

const reports: Readonly<Record<SheetKind, FunctionComponent<{ readonly selection: Selection }>>> = {
  "usage-summary": UsageSummary,
  "usage-ledger": UsageLedger,
  "license-audit": LicenseAudit,
  "customer-summary": CustomerSummary,
  "subscription-settlement": Settlement,
  statement: StatementSheet,
  purchases: PurchasesSheet
}

const NoReport = () => {
  useTitle("Report not found")
  return (
    <main class="page" id="main">
      <header>
        <h1>Report not found</h1>
      </header>
      <p>
        See <a href="/console/reports">the reports</a> or <a href="/console/licenses">the licenses</a>.
      </p>
    </main>
  )
}

/** The reports of a period and their exports. Without a kind it shows last month's usage. */
export const ReportsPage = () => {
  const { params } = useRoute()
  const selection = useSelection()
  const kind = params["kind"] ?? "usage-summary"
  if (kind === "frozen" && may("report:export")) return <FrozenPage selection={selection} />
  if (isKind(kind)) {
    const Report = reports[kind]
    return <Report key={kind} selection={selection} />
  }
  return <NoReport />
}
