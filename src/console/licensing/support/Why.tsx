import { useState } from "preact/hooks"
import type { Device, LicenseExplainRequest, LicenseExplanation, RuntimeOperation } from "../../../client/api/index.ts"
import { labels } from "../../../client/api/Labels.ts"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { momentOf } from "../../ground/design/Time.tsx"
import type { Loaded } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"

/** The question that the explanation answers. */
export interface Question {
  readonly operation: RuntimeOperation
  readonly fingerprint: string
  readonly feature: string
  /** As a field of the page has it, in the reader's time zone; empty for now. */
  readonly at: string
}

/** The question that is asked first. */
export const firstQuestion: Question = { operation: "validate", fingerprint: "", feature: "", at: "" }

/** The request of a question, without the fields that are empty. */
export const explainRequest = ({ at, feature, fingerprint, operation }: Question): LicenseExplainRequest => ({
  operation,
  ...(fingerprint.trim() === "" ? {} : { binding: { fingerprint: fingerprint.trim() } }),
  ...(feature.trim() === "" ? {} : { feature_code: feature.trim() }),
  ...(at === "" ? {} : { at: new Date(at).toISOString() })
})

/** The operations to choose from, without releases of seats, which are never refused. */
const operations = Object.entries(labels.operation).filter(([operation]) => operation !== "checkin")

/** Whether the message of a finding has the word of its detail, such as the state of a license. */
const hasSaid = ({ message }: { readonly message: string }, detail: string): boolean =>
  message.toLowerCase().includes(detail.toLowerCase())

const Verdict = ({ of }: { readonly of: LicenseExplanation }) => {
  const when = of.source === "current" ? "now" : `on ${momentOf(of.at)}`
  const [first, ...rest] = of.findings
  if (of.is_allowed) {
    return (
      <Note tone="good" title={`Allowed: ${of.operation} succeeds ${when}`}>
        <span>
          {of.judged.includes("device")
            ? "No rule blocks this operation."
            : "The license allows this operation. Select a device to check device rules as well."}
        </span>
      </Note>
    )
  }
  return (
    <Note tone="bad" title={`Refused: ${of.operation} fails ${when}`}>
      {first === undefined ? null : (
        <span>
          {first.message} <a href={`/docs/errors/${first.code}`} target="_blank" rel="noreferrer">{first.code}</a>
        </span>
      )}
      {first?.detail === undefined || hasSaid(first, first.detail) ? null : <span>{first.detail}</span>}
      {rest.length === 0 ? null : (
        <details class="more">
          <summary>{some(rest.length, "more reason")}</summary>
          <ul class="stack small">
            {rest.map(({ code, message, rule }) => (
              <li key={rule}>
                {message} <code>{code}</code>
              </li>
            ))}
          </ul>
        </details>
      )}
    </Note>
  )
}

/** Whether the app may run, and why: for any device and operation, now or at a time in the past. */
export const Why = (
  { devices, onAsk, question, verdict }: {
    readonly devices: ReadonlyArray<Device>
    readonly question: Question
    readonly onAsk: (question: Question) => void
    readonly verdict: Loaded<LicenseExplanation>
  }
) => {
  const [isOther, setIsOther] = useState(false)
  const needsFeature = question.operation === "check" || question.operation === "consume"
  const choices = devices.flatMap(({ binding_key, fingerprint, hostname }) =>
    fingerprint === undefined ? [] : [[fingerprint, hostname ?? binding_key] as const]
  )
  return (
    <Panel title="Can this license run?">
      <Loading of={verdict} lines={2}>{(explanation) => <Verdict of={explanation} />}</Loading>
      <div class="filters">
        <Choice
          label="Operation"
          value={question.operation}
          options={operations}
          onChange={(operation) => onAsk({ ...question, operation: operation as RuntimeOperation })}
        />
        {isOther
          ? (
            <TextField
              label="Fingerprint"
              value={question.fingerprint}
              onChange={(fingerprint) => onAsk({ ...question, fingerprint })}
            />
          )
          : (
            <Choice
              label="Device"
              value={question.fingerprint}
              options={[["", "Any"], ...choices, [" ", "Other…"]]}
              onChange={(fingerprint) => fingerprint === " " ? setIsOther(true) : onAsk({ ...question, fingerprint })}
            />
          )}
        {needsFeature
          ? (
            <TextField
              label="Feature code"
              value={question.feature}
              onChange={(feature) => onAsk({ ...question, feature })}
            />
          )
          : null}
        <TextField
          label="Time (leave empty for now)"
          type="datetime-local"
          value={question.at}
          onChange={(at) => onAsk({ ...question, at })}
        />
      </div>
    </Panel>
  )
}
