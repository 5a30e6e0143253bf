import type { License } from "../../../client/api/index.ts"
import { State } from "../../ground/design/Badge.tsx"
import { count } from "../../ground/design/Numbers.ts"
import type { Column } from "../../ground/design/Table.tsx"
import { Day } from "../../ground/design/Time.tsx"
import { TagList } from "../../people/notes/TagList.tsx"
import { keyOf, Owner, productOf } from "./Owner.tsx"

/** The columns of the tables of licenses. */
export const licenseColumns = {
  owner: {
    name: "Owner",
    orders: { up: "owner_asc", down: "owner_desc", first: "up" },
    cell: (license) => <Owner of={license} />
  },
  status: { name: "Status", cell: ({ status }) => <State of={status} /> },
  product: {
    name: "Product",
    orders: { up: "product_asc", down: "product_desc", first: "up" },
    cell: (license) => <bdi class="clip">{productOf(license)}</bdi>
  },
  policy: { name: "Policy", cell: ({ names }) => <bdi class="clip">{names?.policy}</bdi> },
  key: { name: "Key", cell: (license) => <code class="quiet">{keyOf(license)}</code> },
  expires: {
    name: "Expires",
    label: "Expires",
    orders: { up: "expires_asc", down: "expires_desc", first: "up" },
    cell: ({ awaits_activation, expires_at }) =>
      expires_at === undefined
        ? <span class="quiet">{awaits_activation === true ? "after first use" : "never"}</span>
        : <Day at={expires_at} />
  },
  tags: { name: "Tags", isMinor: true, cell: ({ tags = [] }) => <TagList of={tags} /> },
  devices: {
    name: "Devices",
    isNumber: true,
    isMinor: true,
    cell: ({ active_device_count }) => count(active_device_count)
  },
  issued: {
    name: "Issued",
    isMinor: true,
    orders: { up: "asc", down: "desc", first: "down" },
    cell: ({ created_at }) => <Day at={created_at} isQuiet />
  },
  email: { name: "Email", isMinor: true, cell: ({ customer_email }) => <bdi class="clip">{customer_email}</bdi> },
  order: { name: "Order", isMinor: true, cell: ({ names }) => <bdi class="clip">{names?.order}</bdi> },
  changed: { name: "Changed", isMinor: true, cell: ({ updated_at }) => <Day at={updated_at} isQuiet /> }
} satisfies Readonly<Record<string, Column<License>>>
