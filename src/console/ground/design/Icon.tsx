/** Drawn for 16 by 16 pixels, in lines of 1.5. */
const paths = {
  start: "M2.500 7.500 8 3l5.500 4.500M4 6.500V13h8V6.500",
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  products: "M8 2 13.500 5v6L8 14 2.500 11V5ZM2.500 5 8 8l5.500-3M8 8v6",
  licenses: "M2.5 4.5h11v7h-11zM5 7.5h3M5 9.5h2M10.5 9.5h.5",
  customers: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.4-2.6 2.3-4 5-4s4.600 1.4 5 4",
  purchases: "M2 3h1.500l1.500 7.500h7l1.500-5.500H4M6 13.500h.01M11 13.500h.01",
  webhooks: "M2.500 8h3l2-5 2.500 10 2-5h1.500",
  operations: "M2.500 13V9M6.200 13V5M9.900 13V7.500M13.500 13V3",
  reports: "M4 2.500h5.500L12.500 5.500v8H4zM9 2.500v3.500h3.500M6.300 9h4M6.300 11h4",
  activity: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-9.500V8l2.300 1.500",
  jobs: "M2.500 4h11M2.500 8h7M2.500 12h4M11 12l1.200 1.200L14 11",
  people:
    "M6 7.500a2.300 2.300 0 1 0 0-4.600 2.300 2.300 0 0 0 0 4.600ZM1.500 13c.3-2.400 2-3.700 4.500-3.700s4.200 1.300 4.500 3.700M10.500 3.200a2.300 2.300 0 0 1 0 4.100M12 9.700c1.500.5 2.300 1.600 2.500 3.300",
  approvals: "M2.500 8.500 5 11l4-5M7.500 11 8 11.500l5.500-7",
  keys: "M10 9.500a3.500 3.500 0 1 0-3.300-2.300L2.500 11.400v2.100h2.800v-1.700H7v-1.600h1.200ZM10.800 5.200h.01",
  settings:
    "M2.500 4.500h6M12.500 4.500h1M2.500 11.500h1M7.500 11.500h6M10.500 6.300a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600ZM5.500 13.300a1.800 1.800 0 1 0 0-3.600 1.800 1.800 0 0 0 0 3.600Z",
  command: "M3 4.500 6 8l-3 3.500M8 12h5",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  out: "M6.500 2.500h-4v11h4M10 5l3 3-3 3M13 8H6"
} as const

/** The name of a picture. */
export type IconName = keyof typeof paths

/** A small picture beside a word that says the same. */
export const Icon = ({ name }: { readonly name: IconName }) => (
  <svg
    class="icon"
    viewBox="0 0 16 16"
    width="16"
    height="16"
    fill="none"
    stroke="currentColor"
    stroke-width="1.5"
    stroke-linecap="round"
    stroke-linejoin="round"
    aria-hidden="true"
  >
    <path d={paths[name]} />
  </svg>
)

/** The mark of the product: a seal that is signed. */
export const Mark = () => (
  <svg viewBox="0 0 24 24" width="24" height="24" aria-hidden="true">
    <rect x="1" y="1" width="22" height="22" rx="7" fill="var(--brand, var(--accent))" />
    <path
      d="M6.500 13.200 10 16.500l7.500-9"
      fill="none"
      stroke="var(--on-brand, var(--on-accent))"
      stroke-width="2.500"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
