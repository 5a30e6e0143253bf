import type { EnvironmentName } from "../ground/environments/EnvironmentName.ts"
import { leafText } from "./EventLeaf.ts"
import type { EventColumns } from "./EventLeaf.ts"

/** The columns of a leaf as a row of the database has them. */
export type LeafRow = Omit<EventColumns, "created_at" | "environment"> & { readonly created_at: Date }

/** {@link leafText} of a row, in the environment of its log. */
export const leafTextOfRow = (row: LeafRow, environment: EnvironmentName): string =>
  leafText({ ...row, environment, created_at: row.created_at.toISOString() })
