import type { ComponentChildren } from "preact"
import { useLayoutEffect, useRef, useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { ReasonedAction } from "../../../client/api/index.ts"
import { Button } from "../design/Button.tsx"
import type { Weight } from "../design/Button.tsx"
import { Copy } from "../design/Copy.tsx"
import { CloseButton } from "../design/Dialog.tsx"
import { Note } from "../design/Feedback.tsx"
import { Findings, TextField } from "../design/Field.tsx"
import { reasonRules } from "../design/Reason.ts"
import { ReasonField } from "../design/ReasonField.tsx"
import { FormFailure } from "./Failure.tsx"

/** The actions on licenses, for which the usual reasons are. */
const isOfLicense = /^(license|device|lease)(\.|$)/

/** The request that was sent, as a command; nothing where none was. */
const Curl = ({ text }: { readonly text: string | undefined }) =>
  text === undefined ? null : (
    <details class="more">
      <summary>Show as curl</summary>
      <Copy label="curl command" text={text} />
    </details>
  )

/** The outcome of a write. It takes over the focus of the form. */
export const ActionDone = (
  { children, curl, onClose, title = "Done" }: {
    readonly title?: string
    readonly children: ComponentChildren
    readonly curl: string | undefined
    readonly onClose: () => void
  }
) => {
  const outcome = useRef<HTMLDivElement>(null)
  // Before it is painted: keys of whoever reads fast belong to the outcome.
  useLayoutEffect(() => outcome.current?.focus(), [])
  return (
    <>
      <div ref={outcome} class="outcome" tabIndex={-1}>
        <Note tone="good" title={title}>
          <div>{children}</div>
        </Note>
      </div>
      <Curl text={curl} />
      <div class="actions">
        <CloseButton onClose={onClose} />
      </div>
    </>
  )
}

/** The findings of a refusal, by the paths of members. */
export const findingsOf = (error: Error | undefined): ReadonlyMap<string, string> =>
  new Map(isCountersignError(error) ? error.fields.map(({ message, path }) => [path, message]) : [])

interface ActionFormProps {
  readonly label: string
  readonly says: ComponentChildren
  readonly fields?: ComponentChildren
  readonly asksWhy?: boolean | ReasonedAction | "license"
  /** Whether there has to be a reason. */
  readonly needsWhy?: boolean
  /** Whether a second person is asked. */
  readonly asksSecond: boolean
  readonly typed?: string | undefined
  readonly isReady?: boolean
  readonly weight?: Weight
  readonly isSending: boolean
  /** The failure of the last try. */
  readonly error: Error | undefined
  readonly curl: string | undefined
  readonly reason: string
  readonly onReason: (reason: string) => void
  readonly onSend: (reason: string) => void
  readonly onCancel: () => void
}

/** The consequence of a write, and whether another person has to approve it. */
const Says = ({ asksSecond, children }: { readonly asksSecond: boolean; readonly children: ComponentChildren }) => (
  <>
    <div>{children}</div>
    {asksSecond
      ? <Note tone="accent">Your role needs a second person for this. It is done once another person approves.</Note>
      : null}
  </>
)

/** The consequence of a write, its input, and the buttons that send or leave it. */
export const ActionForm = (of: ActionFormProps) => {
  const { asksWhy = false, error, fields, isReady = true, isSending, label, onSend, reason, typed, weight = "plain" } =
    of
  const [entered, setEntered] = useState("")
  const { required, suggested } = reasonRules.value
  const isRuled = typeof asksWhy === "string" && required.includes(asksWhy)
  const isRequired = isRuled || of.asksSecond || of.needsWhy === true
  const isBlocked = !isReady || isRequired && reason.trim() === "" || typed !== undefined && entered.trim() !== typed
  return (
    <form
      onSubmit={(event) => {
        event.preventDefault()
        if (!isBlocked && !isSending) onSend(reason.trim())
      }}
      class="stack wide"
    >
      <Says asksSecond={of.asksSecond}>{of.says}</Says>
      <Findings.Provider value={findingsOf(error)}>{fields}</Findings.Provider>
      {asksWhy === false && !isRequired
        ? null
        : (
          <ReasonField
            value={reason}
            onChange={of.onReason}
            usual={typeof asksWhy === "string" && isOfLicense.test(asksWhy) ? suggested : []}
            isRequired={isRequired}
          />
        )}
      {typed === undefined
        ? null
        : <TextField label={`Type ${typed} to confirm`} value={entered} onChange={setEntered} autocomplete="off" />}
      {error === undefined ? null : <FormFailure error={error} />}
      <Curl text={of.curl} />
      <div class="actions">
        <Button onClick={of.onCancel}>Cancel</Button>
        <Button
          type="submit"
          weight={weight.startsWith("danger") ? "danger main" : "main"}
          disabled={isBlocked}
          isBusy={isSending}
        >
          {isSending ? "Working…" : label}
        </Button>
      </div>
    </form>
  )
}
