import type { ComponentChildren } from "preact"
import type { ReportExport } from "../../client/api/index.ts"
import { Panel } from "../design/Panel.tsx"
import { useLoad } from "../session/Load.ts"
import { identity, may } from "../session/Session.ts"
import { FrozenReport } from "./FrozenReport.tsx"

/** The names of management keys by their ids, as far as the token may see them. */
const useKeyNames = (): ReadonlyMap<string, string> => {
  const keys = useLoad(
    (client, signal) => client.apiKeys.list({ limit: 200 }, { signal }),
    [],
    { when: may("admin") }
  )
  return new Map((keys.data ?? []).map(({ id, name }) => [id, name]))
}

/** Frozen reports, each with where it stands, what it is and its digests. */
export const FrozenList = (
  { footer, rows, title }: {
    readonly title?: string
    readonly rows: ReadonlyArray<ReportExport>
    readonly footer?: ComponentChildren
  }
) => {
  const names = useKeyNames()
  const { id = "" } = identity.value ?? {}
  const who = (key: string) => key === id ? "you" : key === "bootstrap" ? "the first token" : names.get(key) ?? key
  return (
    <Panel flush {...(title === undefined ? {} : { title })} {...(footer === undefined ? {} : { footer })}>
      <ul class="frozen">
        {rows.map((row) => <FrozenReport key={row.id} given={row} who={who(row.created_by)} />)}
      </ul>
    </Panel>
  )
}
