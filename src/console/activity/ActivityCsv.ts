import { csvText } from "../../client/api/CsvText.ts"
import type { Activity } from "../../client/api/index.ts"
import { actorOf, sentenceOf } from "./ActivityWords.ts"

/** The columns of the file, and what each has of an activity. */
const columns: ReadonlyArray<readonly [name: string, of: (activity: Activity) => string | number | undefined]> = [
  ["occurred_at", ({ occurred_at }) => occurred_at],
  ["actor", (activity) => actorOf(activity).name],
  ["actor_roles", ({ actor_roles }) => actor_roles?.join(", ")],
  ["actor_type", ({ actor_type }) => actor_type],
  ["actor_id", ({ actor_id }) => actor_id],
  ["sentence", sentenceOf],
  ["action", ({ action }) => action],
  ["result", ({ result_class }) => result_class],
  ["code", ({ code }) => code],
  ["reason", ({ reason }) => reason],
  ["customer", ({ names }) => names?.customer],
  ["policy", ({ names }) => names?.policy],
  ["product", ({ names }) => names?.product],
  ["resource_type", ({ resource_type }) => resource_type],
  ["resource_id", ({ resource_id }) => resource_id],
  ["license_id", ({ license_id }) => license_id],
  ["customer_id", ({ customer_id }) => customer_id],
  ["changes", ({ changes }) => changes === undefined || changes.length === 0 ? undefined : JSON.stringify(changes)],
  ["request_id", ({ request_id }) => request_id],
  ["activity_id", ({ id }) => id]
]

const cell = (value: string | number | undefined): string =>
  typeof value === "string" ? csvText(value) : String(value ?? "")

/** Without it, Excel does not read the file as UTF-8. */
const byteOrderMark = "\uFEFF"

/** Activities as CSV (RFC 4180). */
export const csvOf = (activities: ReadonlyArray<Activity>): string =>
  byteOrderMark +
  [columns.map(([name]) => name), ...activities.map((activity) => columns.map(([, of]) => cell(of(activity))))]
    .map((row) => `${row.join(",")}\r\n`)
    .join("")
