import { useState } from "preact/hooks"
import { Chart } from "../../ground/charts/Chart.tsx"
import { Badge, State } from "../../ground/design/Badge.tsx"
import { Button } from "../../ground/design/Button.tsx"
import { Copy } from "../../ground/design/Copy.tsx"
import { Empty, Note, Skeleton } from "../../ground/design/Feedback.tsx"
import { Check, Choice, TextField } from "../../ground/design/Field.tsx"
import { Facts, Figure, Meter, Panel } from "../../ground/design/Panel.tsx"
import { Table } from "../../ground/design/Table.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { contrastOf, pairs } from "./Contrast.ts"
import "./design.css"

const types = ["tiny", "small", "body", "lead", "title", "figure", "code"] as const
const spaces = ["s1", "s2", "s3", "s4", "s5", "s6", "s7"] as const
const week = Array.from({ length: 14 }, (_, day) => new Date(Date.UTC(2026, 0, day + 1)).toISOString())

const Colours = () => (
  <Panel title="Colours" aside={<span class="small quiet">each text has a contrast above 4.5</span>} whole>
    <ul class="swatches">
      {pairs.map(([text, ground]) => (
        <li key={`${text} ${ground}`} style={{ color: `var(${text})`, background: `var(${ground})` }}>
          <span class="strong">{text.slice(2)}</span>
          <span>on {ground.slice(2)}</span>
          <span data-contrast>{contrastOf(text, ground).toFixed(2)}</span>
        </li>
      ))}
    </ul>
  </Panel>
)

const Scales = () => (
  <>
    <Panel title="Type">
      <ul class="stack">
        {types.map((type) => <li key={type} style={{ font: `var(--t-${type})` }}>{type}: 5,000 licenses, 13 scripts
        </li>)}
      </ul>
    </Panel>
    <Panel title="Spacing">
      <ul class="stack">
        {spaces.map((space) => (
          <li key={space} class="row">
            <code>{space}</code>
            <span
              style={{
                width: `var(--${space})`,
                height: "var(--s3)",
                background: "var(--accent)",
                borderRadius: "3px"
              }}
            />
          </li>
        ))}
      </ul>
    </Panel>
  </>
)

const Buttons = () => (
  <Panel title="Buttons">
    <div class="row wraps">
      <Button weight="main">Main</Button>
      <Button>Plain</Button>
      <Button weight="danger">Danger</Button>
      <Button weight="bare">Bare</Button>
      <Button disabled>Disabled</Button>
      <Button small>Small</Button>
    </div>
    <div class="row wraps">
      {["active", "grace_period", "suspended", "expired", "revoked", "retired", "pending"].map((of) => (
        <State key={of} of={of} />
      ))}
      <Badge>plain</Badge>
    </div>
  </Panel>
)

const Fields = () => {
  const [text, setText] = useState("")
  const [isOn, setIsOn] = useState(true)
  return (
    <Panel title="Fields">
      <TextField label="Text" value={text} onChange={setText} hint="A hint explains the field" />
      <TextField label="Wrong" value="x" onChange={() => {}} wrong="Needs at least 8 characters" />
      <Choice label="Choice" value="" options={[["", "Any"], ["a", "One"]]} onChange={() => {}} />
      <Check isOn={isOn} onChange={setIsOn}>On or off</Check>
    </Panel>
  )
}

const Figures = () => (
  <Panel title="Panel, facts and figures">
    <div class="figures">
      <Figure label="Delivered" value="12,041" more="last hour" />
      <Figure label="Backlog" value="3" tone="warn" />
      <Figure label="Failing" value="1" tone="bad" />
    </div>
    <Facts of={[["Name", <bdi>دانيال حداد</bdi>], ["Since", "1 Jan 2026"]]} />
    <Meter label="Half" value={50} of={100} />
    <Meter label="Almost" value={90} of={100} />
    <Meter label="All" value={100} of={100} />
  </Panel>
)

const Rows = () => (
  <Panel title="Table" flush>
    <Table
      label="An example"
      rows={[["Émile Dvořák", "active", "3"], ["דוד לוי", "expired", "12"], ["王小明", "suspended", "1"]]}
      keyOf={([name = ""]) => name}
      columns={[
        { name: "Owner", cell: ([name]) => <bdi class="strong">{name}</bdi> },
        { name: "Status", cell: ([, state = ""]) => <State of={state} /> },
        { name: "Devices", isNumber: true, cell: ([, , devices]) => devices }
      ]}
    />
  </Panel>
)

const States = () => (
  <Panel title="States">
    <Note tone="good" title="Yes">No rule blocks this operation.</Note>
    <Note tone="warn" title="Soon">The license expires in three days.</Note>
    <Note tone="bad" title="No">The device is blocked.</Note>
    <Skeleton lines={3} />
    <Empty title="No entries yet">The first step is shown here.</Empty>
  </Panel>
)

const Charts = () => (
  <Panel title="Chart">
    <Chart
      kind="bars"
      label="Usage per day"
      instants={week}
      series={[{ name: "Renders", values: week.map((_, day) => 20 + 15 * Math.sin(day)) }]}
      limit={30}
    />
    <Chart
      kind="lines"
      label="Attempts"
      instants={week}
      series={["One", "Two", "Three", "Four", "Five"].map((name, index) => ({
        name,
        values: week.map((_, day) => 10 * (index + 1) + 5 * Math.cos(day + index))
      }))}
    />
    <Copy label="A command" text={"curl https://licenses.example.com/api/v1/whoami"} />
  </Panel>
)

/** The parts of every screen in one place: tokens with their contrasts, the components in their states. */
export const DesignPage = () => {
  useTitle("Design")
  return (
    <main class="page" id="main">
      <header>
        <h1>Design</h1>
      </header>
      <p class="quiet">
        Four layouts: a list, a record, a board (this one) and one narrow form. Colours follow the system's scheme.
      </p>
      <div class="board">
        <Colours />
        <Scales />
        <Buttons />
        <Fields />
        <Figures />
        <Rows />
        <States />
        <Charts />
      </div>
    </main>
  )
}
