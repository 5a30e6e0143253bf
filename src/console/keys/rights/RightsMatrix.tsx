import { useId } from "preact/hooks"
import type { ManagementScope } from "../../../client/api/index.ts"
import { Radio } from "../../ground/design/Field.tsx"
import { areas, levelOf, mayGive, withLevel } from "./Areas.ts"
import type { Area, Level } from "./Areas.ts"
import "./rights.css"

type Scopes = ReadonlyArray<ManagementScope>

const levels: ReadonlyArray<readonly [Level, string]> = [["none", "None"], ["read", "See"], ["write", "Change"]]

interface MatrixProps {
  readonly value: Scopes
  readonly onChange: (scopes: Scopes) => void
  /** The scopes of whoever gives them: what is beyond is greyed. */
  readonly held: Scopes
}

const Row = ({ area, held, name, onChange, value }: MatrixProps & { readonly area: Area; readonly name: string }) => {
  const now = levelOf(value, area)
  return (
    <div class="right" role="radiogroup" aria-label={area.name}>
      <span class="strong small">{area.name}</span>
      {levels.map(([level, word]) =>
        level !== "none" && area.scopes[level] === undefined ? <span key={level} /> : (
          <Radio
            key={level}
            name={`${name}-${area.name}`}
            isOn={now === level}
            isBarred={!mayGive(held, area, level)}
            onChoose={() => onChange(withLevel(value, area, level))}
          >
            {level === "write" ? area.highest ?? word : word}
          </Radio>
        )
      )}
    </div>
  )
}

/** The rights in each area: none of it, see it, or change it. */
export const RightsMatrix = (props: MatrixProps) => {
  const name = useId()
  const isBounded = areas.some((area) =>
    levels.some(([level]) => level !== "none" && area.scopes[level] !== undefined && !mayGive(props.held, area, level))
  )
  return (
    <fieldset class="rights">
      <legend class="label">May</legend>
      {areas.map((area) => <Row key={area.name} {...props} area={area} name={name} />)}
      {isBounded ? <span class="tiny quiet">You cannot give what you do not have.</span> : null}
    </fieldset>
  )
}
