import type { ComponentChildren } from "preact"
import { State } from "../../ground/design/Badge.tsx"
import { Panel } from "../../ground/design/Panel.tsx"
import { pathOf } from "../../ground/period/Kinds.ts"
import type { Selection } from "../../ground/period/Period.ts"
import { timeQuery } from "../../ground/period/Period.ts"

interface AboutProps {
  readonly name: string
  readonly state?: string
  /** The page where another subject is picked. */
  readonly back: string
  readonly backName: string
  readonly facts: ReadonlyArray<readonly [string, ComponentChildren]>
}

/** The customer of a subject, with a link to the customer's summary; undefined where it has none. */
export const customerFact = (
  selection: Selection,
  id: string | undefined,
  name: string | undefined
): readonly [string, ComponentChildren] => [
  "Customer",
  id && (
    <a href={pathOf("customer-summary", timeQuery(selection, { customer_id: id }))}>
      <bdi>{name ?? id}</bdi>
    </a>
  )
]

/** The subject of a report, above its figures. */
export const About = ({ back, backName, facts, name, state }: AboutProps) => (
  <Panel>
    <div class="row apart wraps">
      <span class="row wraps">
        <bdi class="subject">{name}</bdi>
        {state === undefined ? null : <State of={state} />}
      </span>
      <a class="small" href={back}>{backName}</a>
    </div>
    <dl class="about">
      {facts.filter(([, value]) => value !== undefined && value !== "").map(([label, value]) => (
        <div key={label}>
          <dt>{label}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  </Panel>
)
