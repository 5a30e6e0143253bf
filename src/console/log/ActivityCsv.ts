import type { Activity } from "../../client/api/index.ts"
import { csvFileOf } from "../ground/lists/Csv.ts"
import type { CsvColumn } from "../ground/lists/Csv.ts"
import { actorOf, sentenceOf } from "./ActivityWords.ts"

/** The columns of the file, and what each has of an activity. */
const columns: ReadonlyArray<CsvColumn<Activity>> = [
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

/** Activities as CSV (RFC 4180). */
export const csvOf = (activities: ReadonlyArray<Activity>): string => csvFileOf(columns, activities)
