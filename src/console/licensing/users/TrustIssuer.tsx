import type { License } from "../../../client/api/index.ts"
import { Choice, TextField } from "../../ground/design/Field.tsx"
import { EditAction } from "../../ground/forms/EditAction.tsx"
import type { SetTexts } from "../../ground/forms/EditAction.tsx"

const labels = { issuer: "Identity provider", audience: "Client ID of the app", admits: "Seats for" } as const

type Texts = Readonly<Record<keyof typeof labels, string>>

const isMember = (name: string): name is keyof typeof labels => Object.hasOwn(labels, name)

const admissions = [["invited", "invited users"], ["anyone", "all accounts of the identity provider"]] as const

const textsOf = ({ trusted_issuer }: License): Texts => ({
  issuer: trusted_issuer?.issuer ?? "",
  audience: trusted_issuer?.audience ?? "",
  admits: trusted_issuer?.admits ?? "invited"
})

const Fields = ({ set, texts }: { readonly texts: Texts; readonly set: SetTexts<Texts> }) => (
  <>
    <TextField
      label={labels.issuer}
      path="trusted_issuer.issuer"
      value={texts.issuer}
      onChange={(issuer) => set({ issuer })}
      maxLength={512}
      autocomplete="off"
      placeholder="https://login.example.com"
      hint="The issuer of its ID tokens. Without one, users sign in by mail."
    />
    <TextField
      label={labels.audience}
      path="trusted_issuer.audience"
      value={texts.audience}
      onChange={(audience) => set({ audience })}
      maxLength={255}
      autocomplete="off"
    />
    <Choice
      label={labels.admits}
      path="trusted_issuer.admits"
      value={texts.admits}
      options={admissions}
      onChange={(admits) => set({ admits })}
    />
  </>
)

/** Sets the identity provider at which the users of a license sign in. */
export const TrustIssuer = ({ license, onChange }: {
  readonly license: Pick<License, "id">
  readonly onChange: () => void
}) => (
  <EditAction<Texts, License>
    label="Edit sign-in"
    small
    scope="license:write"
    says="Users sign in with ID tokens of this identity provider (OpenID Connect). Users who are signed in stay so until their next sign-in."
    read={async (client, signal) => {
      const { data, response } = await client.licenses.get(license.id, {}, signal === undefined ? {} : { signal })
        .withResponse()
      return { texts: textsOf(data), etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={(name) => isMember(name) ? labels[name] : name}
    isReady={({ audience, issuer }) => (issuer.trim() === "") === (audience.trim() === "")}
    fields={(texts, set) => <Fields {...{ set, texts }} />}
    write={(client, _changed, options, { admits, audience, issuer }) =>
      client.licenses.update(license.id, {
        trusted_issuer: issuer.trim() === "" ? null : {
          issuer: issuer.trim(),
          audience: audience.trim(),
          admits: admits === "anyone" ? "anyone" : "invited"
        }
      }, options)}
    done={() => "Sign-in saved."}
    onDone={onChange}
  />
)
