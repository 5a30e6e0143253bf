import type { ComponentChildren } from "preact"
import { useEffect } from "preact/hooks"
import type { ReportExport } from "../../../client/api/index.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { keyNameOf, nameKeys } from "../../ground/session/Names.ts"
import { identity } from "../../ground/session/Session.ts"
import { FrozenReport } from "./FrozenReport.tsx"

/** Exports, each with its status, its description and its digests. */
export const FrozenList = (
  { footer, rows, title }: {
    readonly title?: string
    readonly rows: ReadonlyArray<ReportExport>
    readonly footer?: ComponentChildren
  }
) => {
  useEffect(() => void nameKeys(), [])
  const { id = "" } = identity.value ?? {}
  const who = (key: string) => key === id ? "you" : key === "bootstrap" ? "the admin token" : keyNameOf(key) ?? key
  return (
    <Panel flush {...(title === undefined ? {} : { title })} {...(footer === undefined ? {} : { footer })}>
      <ul class="frozen">
        {rows.map((row) => <FrozenReport key={row.id} given={row} who={who(row.created_by)} />)}
      </ul>
    </Panel>
  )
}
