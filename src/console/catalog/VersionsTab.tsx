import { useState } from "preact/hooks"
import type { AdoptionReport, ProductVersion, ProductVersionLink } from "../../client/api/index.ts"
import { Empty } from "../ground/design/Feedback.tsx"
import { TextArea, TextField } from "../ground/design/Field.tsx"
import { count, some } from "../ground/design/Numbers.ts"
import { Panel } from "../ground/design/Panel.tsx"
import { Table } from "../ground/design/Table.tsx"
import type { Column } from "../ground/design/Table.tsx"
import { Day, Time } from "../ground/design/Time.tsx"
import { EditAction } from "../ground/forms/EditAction.tsx"
import { More } from "../ground/lists/More.tsx"
import { usePages } from "../ground/lists/Pages.ts"
import { Rows } from "../ground/lists/Rows.tsx"
import { Action } from "../ground/session/Action.tsx"
import { useDraft } from "../ground/session/Draft.tsx"
import { useLoad } from "../ground/session/Load.ts"
import { Loading } from "../ground/session/Loading.tsx"
import { may } from "../ground/session/Session.ts"
import { linesIn } from "./features/FeatureKinds.ts"
import type { OfProduct } from "./OfProduct.ts"

/** A link as it is entered: a label, the address, and the hash if there is one. */
const lineOf = ({ label, sha256 = "", url }: ProductVersionLink): string => `${label} ${url} ${sha256}`.trim()

const entered = /^(.+?)\s+(https:\/\/\S+)(?:\s+([0-9A-Fa-f]{64}))?$/

/** The link of a line; undefined where it is none. */
const linkIn = (line: string): ProductVersionLink | undefined => {
  const [, label, url, sha256] = entered.exec(line) ?? []
  if (label === undefined || url === undefined) return undefined
  return sha256 === undefined ? { label, url } : { label, url, sha256: sha256.toLowerCase() }
}

/** The links of a text, one in each line; undefined where a line is none. */
const linksIn = (text: string): Array<ProductVersionLink> | undefined => {
  const links = linesIn(text).map(linkIn)
  const whole = links.filter((link) => link !== undefined)
  return whole.length === links.length ? whole : undefined
}

interface LinksFieldProps {
  readonly value: string
  readonly onChange: (links: string) => void
}

const LinksField = ({ onChange, value }: LinksFieldProps) => (
  <TextArea
    label="Links"
    path="links"
    value={value}
    onChange={onChange}
    maxLength={50_000}
    {...linksIn(value) === undefined ? { wrong: "Each line is a label and an address that begins with https://" } : {}}
    hint="One in each line: label, address and, if you like, the SHA-256 of the file"
  />
)

type OnChange = { readonly onChange: () => void }

/** Adds a version, released now. */
const NewVersion = ({ onChange, product }: OfProduct & OnChange) => {
  const draft = useDraft("version", { version: "", links: "" })
  const { links, version } = draft.values
  return (
    <Action
      label="New version"
      weight="main"
      scope="product:write"
      says="The version is released now. Licenses whose maintenance has ended by now are not covered."
      fields={
        <>
          <TextField
            label="Version"
            path="version"
            value={version}
            onChange={(version) => draft.set({ version })}
            maxLength={64}
            required
            autocomplete="off"
            hint="Your app sends it as its version"
          />
          <LinksField value={links} onChange={(links) => draft.set({ links })} />
        </>
      }
      draft={draft}
      isReady={version.trim() !== "" && linksIn(links) !== undefined}
      perform={(client, options) =>
        client.versions.create(product.id, { version: version.trim(), links: linksIn(links) ?? [] }, options)}
      done={({ version }) => (
        <span>
          Version <bdi class="strong">{version}</bdi> added.
        </span>
      )}
      onDone={onChange}
    />
  )
}

/** Changes where customers get a version. */
const EditLinks = ({ of: { id, product_id, version }, onChange }: { readonly of: ProductVersion } & OnChange) => (
  <EditAction<{ readonly links: string }, ProductVersion>
    label="Edit links"
    small
    scope="product:write"
    says={
      <>
        Customers find them in the portal, where their license covers version <bdi>{version}</bdi>.
      </>
    }
    read={async (client, signal) => {
      const { data, response } = await client.versions.get(product_id, id, signal === undefined ? {} : { signal })
        .withResponse()
      const { links = [] } = data
      return { texts: { links: links.map(lineOf).join("\n") }, etag: response.headers.get("etag") ?? undefined }
    }}
    labelOf={() => "Links"}
    fields={({ links }, set) => <LinksField value={links} onChange={(links) => set({ links })} />}
    isReady={({ links }) => linksIn(links) !== undefined}
    write={(client, _changed, options, { links }) =>
      client.versions.update(product_id, id, { links: linksIn(links) ?? [] }, options)}
    done={() => "Links saved."}
    onDone={onChange}
  />
)

