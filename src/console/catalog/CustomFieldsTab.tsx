import { useState } from "preact/hooks"
import type {
  Countersign,
  CustomFieldDefinition,
  CustomFieldResourceType,
  CustomFieldValueType
} from "../../client/api/index.ts"
import { Badge } from "../ground/design/Badge.tsx"
import { Empty } from "../ground/design/Feedback.tsx"
import { Check, Choice, TextField } from "../ground/design/Field.tsx"
import { Panel } from "../ground/design/Panel.tsx"
import { Table, TwoLines } from "../ground/design/Table.tsx"
import { Day } from "../ground/design/Time.tsx"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { isNamed, NameAndCode, namedBody, noName } from "./NameAndCode.tsx"
import type { Named } from "./NameAndCode.tsx"
import type { OfProduct } from "./OfProduct.ts"

/** Deletes a part of the catalog. The service refuses it while anything uses it, and says what. */
export const DeleteUnused = ({ name, onChange, perform, says }: {
  readonly name: string
  readonly says: string
  readonly perform: (client: Countersign, options: { readonly idempotencyKey: string }) => Promise<unknown>
  readonly onChange: () => void
}) => (
  <span class="row ends">
    <Action
      label="Delete"
      small
      weight="danger"
      scope="product:write"
      says={
        <>
          <bdi class="strong">{name}</bdi>: {says}
        </>
      }
      perform={perform}
      done={() => (
        <span>
          <bdi class="strong">{name}</bdi> deleted.
        </span>
      )}
      onDone={onChange}
    />
  </span>
)

const resources: ReadonlyArray<readonly [CustomFieldResourceType, string]> = [
  ["license", "Licenses"],
  ["customer", "Customers"]
]

const kinds: ReadonlyArray<readonly [CustomFieldValueType, string]> = [
  ["string", "Text"],
  ["integer", "Whole number"],
  ["boolean", "Yes or no"],
  ["datetime", "Time"],
  ["enum", "One of a list"]
]

const nameIn = <A extends string>(all: ReadonlyArray<readonly [A, string]>, value: A): string =>
  all.find(([each]) => each === value)?.[1] ?? value

interface Entered {
  readonly resource: CustomFieldResourceType
  readonly kind: CustomFieldValueType
  /** The values of a list, with commas between them. */
  readonly options: string
  readonly isRequired: boolean
  readonly isSigned: boolean
}

const first: Entered & Named = {
  ...noName,
  resource: "license",
  kind: "string",
  options: "",
  isRequired: false,
  isSigned: false
}

const optionsIn = (text: string): Array<string> => text.split(",").map((each) => each.trim()).filter(Boolean)

const Fields = ({ entered, set }: { readonly entered: Entered; readonly set: (next: Partial<Entered>) => void }) => (
  <>
    <div class="filters">
      <Choice
        label="Field of"
        path="resource_type"
        value={entered.resource}
        options={resources}
        onChange={(chosen) => set({ resource: resources.find(([value]) => value === chosen)?.[0] ?? "license" })}
      />
      <Choice
        label="Values"
        path="value_type"
        value={entered.kind}
        options={kinds}
        onChange={(chosen) => set({ kind: kinds.find(([value]) => value === chosen)?.[0] ?? "string" })}
      />
    </div>
    {entered.kind === "enum"
      ? (
        <TextField
          label="List of values"
          path="enum_options"
          value={entered.options}
          onChange={(options) => set({ options })}
          placeholder="basic, pro"
          hint="With commas between them"
          autocomplete="off"
        />
      )
      : null}
    <Check path="is_required" isOn={entered.isRequired} onChange={(isRequired) => set({ isRequired })}>Required</Check>
    {entered.resource === "license"
      ? (
        <Check path="is_signed" isOn={entered.isSigned} onChange={(isSigned) => set({ isSigned })}>
          Sign the values for apps
        </Check>
      )
      : null}
  </>
)

const NewField = ({ onChange, product }: OfProduct & { readonly onChange: () => void }) => {
  const draft = useDraft("custom field", first)
  const entered = draft.values
  const options = optionsIn(entered.options)
  return (
    <Action
      label="New custom field"
      weight="main"
      scope="product:write"
      says="A custom field adds a value to each license or customer."
      fields={
        <>
          <NameAndCode of={entered} set={draft.set} example="Cost center" says="Programs read it by this code" />
          <Fields entered={entered} set={draft.set} />
        </>
      }
      draft={draft}
      isReady={isNamed(entered) && (entered.kind !== "enum" || options.length > 0)}
      perform={(client, sending) =>
        client.customFields.create(product.id, {
          ...namedBody(entered),
          resource_type: entered.resource,
          value_type: entered.kind,
          is_required: entered.isRequired,
          ...(entered.isSigned && entered.resource === "license" ? { is_signed: true } : {}),
          ...(entered.kind === "enum" ? { enum_options: options } : {})
        }, sending)}
      done={({ name }) => (
        <span>
          Custom field <bdi class="strong">{name}</bdi> created.
        </span>
      )}
      onDone={onChange}
    />
  )
}

/** The custom fields of a product. */
export const CustomFieldsTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const onChange = () => setTurn((before) => before + 1)
  const pages = usePages<CustomFieldDefinition>(
    "custom fields",
    (client, page, signal) => client.customFields.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  return (
    <>
      <span class="row ends">
        <NewField product={product} onChange={onChange} />
      </span>
      <Panel flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          empty={<Empty title="No custom fields yet">Custom fields add values to licenses and customers.</Empty>}
        >
          {(rows) => (
            <Table
              label="Custom fields"
              rows={rows}
              keyOf={({ id }) => id}
              columns={[
                { name: "Field", cell: ({ code, name }) => <TwoLines first={name} second={code} /> },
                { name: "Of", cell: ({ resource_type }) => nameIn(resources, resource_type) },
                {
                  name: "Values",
                  cell: ({ enum_options, is_required, is_signed, value_type }) => (
                    <span class="row wraps">
                      <bdi class="wrap">
                        {value_type === "enum" ? enum_options.join(", ") : nameIn(kinds, value_type)}
                      </bdi>
                      {is_required ? <Badge>required</Badge> : null}
                      {is_signed === true ? <Badge>signed</Badge> : null}
                    </span>
                  )
                },
                { name: "Since", isMinor: true, cell: ({ created_at }) => <Day at={created_at} isQuiet /> },
                {
                  name: "",
                  cell: ({ id, name }) => (
                    <DeleteUnused
                      name={name}
                      says="All values of the field on licenses and customers are deleted."
                      perform={(client, options) => client.customFields.delete(product.id, id, options)}
                      onChange={onChange}
                    />
                  )
                }
              ]}
            />
          )}
        </Rows>
      </Panel>
    </>
  )
}
