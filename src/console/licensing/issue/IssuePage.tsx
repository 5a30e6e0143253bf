import { useState } from "preact/hooks"
import { isCountersignError } from "../../../client/api/index.ts"
import type { LicenseCreateRequest, LicenseCreateResponse, Policy, Product } from "../../../client/api/index.ts"
import { CustomerField } from "../../customers/CustomerField.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { CloseButton, Dialog } from "../../ground/design/Dialog.tsx"
import { Empty, Note } from "../../ground/design/Feedback.tsx"
import { Choice, Findings, NumberField, TextField } from "../../ground/design/Field.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { timeZone } from "../../ground/design/Time.tsx"
import { AskBeforeLeaving, useDraft, useSubmission } from "../../ground/session/Draft.tsx"
import { Failure, Forbidden, FormFailure } from "../../ground/session/Failure.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { may } from "../../ground/session/Session.ts"
import { useTitle } from "../../ground/session/Title.ts"
import { LicenseKeyOnce } from "../changes/Transfer.tsx"
import { deviceLimits, hasOwnTerms, issueView, isTouched, noDraft, termsInWords } from "./IssueDraft.ts"
import type { IssueDraft } from "./IssueDraft.ts"
import "./issue.css"

interface KeyShownProps {
  readonly of: LicenseCreateResponse
  readonly name: string | undefined
  readonly product: string
  /** Called by the one button that closes it. */
  readonly onSaved: () => void
}

/** The key of a new license, which is shown only here. */
const KeyShown = ({ name, of: { license_key: key }, onSaved, product }: KeyShownProps) => (
  <Dialog title="License issued" onClose={onSaved}>
    <LicenseKeyOnce label="License key" text={key} name={name} product={product} />
    <div class="actions">
      <CloseButton onClose={onSaved} />
    </div>
  </Dialog>
)

/** The most products, and policies of one, that are offered. */
const most = 1000

/** A choice of what has a name. What is the only one is chosen. */
const optionsOf = (all: ReadonlyArray<{ readonly id: string; readonly name: string }>, noun: string) => [
  ...(all.length === 1 ? [] : [["", `Choose a ${noun}`] as const]),
  ...all.map(({ id, name }) => [id, name] as const)
]

const only = (all: ReadonlyArray<{ readonly id: string }>): string => all.length === 1 ? all[0]!.id : ""

type Set = (changes: Partial<IssueDraft>) => void

interface PartProps {
  readonly draft: IssueDraft
  readonly set: Set
}

const ProductAndPolicy = (
  { draft, policies, products, set }: PartProps & {
    readonly products: ReadonlyArray<Product>
    readonly policies: ReadonlyArray<Policy> | undefined
  }
) => {
  const policy = policies?.find(({ id }) => id === draft.policyId)
  return (
    <div class="pair">
      <Choice
        label="Product"
        path="product_id"
        value={draft.productId}
        options={optionsOf(products, "product")}
        onChange={(productId) => set({ productId, policyId: "" })}
      />
      <Choice
        label="Policy"
        path="policy_id"
        value={draft.policyId}
        options={policies === undefined ? [["", ""]] : optionsOf(policies, "policy")}
        onChange={(policyId) => set({ policyId })}
        hint={policy !== undefined
          ? termsInWords(policy)
          : policies?.length === 0
          ? "This product has no policy yet."
          : "The terms of the license"}
      />
    </div>
  )
}

const OnlyHere = ({ draft, set }: PartProps) => {
  // Terms that are given back are in sight.
  const [isOpen] = useState(hasOwnTerms(draft))
  return (
    <details class="more" open={isOpen}>
      <summary>Only for this license</summary>
      <div class="pair">
        <NumberField
          label="Device limit"
          {...deviceLimits}
          path="overrides.max_activations"
          value={draft.devices}
          onChange={(devices) => set({ devices })}
          hint="Empty for the limit of the policy"
        />
        <TextField
          label="Ends on"
          type="date"
          path="expires_at"
          value={draft.ends}
          onChange={(ends) => set({ ends })}
          hint={`Start of the day, ${timeZone}. Empty for the duration of the policy`}
        />
        <TextField
          label="Reference"
          path="metadata"
          value={draft.reference}
          onChange={(reference) => set({ reference })}
          maxLength={255}
          autocomplete="off"
          hint="An order or a ticket, kept as metadata.reference"
        />
      </div>
    </details>
  )
}

/** The failure of the last attempt. One that nobody decided may be sent again: it is the same request. */
const Failed = ({ error, isDecided }: { readonly error: Error; readonly isDecided: boolean }) => (
  <>
    {isDecided
      ? null
      : (
        <Note tone="warn" title="We could not see whether the license was issued.">
          <span>Trying again is safe: the same license is never issued twice.</span>
        </Note>
      )}
    <FormFailure error={error} />
  </>
)