const columnsOf = (onChange: () => void): ReadonlyArray<Column<ProductVersion>> => [
  { name: "Version", cell: ({ version }) => <bdi class="strong wrap">{version}</bdi> },
  { name: "Released", cell: ({ released_at }) => <Day at={released_at} isQuiet /> },
  {
    name: "Links",
    cell: (version) => (
      <span class="row wraps">
        {(version.links ?? []).map(({ label, url }) => (
          <a key={label + url} href={url} rel="noreferrer" target="_blank">
            <bdi>{label}</bdi>
          </a>
        ))}
        <EditLinks of={version} onChange={onChange} />
      </span>
    )
  }
]

type Running = AdoptionReport["rows"][number]

/**
 * The filter of a list that shows who is behind a row; undefined where there is none, as for what devices did not name, unless nobody who
 * runs the version named a system.
 */
const filterOf = (
  { app_version, os }: Running,
  { rows, truncated }: AdoptionReport
): Readonly<Record<string, string>> | undefined => {
  if (app_version === undefined) return undefined
  if (os !== undefined) return { app_version, os }
  const isWhole = !truncated && !rows.some((row) => row.app_version === app_version && row.os !== undefined)
  return isWhole ? { app_version } : undefined
}

/** The columns of a report, whose numbers lead to what was counted. */
const runningColumns = (product: OfProduct["product"], report: AdoptionReport): ReadonlyArray<Column<Running>> => {
  const counted =
    (noun: "license" | "customer", numberOf: (row: Running) => number): Column<Running>["cell"] => (row) => {
      const number = numberOf(row)
      const filter = filterOf(row, report)
      if (number === 0 || filter === undefined || !may(`${noun}:read`) || !may("license:read")) return count(number)
      const query = new URLSearchParams({ product_id: product.id, ...filter })
      return <a href={`/console/${noun}s?${query}`} aria-label={some(number, noun)}>{count(number)}</a>
    }
  return [
    { name: "Version", cell: ({ app_version }) => <bdi class="strong wrap">{app_version ?? "not named"}</bdi> },
    { name: "System", cell: ({ os }) => <bdi class="wrap">{os ?? "not named"}</bdi> },
    { name: "Devices", label: "Devices", isNumber: true, cell: ({ devices }) => count(devices) },
    { name: "Licenses", label: "Licenses", isNumber: true, cell: counted("license", ({ licenses }) => licenses) },
    { name: "Customers", label: "Customers", isNumber: true, cell: counted("customer", ({ customers }) => customers) },
    { name: "Last seen", cell: ({ last_seen_at }) => <Time at={last_seen_at} isQuiet /> }
  ]
}

/** The versions that devices with a seat run, the most devices first. */
const InUse = ({ product }: OfProduct) => {
  const report = useLoad(
    (client, signal) => client.reports.adoption({ product_id: product.id, limit: 50 }, { signal }),
    [product.id],
    { when: may("report:read") }
  )
  if (!may("report:read")) return null
  return (
    <Panel title="In use" flush>
      <Loading of={report}>
        {(found) =>
          found.rows.length === 0 ?
            <Empty title="No devices yet">Versions appear here as devices name them.</Empty> :
            (
              <Table
                label="Versions in use"
                rows={found.rows}
                keyOf={({ app_version, os }) => `${app_version ?? ""} ${os ?? ""}`}
                columns={runningColumns(product, found)}
              />
            )}
      </Loading>
    </Panel>
  )
}

/** The versions of a product. */
export const VersionsTab = ({ product }: OfProduct) => {
  const [turn, setTurn] = useState(0)
  const onChange = () => setTurn((turn) => turn + 1)
  const pages = usePages<ProductVersion>(
    "versions",
    (client, page, signal) => client.versions.list(product.id, { limit: 50, ...page }, { signal }),
    [product.id],
    { turn }
  )
  return (
    <div class="stack">
      <span class="row ends">
        <NewVersion product={product} onChange={onChange} />
      </span>
      <InUse product={product} />
      <Panel title="Released" flush footer={<More of={pages} />}>
        <Rows
          of={pages}
          empty={
            <Empty title="No versions yet">
              Without versions, every version of the app is covered while its maintenance runs.
            </Empty>
          }
        >
          {(rows) => <Table label="Versions" rows={rows} keyOf={({ id }) => id} columns={columnsOf(onChange)} />}
        </Rows>
      </Panel>
    </div>
  )
}
