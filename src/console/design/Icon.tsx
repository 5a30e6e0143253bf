/** Drawn for 16 by 16 pixels, in lines of 1.5. */
const paths = {
  search: "M7 12A5 5 0 1 0 7 2a5 5 0 0 0 0 10Zm3.6-1.4L14 14",
  products: "M8 2 13.500 5v6L8 14 2.500 11V5ZM2.500 5 8 8l5.500-3M8 8v6",
  licenses: "M2.5 4.5h11v7h-11zM5 7.5h3M5 9.5h2M10.5 9.5h.5",
  customers: "M8 7.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5ZM3 13.5c.4-2.6 2.3-4 5-4s4.600 1.4 5 4",
  purchases: "M2 3h1.500l1.500 7.500h7l1.500-5.500H4M6 13.500h.01M11 13.500h.01",
  webhooks: "M2.500 8h3l2-5 2.500 10 2-5h1.500",
  operations: "M2.500 13V9M6.200 13V5M9.900 13V7.500M13.500 13V3",
  reports: "M4 2.500h5.500L12.500 5.500v8H4zM9 2.500v3.500h3.500M6.300 9h4M6.300 11h4",
  activity: "M8 14A6 6 0 1 0 8 2a6 6 0 0 0 0 12Zm0-9.500V8l2.300 1.500",
  more: "M3.500 8h.01M8 8h.01M12.500 8h.01",
  out: "M6.500 2.500h-4v11h4M10 5l3 3-3 3M13 8H6"
} as const

/** A small picture beside a word that says the same. */
export const Icon = ({ name }: { readonly name: keyof typeof paths }) => (
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
    <rect x="1" y="1" width="22" height="22" rx="7" fill="var(--accent)" />
    <path
      d="M6.500 13.200 10 16.500l7.500-9"
      fill="none"
      stroke="var(--on-accent)"
      stroke-width="2.500"
      stroke-linecap="round"
      stroke-linejoin="round"
    />
  </svg>
)
