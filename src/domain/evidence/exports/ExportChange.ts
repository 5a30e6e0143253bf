import type { ExportSignature } from "./ExportManifest.ts"
import type { ExportCheckpoint, ExportFailure } from "./ReportExport.ts"

/** How long a claim lasts unless its node extends it, in seconds. */
export const claimSeconds = 15

/** An instant on the database's clock, counted from the writing of a change. */
export interface FromNow {
  readonly secondsFromNow: number
}

/** Changes of an export's columns: null clears a column, and an omitted column is unchanged. */
interface ExportColumns {
  readonly status: "queued" | "ready" | "failed"
  readonly leased_until: FromNow | null
  readonly due_at: FromNow
  readonly updated_at: FromNow
  readonly is_large: boolean
  readonly progress_rows: number
  readonly progress_total: number
  readonly as_of_sequence: number | null
  readonly checkpoint: ExportCheckpoint | null
  readonly digest: string | null
  readonly snapshot_size: number | null
  readonly seal: ExportSignature | null
  /** RFC 3339 when it is a text. */
  readonly frozen_at: string | null
  readonly names_recorded: boolean
  readonly artifact_digest: string
  readonly artifact_size: number
  readonly manifest: string
  readonly manifest_signature: ExportSignature
  readonly failure: ExportFailure
  readonly ready_at: FromNow
  readonly expires_at: FromNow
}

/**
 * A change of an export by the worker that holds its claim. Each kind of change has one constructor below, which keeps
 * the status and the columns that go with it together.
 */
export interface ExportChange {
  readonly columns: Partial<ExportColumns>
  /** The try is not counted: that it ended was not the export's fault. */
  readonly uncounted?: true
}

/** How far the work is: rows done, and how many there are. */
export interface Progress {
  readonly rows: number
  readonly total: number
}

/** What is fixed when a snapshot is complete. */
export interface Frozen {
  readonly as_of_sequence: number
  readonly checkpoint: ExportCheckpoint | undefined
  readonly digest: string
  readonly snapshot_size: number
  readonly seal: ExportSignature
  /** RFC 3339. */
  readonly frozen_at: string
  /** The number of the newest erasure of a customer that the snapshot knows of. */
  readonly erasures: number
}

/** What is fixed when the file is complete. `manifest` is canonical JSON, as it was signed. */
export interface Finished {
  readonly rows: number
  readonly artifact_digest: string
  readonly artifact_size: number
  readonly manifest: string
  readonly manifest_signature: ExportSignature
}

const now: FromNow = { secondsFromNow: 0 }
const claimEnd: FromNow = { secondsFromNow: claimSeconds }
const day = 24 * 60 * 60

/** The claim is kept alive. */
export const extended = (): ExportChange => ({ columns: { leased_until: claimEnd } })

/** Work went on, and the claim is kept alive. */
export const progressed = ({ rows, total }: Progress): ExportChange => ({
  columns: { leased_until: claimEnd, progress_rows: rows, progress_total: total, updated_at: now }
})

/** The snapshot is fixed. */
export const frozen = ({ erasures: _known, checkpoint, ...fixed }: Frozen): ExportChange => ({
  columns: { ...fixed, checkpoint: checkpoint ?? null, names_recorded: true, updated_at: now }
})

/** The snapshot is given up, so that no later claim looks for it. */
export const thawed = (): ExportChange => ({
  columns: {
    as_of_sequence: null,
    checkpoint: null,
    digest: null,
    snapshot_size: null,
    seal: null,
    frozen_at: null,
    names_recorded: false,
    updated_at: now
  }
})

/** The file is whole, and is kept for so many days. */
export const ready = ({ rows, ...file }: Finished, retentionDays: number): ExportChange => ({
  columns: {
    ...file,
    status: "ready",
    leased_until: null,
    progress_rows: rows,
    ready_at: now,
    updated_at: now,
    expires_at: { secondsFromNow: retentionDays * day }
  }
})

/** The work has ended for good. */
export const failed = (failure: ExportFailure): ExportChange => ({
  columns: { status: "failed", leased_until: null, failure, updated_at: now }
})

/** The claim is given back, for another one in `seconds`. */
export const queuedAgain = (seconds: number, counted: boolean): ExportChange => ({
  columns: { status: "queued", leased_until: null, due_at: { secondsFromNow: seconds }, updated_at: now },
  ...(counted ? {} : { uncounted: true })
})

/** The claim is given back, for the worker that takes exports of any size. */
export const handedOver = (): ExportChange => ({
  columns: { status: "queued", leased_until: null, is_large: true, updated_at: now },
  uncounted: true
})
