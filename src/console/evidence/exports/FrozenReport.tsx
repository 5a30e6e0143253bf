import { useEffect, useRef, useState } from "preact/hooks"
import type { ReportExport } from "../../../client/api/index.ts"
import { labelOf } from "../../../client/api/Labels.ts"
import type { VerifiedExport } from "../../../client/verify/index.ts"
import { ExportError } from "../../../client/verify/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { count } from "../../ground/design/Numbers.ts"
import { Time } from "../../ground/design/Time.tsx"
import { saveAnswer } from "../../ground/lists/SaveFile.ts"
import { Action } from "../../ground/session/Action.tsx"
import { Failure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { ask, errorOf } from "../../ground/session/Session.ts"
import { exportView, isMoving } from "./ExportView.ts"
import { canVerify, verifyFrozen } from "./Verification.ts"
import "./frozen.css"

/** How often an export that is being made is loaded again, in milliseconds. */
const pollMillis = 1000

type Check =
  | { readonly name: "none" }
  | { readonly name: "running" }
  | { readonly name: "good"; readonly found: VerifiedExport }
  | { readonly name: "bad"; readonly error: Error }

/** The result of a verification. */
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

/** The newest known state of an export, which is loaded again while it is being made. */
const useFollowed = (given: ReportExport) => {
  const [known, setKnown] = useState(given)
  const newest = given.updated_at > known.updated_at ? given : known
  const followed = useLoad(
    (client, signal) => client.reportExports.get(given.id, { signal }),
    [given.id],
    { every: pollMillis, when: isMoving(newest) }
  )
  useEffect(() => {
    if (followed.data !== undefined) setKnown(followed.data)
  }, [followed.data])
  return { report: newest, error: followed.error, setKnown }
}

/** The downloads of an export: its file, or an archive with its snapshot and its manifest. */
type Part = "file" | "archive"

const useDownload = ({ id }: ReportExport, signal: AbortSignal) => {
  const [state, setState] = useState<"" | Part | Error>("")
  const download = async (part: Part) => {
    setState(part)
    try {
      await saveAnswer(
        await ask(({ reportExports }) =>
          part === "file" ? reportExports.download(id, { signal }) : reportExports.downloadArchive(id, { signal })
        )
      )
      setState("")
    } catch (cause) {
      if (!signal.aborted) setState(errorOf(cause))
    }
  }
  return {
    running: typeof state === "string" ? state : "",
    failed: typeof state === "object" ? state : undefined,
    download
  }
}

/** Verifies the file of an export in this browser. */
const useCheck = ({ id }: ReportExport, signal: AbortSignal) => {
  const [check, setCheck] = useState<Check>({ name: "none" })
  const verify = async () => {
    setCheck({ name: "running" })
    try {
      setCheck({ name: "good", found: await ask((client) => verifyFrozen(client, id, signal)) })
    } catch (cause) {
      if (!signal.aborted) setCheck({ name: "bad", error: errorOf(cause) })
    }
  }
  return { check, verify }
}

/** A signal that is aborted once the component is gone. */
const useGone = (): AbortSignal => {
  const abort = useRef(new AbortController())
  useEffect(() => () => abort.current.abort(), [])
  return abort.current.signal
}

const Head = ({ report, who }: { readonly report: ReportExport; readonly who: string }) => {
  const { facts, filters, span } = exportView(report)
  return (
    <div class="what">
      <span class="row wraps">
        <span class="strong">{labelOf("report", report.report_kind)}</span>
        <span>{span}</span>
        <span class="tag">{report.format.toUpperCase()}</span>
        <State of={report.status} />
      </span>
      <span class="small quiet">
        {filters.map((filter) => (
          <span key={filter}>
            <bdi>{filter}</bdi>
            {" · "}
          </span>
        ))}
        exported <Time at={report.frozen_at ?? report.created_at} /> by <bdi>{who}</bdi>
        {facts.map((fact) => ` · ${fact}`).join("")}
      </span>
    </div>
  )
}

const Retry = ({ id, onRetry }: { readonly id: string; readonly onRetry: (begun: ReportExport) => void }) => (
  <Action
    label="Retry"
    small
    scope="report:export"
    says="Runs the export again with current data."
    perform={async (client, options) => {
      const begun = await client.reportExports.retry(id, options)
      onRetry(begun)
      return begun
    }}
    done={() => "Export restarted."}
  />
)

const Progress = (
  { of: { text, ...progress } }: { readonly of: NonNullable<ReturnType<typeof exportView>["progress"]> }
) => (
  <div class="stack progress" role="status">
    <progress aria-label="Rows written" {...progress} />
    <span class="small quiet">{text}</span>
  </div>
)

const Downloads = (
  { download, running }: { readonly running: "" | Part; readonly download: (part: Part) => Promise<void> }
) => (
  <>
    <Button small onClick={() => void download("file")} isBusy={running === "file"}>
      {running === "file" ? "Downloading…" : "Download"}
    </Button>
    <Button small onClick={() => void download("archive")} isBusy={running === "archive"}>
      {running === "archive" ? "Packing…" : "With evidence (ZIP)"}
    </Button>
  </>
)

/** One export: tracked while it is made, then downloaded and verified. */
export const FrozenReport = ({ given, who }: { readonly given: ReportExport; readonly who: string }) => {
  const { error, report, setKnown } = useFollowed(given)
  const gone = useGone()
  const { download, failed, running } = useDownload(report, gone)
  const { check, verify } = useCheck(report, gone)
  const { progress } = exportView(report)
  return (
    <li>
      <div class="head">
        <Head report={report} who={who} />
        <div class="row wraps">
          {report.status === "ready" ? <Downloads running={running} download={download} /> : null}
          {report.status !== "ready" || !canVerify() ?
            null :
            (
              <Button small onClick={() => void verify()} isBusy={check.name === "running"}>
                {check.name === "running" ? "Verifying…" : "Verify"}
              </Button>
            )}
          {report.status === "failed" ? <Retry id={report.id} onRetry={setKnown} /> : null}
        </div>
      </div>
      {progress === undefined ? null : <Progress of={progress} />}
      {error === undefined ? null : <Failure error={error} />}
      {report.failure === undefined || report.status !== "failed" ?
        null :
        (
          <Note tone="bad" title={report.failure.message}>
            <code class="small">{report.failure.code}</code>
          </Note>
        )}
      <Digests {...report} />
      {failed === undefined ? null : <Failure error={failed} />}
      <Checked check={check} />
    </li>
  )
}
