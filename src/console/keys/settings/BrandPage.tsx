import type { ServiceSettings } from "../../../client/api/index.ts"
import { contrastBetween, inkOn, isColor } from "../../ground/brand/Luminance.ts"
import { TextField } from "../../ground/design/Field.tsx"
import { Facts, Panel } from "../../ground/design/Panel.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"
import { pathPrefix } from "../../ground/session/Environment.ts"
import { Loading } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { LogoField } from "./LogoField.tsx"
import { settingsReader, useSettings } from "./SettingsReading.ts"
import { SettingsTabs } from "./SettingsTabs.tsx"
import "./settings.css"

/** The brand as it is entered: the logo as its path while it is unchanged, in base64 when it is new, or empty. */
type BrandTexts = Readonly<
  Record<"brand_name" | "brand_accent" | "brand_logo" | "support_contact" | "renewal_url", string>
>

const labels: Readonly<Record<string, string>> = {
  brand_name: "Name",
  brand_accent: "Color",
  brand_logo: "Logo",
  support_contact: "Contact for customers",
  renewal_url: "Renewal page"
}

const labelOf = (name: string): string => labels[name] ?? name

const textsOf = (
  { brand_accent = "", brand_logo, brand_name = "", renewal_url = "", support_contact = "" }: ServiceSettings
): BrandTexts => ({
  brand_name,
  brand_accent,
  brand_logo: brand_logo?.path ?? "",
  support_contact,
  renewal_url
})

/** The grounds of the console, in the light and in the dark. */
const grounds = [["Light", "#f6f6f8"], ["Dark", "#0d0e11"]] as const

/** A color, and how well it is seen: the mark on it, and the line above the pages, which needs a contrast of 3 (WCAG 2.2, 1.4.11). */
const Contrasts = ({ color }: { readonly color: string }) => (
  <div class="swatches" role="group" aria-label="Contrast">
    <span class="swatch" style={{ background: color, color: inkOn(color) }}>
      Mark {contrastBetween(inkOn(color), color).toFixed(1)}:1
    </span>
    {grounds.map(([name, ground]) => {
      const contrast = contrastBetween(color, ground)
      return (
        <span key={name} class="swatch" style={{ background: ground, color: inkOn(ground), borderColor: color }}>
          {name} {contrast.toFixed(1)}:1
          {contrast < 3 ? " (hard to see)" : ""}
        </span>
      )
    })}
  </div>
)

const Fields = ({ set, texts }: { readonly texts: BrandTexts; readonly set: SetTexts<BrandTexts> }) => {
  const color = texts.brand_accent.trim().toLowerCase()
  return (
    <>
      <TextField
        label="Name"
        path="brand_name"
        value={texts.brand_name}
        onChange={(brand_name) => set({ brand_name })}
        hint="Empty: Countersign"
        maxLength={60}
        autocomplete="off"
      />
      <TextField
        label="Color"
        path="brand_accent"
        value={texts.brand_accent}
        onChange={(brand_accent) => set({ brand_accent })}
        wrong={color === "" || isColor(color) ? undefined : "Enter # and six digits, such as #3b5bdb"}
        hint="As # and six hexadecimal digits. Empty: the color of Countersign"
        maxLength={7}
        autocomplete="off"
      />
      {isColor(color) ? <Contrasts color={color} /> : null}
      <LogoField value={texts.brand_logo} onChange={(brand_logo) => set({ brand_logo })} />
      <TextField
        label={labelOf("support_contact")}
        path="support_contact"
        value={texts.support_contact}
        onChange={(support_contact) => set({ support_contact })}
        hint="An email address or a URL. The portal and the mails name it"
        autocomplete="off"
      />
      <TextField
        label={labelOf("renewal_url")}
        path="renewal_url"
        value={texts.renewal_url}
        onChange={(renewal_url) => set({ renewal_url })}
        hint="A URL. The portal and the mails about the end of a license link to it"
        autocomplete="off"
      />
    </>
  )
}

const Edit = ({ onChange }: { readonly onChange: () => void }) => (
  <EditAction<BrandTexts, ServiceSettings>
    label="Change brand"
    scope="admin"
    says="The sign-in page, which is public, and the console show it."
    read={settingsReader(textsOf)}
    labelOf={labelOf}
    shown={(name, text) => name === "brand_logo" ? text === "" ? "none" : "an image" : text === "" ? "none" : text}
    fields={(texts, set) => <Fields texts={texts} set={set} />}
    isReady={({ brand_accent }) => brand_accent.trim() === "" || isColor(brand_accent.trim().toLowerCase())}
    write={(client, changed, options) =>
      client.settings.update({
        ...(changed.brand_name === undefined ? {} : { brand_name: changed.brand_name.trim() || null }),
        ...(changed.brand_accent === undefined
          ? {}
          : { brand_accent: changed.brand_accent.trim().toLowerCase() || null }),
        ...(changed.brand_logo === undefined ? {} : { brand_logo: changed.brand_logo || null }),
        ...(changed.support_contact === undefined ? {} : { support_contact: changed.support_contact.trim() || null }),
        ...(changed.renewal_url === undefined ? {} : { renewal_url: changed.renewal_url.trim() || null })
      }, options)}
    done={() => "Saved. Pages that are open show it when they are loaded again."}
    onDone={onChange}
  />
)

const Shown = (
  { of: { brand_accent, brand_logo, brand_name, renewal_url, support_contact } }: { readonly of: ServiceSettings }
) => (
  <Panel title="Shown on the sign-in page, in the console, in mails and in the portal">
    <Facts
      of={[
        ["Name", brand_name === undefined ? <span class="quiet">Countersign</span> : <bdi>{brand_name}</bdi>],
        [
          "Color",
          brand_accent === undefined
            ? <span class="quiet">Color of Countersign</span>
            : <code>{brand_accent}</code>
        ],
        ["Contrast", brand_accent === undefined ? undefined : <Contrasts color={brand_accent} />],
        [
          "Logo",
          brand_logo === undefined
            ? <span class="quiet">None</span>
            : <img class="logo" src={pathPrefix() + brand_logo.path} alt="The logo" />
        ],
        [labelOf("support_contact"), support_contact ?? <span class="quiet">None</span>],
        [labelOf("renewal_url"), renewal_url ?? <span class="quiet">None</span>]
      ]}
    />
  </Panel>
)

/** The vendor's own name, color and logo. */
export const BrandPage = () => {
  useTitle("Brand")
  const settings = useSettings()
  return (
    <main class="page" id="main">
      <header>
        <h1>Brand</h1>
        <Edit onChange={settings.reload} />
      </header>
      <SettingsTabs />
      <Loading of={settings} lines={5}>{(data) => <Shown of={data} />}</Loading>
    </main>
  )
}
