import { addColumns } from "../OnlineMigration.ts"

/** The time zone of the reader of an export; null where none was asked for, as in every export of before. */
export default addColumns("report_exports", {
  time_zone: { type: "text", check: "length(time_zone) BETWEEN 1 AND 64" }
})
