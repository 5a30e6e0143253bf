import type { Feature } from "../../client/api/index.ts"
import { Check, Choice, isWholeOrNone, NumberField, TextArea, TextField } from "../ground/design/Field.tsx"
import { EditAction } from "../ground/forms/EditAction.tsx"
import type { SetTexts } from "../ground/forms/EditAction.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { featureKinds, featureMeters, hasOptions, kindIn, kindText } from "./features/FeatureKinds.ts"
import {
  createFeature,
  editOf,
  isFeature,
  isMeasured,
  NameAndCode,
  newFeature,
  places,
  updateFeature
} from "./NameAndCode.tsx"
import type { FeatureEdit, FeatureTexts } from "./NameAndCode.tsx"
import type { OfProduct } from "./OfProduct.ts"

interface TextsProps {
  readonly texts: FeatureTexts
  readonly set: (texts: Partial<FeatureTexts>) => void
}

const Options = ({ set, texts }: TextsProps) =>
  hasOptions(kindIn(texts.kind))
    ? (
      <TextArea
        label="Options"
        path="enum_options"
        value={texts.options}
        onChange={(options) => set({ options })}
        maxLength={25_600}
        hint={texts.kind === "enum"
          ? "The possible values, one in each line"
          : "The possible texts of a list, one in each line. Empty: any text"}
      />
    )
    : null

const Metadata = ({ set, texts }: TextsProps) => (
  <details class="more">
    <summary>More</summary>
    <TextField
      label="Metadata (JSON)"
      path="metadata"
      value={texts.metadata}
      onChange={(metadata) => set({ metadata })}
      autocomplete="off"
      hint="Your own JSON object. Apps do not see it."
    />
  </details>
)

/** The choice of what is measured of the usage of a new feature. */
const Measures = ({ of: { dimension, meter }, set }: {
  readonly of: Pick<typeof newFeature, "dimension" | "meter">
  readonly set: (measured: Partial<Pick<typeof newFeature, "dimension" | "meter">>) => void
}) => (
  <>
    <Choice
      label="Measures"
      path="meter"
      value={meter}
      options={featureMeters}
      onChange={(meter) => set({ meter })}
      hint="A quota limits it in each period. It cannot change later."
    />
    {meter === "unique"
      ? (
        <TextField
          label="Dimension"
          path="meter_dimension"
          value={dimension}
          onChange={(dimension) => set({ dimension })}
          autocomplete="off"
          required
          hint="Each of its values counts once per period. Your app sends it with each usage event"
        />
      )
      : null}
  </>
)

/** Makes a feature. */
export const NewFeature = ({ onChange, product }: OfProduct & { readonly onChange: () => void }) => {
  const draft = useDraft("feature", newFeature)
  const texts = draft.values
  return (
    <Action
      label="New feature"
      weight="main"
      scope="product:write"
      says="A feature is something that your app asks for. Policies grant it, with a value or a quota, or without."
      fields={
        <>
          <NameAndCode of={texts} set={draft.set} example="Renders" says="Your app asks for it by this code" />
          <Choice
            label="Kind"
            path="value_type"
            value={texts.kind}
            options={featureKinds}
            onChange={(kind) => draft.set({ kind })}
            hint="The type of its values. The kind cannot change once a policy or a license has a value."
          />
          <Options texts={texts} set={draft.set} />
          <NumberField
            label="Decimal places"
            path="decimals"
            {...places}
            value={texts.decimals}
            onChange={(decimals) => draft.set({ decimals })}
            hint="Of amounts such as hours: 2 counts hundredths. They cannot change later. Empty: whole amounts"
          />
          <Measures of={texts} set={draft.set} />
          <Metadata texts={texts} set={draft.set} />
        </>
      }
      draft={draft}
      isReady={isFeature(texts) && isMeasured(texts) && isWholeOrNone(texts.decimals, places)}
      perform={(client, options) => client.features.create(product.id, createFeature(texts), options)}
      done={({ name }) => (
        <span>
          Feature <bdi class="strong">{name}</bdi> created. Grant it on the pages of policies, or on its own.
        </span>
      )}
      onDone={onChange}
    />
  )
}

const labels: Readonly<Record<string, string>> = {
  name: "Name",
  code: "Code",
  kind: "Kind",
  options: "Options",
  metadata: "Metadata",
  archived: "Archived"
}

/** The kind of a feature: as text once it is used, because it cannot change then. */
const Kind = ({ isUsed, of, set, texts }: {
  readonly of: Feature
  readonly texts: FeatureEdit
  readonly set: SetTexts<FeatureEdit>
  readonly isUsed: boolean
}) =>
  isUsed
    ? (
      <div class="field">
        <span class="label">Kind</span>
        <bdi class="strong wrap">{kindText(of)}</bdi>
        <span class="hint">
          The kind cannot change once a policy or a license has a value. Make a new feature, such as{" "}
          <bdi>{of.code}-2</bdi>, and grant it instead.
        </span>
      </div>
    )
    : (
      <Choice
        label="Kind"
        path="value_type"
        value={texts.kind}
        options={featureKinds.filter(([kind]) => kind !== "" || of.value_type === undefined)}
        onChange={(kind) => set({ kind })}
      />
    )

/** Changes a feature. `isUsed` says whether a policy has a value of it. */
export const EditFeature = ({ feature, isUsed, onChange }: {
  readonly feature: Feature
  readonly isUsed: boolean
  readonly onChange: () => void
}) => (
  <EditAction<FeatureEdit, Feature>
    label="Edit feature"
    scope="product:write"
    says="Installed apps ask for the feature by its code: with another one they are refused until they ask for that."
    read={async (client, signal) => {
      const { data, response } = await client.features.get(feature.id, signal === undefined ? {} : { signal })
        .withResponse()
      return { texts: editOf(data), etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={(name) => labels[name] ?? name}
    fields={(texts, set) => (
      <>
        <NameAndCode
          of={{ ...texts, isEdited: true }}
          set={({ code, name }) =>
            set({ ...(code === undefined ? {} : { code }), ...(name === undefined ? {} : { name }) })}
          example="Renders"
          says="Your app asks for it by this code"
        />
        <Kind of={feature} texts={texts} set={set} isUsed={isUsed} />
        <Options texts={texts} set={set} />
        <Check
          path="is_archived"
          isOn={texts.archived === "true"}
          onChange={(isOn) => set({ archived: String(isOn) })}
        >
          Archived: no further policy or license gets it, and those that have it keep it
        </Check>
        <Metadata texts={texts} set={set} />
      </>
    )}
    isReady={isFeature}
    write={(client, changed, options) => client.features.update(feature.id, updateFeature(changed), options)}
    done={({ name }) => (
      <span>
        Feature <bdi class="strong">{name}</bdi> saved.
      </span>
    )}
    onDone={onChange}
  />
)