/** Beside the form: the last license that was issued here. */
const Before = ({ of: { license } }: { readonly of: LicenseCreateResponse }) => (
  <Note tone="good" title="License issued">
    <span>
      <a href={`/console/licenses/${license.id}`}>Open the license</a> whose key ends with{" "}
      <code>{license.license_key_last4}</code>, or issue another below.
    </span>
  </Note>
)

/** The policies of a product; they are of the product that is named beside them. */
const usePolicies = (productId: string) =>
  useLoad(
    async (client, signal) => ({
      productId,
      policies: await firstOf(client.policies.list(productId, { limit: 200 }, { signal }), most)
    }),
    [productId],
    { when: productId !== "" }
  )

/** The buttons that send the form, and discard what was entered. */
const Buttons = ({ changes, isReady, onDiscard, state }: {
  readonly changes: number
  readonly isReady: boolean
  readonly state: "editing" | "sending" | "failed" | "done"
  readonly onDiscard: () => void
}) => (
  <div class="row wraps last">
    <Button type="submit" weight="main" disabled={!isReady} isBusy={state === "sending"}>
      {state === "sending" ? "Issuing…" : state === "failed" ? "Try again" : "Issue license"}
    </Button>
    {changes === 0 || state === "sending" ?
      null :
      <Button onClick={onDiscard}>Discard {some(changes, "change")}</Button>}
  </div>
)

const Form = ({ products }: { readonly products: ReadonlyArray<Product> }) => {
  const kept = useDraft<IssueDraft>("license", { ...noDraft, productId: only(products) })
  const entered = kept.values
  const [issued, setIssued] = useState<LicenseCreateResponse>()
  const { data, error: unread, reload } = usePolicies(entered.productId)
  const policies = data?.productId === entered.productId ? data.policies : undefined
  const draft = { ...entered, policyId: entered.policyId === "" ? only(policies ?? []) : entered.policyId }
  const { set } = kept
  const { isReady, request, says } = issueView(draft, policies?.find(({ id }) => id === draft.policyId))
  const { again, send, state } = useSubmission(async (client, content: LicenseCreateRequest, idempotencyKey) => {
    const made = await client.licenses.create(content, { idempotencyKey })
    kept.saved()
    return made
  }, kept.attempt)
  const error = state.name === "failed" ? state.error : undefined
  const findings = new Map(isCountersignError(error) ? error.fields.map(({ message, path }) => [path, message]) : [])
  return (
    <>
      <AskBeforeLeaving isDirty={isTouched(entered)} isKept />
      {issued === undefined ? null : <Before of={issued} />}
      <Panel title="License">
        <form
          onSubmit={(event) => {
            event.preventDefault()
            if (isReady) send(request)
          }}
        >
          <Findings.Provider value={findings}>
            <CustomerField customer={draft.customer} onChange={(customer) => set({ customer })} />
            <ProductAndPolicy {...{ draft, policies, products, set }} />
            {unread === undefined ? null : <Failure error={unread} onRetry={reload} />}
            <OnlyHere {...{ draft, set }} />
          </Findings.Provider>
          <p role="status">{says}</p>
          {state.name === "failed" ? <Failed error={state.error} isDecided={state.isDecided} /> : null}
          <Buttons
            {...{ isReady, state: state.name }}
            changes={isTouched(entered) ? kept.changed.length : 0}
            onDiscard={() => {
              kept.discard()
              again()
            }}
          />
        </form>
      </Panel>
      {state.name === "done"
        ? (
          <KeyShown
            of={state.answer}
            name={draft.customer.kind === "none" ? undefined : draft.customer.name}
            product={products.find(({ id }) => id === draft.productId)?.name ?? draft.productId}
            onSaved={() => {
              setIssued(state.answer)
              kept.discard()
              set({ productId: draft.productId, policyId: draft.policyId })
              again()
            }}
          />
        )
        : null}
    </>
  )
}

const NoProducts = () => (
  <Empty title="No products yet">
    <p>
      A license is of a product, under a policy: the <a href="/docs/guides/quick-start">quick start</a>{" "}
      shows how to create both.
    </p>
  </Empty>
)

/** Issues a license: who it is for, of what, and what it allows. Its key is shown once. */
export const IssuePage = () => {
  useTitle("Issue a license")
  const mayIssue = may("license:write") && may("product:read")
  const loaded = useLoad(
    async (client, signal) => await firstOf(client.products.list({ limit: 200 }, { signal }), most),
    [],
    { when: mayIssue }
  )
  return (
    <main class="page issue" id="main">
      <header>
        <h1>Issue a license</h1>
      </header>
      {mayIssue
        ? (
          <Loading of={loaded} lines={8}>
            {(products) => products.length === 0 ? <NoProducts /> : <Form products={products} />}
          </Loading>
        )
        : (
          <Forbidden
            scope={may("license:write") ? "product:read" : "license:write"}
            title="You cannot issue licenses"
          />
        )}
    </main>
  )
}
