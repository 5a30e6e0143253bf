import { useEffect, useRef, useState } from "preact/hooks"
import type { License, LicenseCreateResponse, Policy, PolicyCreateRequest, Product } from "../../../client/api/index.ts"
import { codeOf } from "../../catalog/policies/CodeOf.ts"
import { Button } from "../../ground/design/Button.tsx"
import { useCopied } from "../../ground/design/Copy.tsx"
import { Note } from "../../ground/design/Feedback.tsx"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { useDraft, useSubmission } from "../../ground/session/Draft.tsx"
import { FormFailure } from "../../ground/session/Failure.tsx"
import { useLoad } from "../../ground/session/Load.ts"
import { doneOf, isWay, policies, steps, ways } from "./SetupSteps.ts"
import type { Setup as SetupState, Way } from "./SetupSteps.ts"
import { languages, snippetOf } from "./Snippets.ts"
import type { Language } from "./Snippets.ts"

/** How often the first activation is looked for, in milliseconds. */
const lookEvery = 2_000

interface StepProps {
  readonly onDone: () => void
  /** Whether the step before was done on this page, so that the hands go on in this one. */
  readonly isOnward: boolean
}

/** A step: its fields, and the one button that does it. */
const Step = ({ button, children, error, isBusy, isOnward, isReady = true, onSend, says }: {
  readonly says: string
  readonly isOnward: boolean
  readonly button: string
  readonly isReady?: boolean
  readonly isBusy: boolean
  readonly error: Error | undefined
  readonly onSend: () => void
  readonly children: preact.ComponentChildren
}) => {
  const form = useRef<HTMLFormElement>(null)
  useEffect(() => {
    if (isOnward) form.current?.querySelector<HTMLElement>("input, select")?.focus()
  }, [])
  return (
    <form
      ref={form}
      class="stack"
      onSubmit={(event) => {
        event.preventDefault()
        if (isReady) onSend()
      }}
    >
      <p>{says}</p>
      <div class="filters">{children}</div>
      {error === undefined ? null : <FormFailure error={error} />}
      <span class="row">
        <Button weight="main" type="submit" disabled={!isReady} isBusy={isBusy}>{isBusy ? "Saving…" : button}</Button>
      </span>
    </form>
  )
}

/** Calls once a form is sent. */
const useDone = (isDone: boolean, onDone: () => void): void => useEffect(() => isDone ? onDone() : undefined, [isDone])

const errorIn = (state: { readonly name: string; readonly error?: Error }): Error | undefined =>
  state.name === "failed" ? state.error : undefined

const noName = { name: "" }

const MakeProduct = ({ isOnward, onDone }: StepProps) => {
  const draft = useDraft("first product", noName)
  const { name } = draft.values
  const { send, state } = useSubmission((
    client,
    content: { readonly name: string; readonly code: string },
    idempotencyKey
  ) => client.products.create(content, { idempotencyKey }), draft.attempt)
  useDone(state.name === "done", () => {
    draft.saved()
    onDone()
  })
  return (
    <Step
      says="A product is the app that you sell."
      isOnward={isOnward}
      button="Create product"
      isReady={name.trim() !== ""}
      isBusy={state.name === "sending"}
      error={errorIn(state)}
      onSend={() => send({ name: name.trim(), code: codeOf(name) || "product" })}
    >
      <TextField
        label="Product name"
        value={name}
        onChange={(name) => draft.set({ name })}
        placeholder="Acme Draft"
        maxLength={255}
        isFirst
      />
    </Step>
  )
}

const yearly: { readonly way: Way } = { way: "year" }

const MakePolicy = ({ isOnward, onDone, product }: StepProps & { readonly product: Product }) => {
  const draft = useDraft("first policy", yearly)
  const { way } = draft.values
  const { send, state } = useSubmission(
    (client, content: PolicyCreateRequest, idempotencyKey) =>
      client.policies.create(product.id, content, { idempotencyKey }),
    draft.attempt
  )
  useDone(state.name === "done", () => {
    draft.saved()
    onDone()
  })
  return (
    <Step
      says="A policy says what a buyer gets. You can change all of it later."
      isOnward={isOnward}
      button="Create policy"
      isBusy={state.name === "sending"}
      error={errorIn(state)}
      onSend={() => send(policies[way])}
    >
      <Choice
        label="Sold as"
        value={way}
        options={ways}
        onChange={(value) => isWay(value) ? draft.set({ way: value }) : undefined}
      />
    </Step>
  )
}

