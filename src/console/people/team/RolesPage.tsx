import type { Person, Role } from "../../../client/api/index.ts"
import { Badge } from "../../ground/design/Badge.tsx"
import { some } from "../../ground/design/Numbers.ts"
import { Panel } from "../../ground/design/Panel.tsx"
import { firstOf, useLoad } from "../../ground/session/Load.ts"
import { Loading, Placed } from "../../ground/session/Loading.tsx"
import { useTitle } from "../../ground/session/Title.ts"
import { productsLine, useProductNames } from "../../keys/rights/Limits.ts"
import { RightsWords } from "../../keys/rights/RightsWords.tsx"
import { actionsLine } from "./ApprovalWords.ts"
import { DeleteRole, EditRole, NewRole } from "./RoleActions.tsx"
import { mayGiveRole, useRoles } from "./Team.ts"
import "./team.css"
import { TeamTabs } from "./TeamTabs.tsx"

/** How many people are looked at for the number behind a role. */
const most = 1000

const RolePanel = ({ bearers, onChange, role }: {
  readonly role: Role
  /** How many people have it; undefined until that is known. */
  readonly bearers: number | undefined
  readonly onChange: () => void
}) => {
  const limits = productsLine(role.product_ids)
  return (
    <Panel
      title={role.name}
      aside={
        <span class="row wraps">
          {role.is_built_in ? <Badge>built in</Badge> : null}
          {bearers === undefined ? null : <span class="small quiet">{some(bearers, "person", "people")}</span>}
          {mayGiveRole(role) ? <EditRole role={role} bearers={bearers} onChange={onChange} /> : null}
          {role.is_built_in || !mayGiveRole(role) ? null : <DeleteRole role={role} onChange={onChange} />}
        </span>
      }
    >
      {role.description === undefined ? null : <bdi class="quiet wrap">{role.description}</bdi>}
      {limits === undefined ? null : (
        <span class="small">
          Limited to <bdi>{limits}</bdi>
        </span>
      )}
      <RightsWords scopes={role.scopes} />
      {role.second_look === undefined ?
        null :
        <span class="small">Needs a second person to {actionsLine(role.second_look)}.</span>}
      {mayGiveRole(role) ? null : <span class="tiny quiet">You cannot give what you do not have.</span>}
    </Panel>
  )
}

/** The roles, each as what it lets people do, and what not. */
export const RolesPage = () => {
  useTitle("Roles")
  useProductNames()
  const roles = useRoles()
  const people = useLoad((client, signal) => firstOf(client.people.list({ limit: 200 }, { signal }), most), [])
  const bearersOf = (id: string) => people.data?.filter((person: Person) => person.roles.includes(id)).length
  const onChange = () => {
    roles.reload()
    people.reload()
  }
  return (
    <main class="page" id="main">
      <header>
        <h1>Roles</h1>
        <NewRole onChange={onChange} />
      </header>
      <TeamTabs />
      <Placed after={[roles, people]}>
        <Loading of={roles}>
          {(found) => (
            <div class="roles">
              {found.map((role) => (
                <RolePanel
                  key={`${role.id} ${role.updated_at ?? ""} ${role.second_look?.join(" ") ?? ""}`}
                  role={role}
                  bearers={bearersOf(role.id)}
                  onChange={onChange}
                />
              ))}
            </div>
          )}
        </Loading>
      </Placed>
    </main>
  )
}
