import { useEffect, useRef, useState } from "preact/hooks"
import type { ReportExport } from "../../client/api/index.ts"
import type { VerifiedExport } from "../../client/verify/index.ts"
import { ExportError } from "../../client/verify/index.ts"
import { State } from "../design/Badge.tsx"
import { Button } from "../design/Button.tsx"
import { Note } from "../design/Feedback.tsx"
import { count } from "../design/Numbers.ts"
import { dateOf, Time } from "../design/Time.tsx"
import { kinds } from "../period/Kinds.ts"
import { spanOf } from "../period/Period.ts"
import { zoneOf } from "../period/Zone.ts"
import { Action } from "../session/Action.tsx"
import { Failure } from "../session/Failure.tsx"
import { useLoad } from "../session/Load.ts"
import { ask, errorOf } from "../session/Session.ts"
import { canVerify, save, verifyFrozen } from "./Verification.ts"
import "./frozen.css"

/** How often one that is being made is asked for, in milliseconds. */
const again = 1000

/** Bytes as people say them. */
const sizeOf = (bytes: number): string =>
  bytes < 1000 ? `${bytes} bytes` : bytes < 1e6 ? `${(bytes / 1e3).toFixed(1)} kB` : `${(bytes / 1e6).toFixed(1)} MB`

const textOf = (value: unknown): string => typeof value === "string" ? value : ""

const steps: Readonly<Record<string, string>> = {
  "1h": "hours",
  "1d": "days",
  "1w": "weeks",
  "1mo": "months",
  "1y": "years"
}

/** The time of a report that was asked for without one (as the reports' reference has it). */
const byItself: Readonly<Record<ReportExport["report_kind"], string>> = {
  "usage-summary": "the previous 30 days",
  "usage-ledger": "all time",
  "license-audit": "the previous 30 days",
  "customer-summary": "the previous 30 days",
  "subscription-settlement": "billing period"
}

/** What it was narrowed by, besides its time. */
const narrowedBy = (filters: ReportExport["filters"]): ReadonlyArray<string> =>
  Object.entries(filters)
    .filter(([name, value]) => !["from", "to"].includes(name) && textOf(value) !== "")
    .map(([name, value]) =>
      name === "group_by"
        ? `by ${textOf(value).replace(/_(?:id|code)$/, "")}`
        : name === "bucket"
        ? `per ${steps[textOf(value)] ?? textOf(value)}`
        : textOf(value)
    )

const isMoving = ({ status }: ReportExport): boolean => status === "queued" || status === "running"

type Check =
  | { readonly name: "none" }
  | { readonly name: "running" }
  | { readonly name: "good"; readonly found: VerifiedExport }
  | { readonly name: "bad"; readonly error: Error }

/** What a verification came to. */
const Checked = ({ check }: { readonly check: Check }) => {
  if (check.name === "running") return <p class="small quiet" role="status">Downloading and verifying…</p>
  if (check.name === "good") {
    const { kid, manifest } = check.found
    return (
      <div role="status">
        <Note tone="good" title={`Verified with key ${kid}`}>
          <span class="small">
            Digest and signature match (SHA-256 of {count(manifest.artifact_size)}{" "}
            bytes, checked in this browser). To verify independently, save the public keys and run{" "}
            <code>countersign verify export</code>.
          </span>
        </Note>
      </div>
    )
  }
  if (check.name === "none") return null
  return check.error instanceof ExportError
    ? (
      <Note tone="bad" title="Not verified">
        <span>{check.error.message}</span>
        <code class="small">{check.error.code}</code>
      </Note>
    )
    : <Failure error={check.error} />
}

const Digests = ({ artifact_digest, digest }: ReportExport) =>
  artifact_digest === undefined && digest === undefined ? null : (
    <dl class="digests">
      {artifact_digest === undefined ? null : (
        <div>
          <dt>File</dt>
          <dd>
            <code>{artifact_digest}</code>
          </dd>
        </div>
      )}
      {digest === undefined || digest === artifact_digest ? null : (
        <div>
          <dt>Snapshot</dt>
          <dd>
            <code>{digest}</code>
          </dd>
        </div>
      )}
    </dl>
  )

