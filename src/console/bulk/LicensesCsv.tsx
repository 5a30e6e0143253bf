import { useState } from "preact/hooks"
import type { License } from "../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import { count } from "../design/Numbers.ts"
import { csvFileOf } from "../lists/Csv.ts"
import type { CsvColumn } from "../lists/Csv.ts"
import { saveFile } from "../lists/SaveFile.ts"
import { Failure } from "../session/Failure.tsx"
import { ask, errorOf } from "../session/Session.ts"

/** The most licenses of one file: more take minutes to read page by page. */
const most = 10_000

/** How many a page of the service has at most. */
const perPage = 200

const columns: ReadonlyArray<CsvColumn<License>> = [
  ["id", ({ id }) => id],
  ["status", ({ status }) => status],
  ["owner", ({ customer_name, names }) => customer_name ?? names?.customer ?? ""],
  ["email", ({ customer_email }) => customer_email ?? ""],
  ["product", ({ names, product_id }) => names?.product ?? product_id],
  ["policy", ({ names, policy_id }) => names?.policy ?? policy_id],
  ["key", ({ license_key_last4, license_key_prefix }) => `${license_key_prefix}…${license_key_last4}`],
  ["issued", ({ created_at }) => created_at],
  ["expires", ({ expires_at }) => expires_at ?? ""],
  ["devices", ({ active_device_count }) => String(active_device_count)],
  ["tags", ({ tags = [] }) => tags.join(", ")]
]

/** All licenses that match, in the order of the list, up to the most of one file. */
const readAll = async (filters: object, onRead: (many: number) => void) => {
  const rows: Array<License> = []
  for (let cursor: string | undefined;;) {
    const { data, page_info } = await ask((client) =>
      client.licenses.list({
        ...filters,
        include_names: true,
        limit: perPage,
        ...(cursor === undefined ? {} : { cursor })
      }).withResponse()
    )
    for (const row of data) rows.push(row)
    onRead(rows.length)
    if (!page_info.has_more || page_info.next_cursor === null) return { rows, isWhole: true }
    if (rows.length >= most) return { rows, isWhole: false }
    cursor = page_info.next_cursor
  }
}

type Stage =
  | { readonly name: "idle" }
  | { readonly name: "reading"; readonly many: number }
  | { readonly name: "failed"; readonly error: Error }
  | { readonly name: "cut" }

/** Saves all licenses that match the filters as CSV, in the order of the list. */
export const LicensesCsv = ({ filters }: { readonly filters: object }) => {
  const [stage, setStage] = useState<Stage>({ name: "idle" })
  const run = async () => {
    setStage({ name: "reading", many: 0 })
    try {
      const { isWhole, rows } = await readAll(filters, (many) => setStage({ name: "reading", many }))
      saveFile(new Blob([csvFileOf(columns, rows)], { type: "text/csv" }), "licenses.csv")
      setStage(isWhole ? { name: "idle" } : { name: "cut" })
    } catch (cause) {
      setStage({ name: "failed", error: errorOf(cause) })
    }
  }
  return (
    <span class="row wraps">
      <Button small weight="bare" onClick={() => void run()} isBusy={stage.name === "reading"}>
        {stage.name === "reading" ? `Reading ${count(stage.many)}…` : "Save as CSV"}
      </Button>
      {stage.name === "cut"
        ? (
          <span class="small quiet" role="status">
            The file has the first {count(most)}. Narrow the filters for the rest.
          </span>
        )
        : null}
      {stage.name === "failed" ? <Failure error={stage.error} onRetry={() => void run()} /> : null}
    </span>
  )
}