const IssueFirst = ({ isOnward, onIssued, policy, product }: Pick<StepProps, "isOnward"> & {
  readonly product: Product
  readonly policy: Policy
  readonly onIssued: (issued: LicenseCreateResponse) => void
}) => {
  const draft = useDraft("first license", noName)
  const { name } = draft.values
  const { send, state } = useSubmission((client, customer_name: string, idempotencyKey) =>
    client.licenses.create({
      product_id: product.id,
      policy_id: policy.id,
      ...(customer_name === "" ? {} : { customer_name })
    }, { idempotencyKey }), draft.attempt)
  const answer = state.name === "done" ? state.answer : undefined
  useEffect(() => {
    if (answer === undefined) return
    draft.saved()
    onIssued(answer)
  }, [answer])
  return (
    <Step
      says="A license is what one buyer has: a key that your app sends."
      isOnward={isOnward}
      button="Issue license"
      isBusy={state.name === "sending"}
      error={errorIn(state)}
      onSend={() => send(name.trim())}
    >
      <TextField
        label="Buyer's name"
        value={name}
        onChange={(name) => draft.set({ name })}
        placeholder="You, to begin with"
        maxLength={255}
      />
    </Step>
  )
}

/** The request of an app with the real key, until a device calls. */
const CallFromApp = (
  { licenseKey, onDone }: Pick<StepProps, "onDone"> & { readonly licenseKey: string | undefined }
) => {
  const [language, setLanguage] = useState<Language>("JavaScript")
  const text = snippetOf(language, { url: location.origin, key: licenseKey ?? "<license key>" })
  const { copy, outcome } = useCopied(text)
  const first = useLoad(
    (client, signal) =>
      client.activities.list({
        action: "license.activated",
        result_class: "success",
        limit: 1,
        include_names: true
      }, { signal }),
    [],
    { every: lookEvery }
  ).data?.[0]
  const who = first?.names?.device ?? first?.names?.customer ?? "The first device"
  return (
    <div class="stack">
      <p>Paste this into your app and run it. We tell you when it calls.</p>
      {licenseKey === undefined
        ? (
          <Note>
            <span>
              The key is shown only once. Put it in place of <code>{"<license key>"}</code>, or{" "}
              <a href="/console/licenses/new">issue another license</a>.
            </span>
          </Note>
        )
        : null}
      <div class="languages" role="group" aria-label="Language">
        {languages.map((name) => (
          <Button
            key={name}
            small
            weight={name === language ? "main" : "plain"}
            onClick={() => setLanguage(name)}
          >
            {name}
          </Button>
        ))}
      </div>
      <div class="copy">
        <pre tabIndex={0} aria-label={`${language} snippet`}>{text}</pre>
        <Button small onClick={copy}>{outcome ?? "Copy"}</Button>
      </div>
      <div role="status">
        {first === undefined
          ? <span class="quiet">Waiting for the first activation…</span>
          : (
            <Note tone="good" title="You are selling.">
              <span>
                <bdi class="strong">{who}</bdi> activated.
              </span>
              <span class="row">
                <Button small onClick={onDone}>Go to the overview</Button>
              </span>
            </Note>
          )}
      </div>
    </div>
  )
}

/** The list of the steps: done, at hand, and to come. */
const Steps = ({ at }: { readonly at: number }) => (
  <ol class="setup-steps">
    {steps.map((name, index) => (
      <li
        key={name}
        class={index < at ? "done" : ""}
        {...(index === at ? { "aria-current": "step" as const } : {})}
      >
        {index + 1} {name}
        {index < at
          ? (
            <span>
              {" "}✓<span class="visually-hidden">done</span>
            </span>
          )
          : null}
      </li>
    ))}
  </ol>
)

/** The way from an empty service to an app that calls it: product, policy, license, snippet. */
export const Setup = ({ of, onChange }: { readonly of: SetupState; readonly onChange: () => void }) => {
  const [issued, setIssued] = useState<{ readonly license: License; readonly license_key: string }>()
  const done = issued === undefined ? doneOf(of) : Math.max(3, doneOf(of))
  const [begun] = useState(done)
  const isOnward = done > begun
  const { policy, product } = of
  return (
    <Panel title={done === 0 ? "Sell your first license" : `Continue setup: ${done} of ${steps.length}`}>
      <Steps at={done} />
      {product === undefined && done === 0
        ? <MakeProduct isOnward={isOnward} onDone={onChange} />
        : product !== undefined && done === 1
        ? <MakePolicy product={product} isOnward={isOnward} onDone={onChange} />
        : product !== undefined && policy !== undefined && done === 2
        ? <IssueFirst product={product} policy={policy} isOnward={isOnward} onIssued={setIssued} />
        : <CallFromApp licenseKey={issued?.license_key} onDone={onChange} />}
      <p class="small quiet">
        Setup takes about four minutes, and everything can be changed later. The test environment is there to practise.
      </p>
    </Panel>
  )
}