/** Keeps what is newest: what was given, or what was asked since while it was being made. */
const useFollowed = (given: ReportExport) => {
  const [known, setKnown] = useState(given)
  const newest = given.updated_at > known.updated_at ? given : known
  const followed = useLoad(
    (client, signal) => client.reportExports.get(given.id, { signal }),
    [given.id],
    { every: again, when: isMoving(newest) }
  )
  useEffect(() => {
    if (followed.data !== undefined) setKnown(followed.data)
  }, [followed.data])
  return { report: newest, error: followed.error, setKnown }
}

/** One frozen report: followed while it is made, then downloaded and verified. */
export const FrozenReport = ({ given, who }: { readonly given: ReportExport; readonly who: string }) => {
  const { error, report, setKnown } = useFollowed(given)
  const [check, setCheck] = useState<Check>({ name: "none" })
  const [fetching, setFetching] = useState<"" | "running" | Error>("")
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  const { progress: { rows, total }, status } = report
  const download = async () => {
    setFetching("running")
    try {
      const { signal } = abort.current
      const file = await ask((client) => client.reportExports.download(report.id, { signal }))
      save(await file.blob(), report.file_name)
      setFetching("")
    } catch (cause) {
      if (abort.current.signal.aborted) return
      setFetching(errorOf(cause))
    }
  }
  const verify = async () => {
    setCheck({ name: "running" })
    const { signal } = abort.current
    try {
      setCheck({ name: "good", found: await ask((client) => verifyFrozen(client, report.id, signal)) })
    } catch (cause) {
      if (abort.current.signal.aborted) return
      setCheck({ name: "bad", error: errorOf(cause) })
    }
  }
  return (
    <li>
      <div class="head">
        <div class="what">
          <span class="row wraps">
            <span class="strong">{kinds[report.report_kind].name}</span>
            <span>
              {spanOf(report.filters, report.frozen_at ?? report.created_at, zoneOf(report.time_zone ?? "UTC")) ??
                byItself[report.report_kind]}
            </span>
            <span class="tag">{report.format.toUpperCase()}</span>
            <State of={status} />
          </span>
          <span class="small quiet">
            {narrowedBy(report.filters).map((word) => (
              <span key={word}>
                <bdi>{word}</bdi>
                {" · "}
              </span>
            ))}
            exported <Time at={report.frozen_at ?? report.created_at} /> by <bdi>{who}</bdi>
            {report.artifact_size === undefined ? "" : ` · ${sizeOf(report.artifact_size)}`}
            {total === undefined || isMoving(report) ? "" : ` · ${count(total)} ${total === 1 ? "row" : "rows"}`}
            {status === "ready" && report.expires_at !== undefined ? ` · kept until ${dateOf(report.expires_at)}` : ""}
            {status !== "expired"
              ? ""
              : report.expired_reason === "customer_erased"
              ? " · deleted: a customer in it was erased"
              : " · deleted after retention"}
          </span>
        </div>
        <div class="row wraps">
          {status === "ready"
            ? (
              <>
                <Button small onClick={() => void download()} isBusy={fetching === "running"}>
                  {fetching === "running" ? "Downloading…" : "Download"}
                </Button>
                {canVerify()
                  ? (
                    <Button small onClick={() => void verify()} isBusy={check.name === "running"}>
                      {check.name === "running" ? "Verifying…" : "Verify"}
                    </Button>
                  )
                  : null}
              </>
            )
            : null}
          {status === "failed"
            ? (
              <Action
                label="Retry"
                small
                scope="report:export"
                says="Runs the export again with current data."
                perform={async (client, options) => {
                  const begun = await client.reportExports.retry(report.id, options)
                  setKnown(begun)
                  return begun
                }}
                done={() => "Export restarted."}
              />
            )
            : null}
        </div>
      </div>
      {isMoving(report)
        ? (
          <div class="stack progress" role="status">
            <progress
              aria-label="Rows written"
              {...(total === undefined ? {} : { value: rows, max: Math.max(1, total) })}
            />
            <span class="small quiet">
              {total === undefined ? "Counting the rows…" : `${count(rows)} of ${count(total)} rows`}
            </span>
          </div>
        )
        : null}
      {error === undefined ? null : <Failure error={error} />}
      {report.failure === undefined || status !== "failed" ? null : (
        <Note tone="bad" title={report.failure.message}>
          <code class="small">{report.failure.code}</code>
        </Note>
      )}
      <Digests {...report} />
      {typeof fetching === "object" ? <Failure error={fetching} /> : null}
      <Checked check={check} />
    </li>
  )
}
