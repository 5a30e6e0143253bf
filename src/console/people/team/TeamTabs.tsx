import { useLocation } from "preact-iso"

const tabs = [
  ["/console/people", "All people"],
  ["/console/people/invitations", "Invitations"],
  ["/console/people/roles", "Roles"],
  ["/console/people/approvals", "Approvals"]
] as const

/** The pages of the team. */
export const TeamTabs = () => {
  const { path } = useLocation()
  return (
    <nav class="tabs" aria-label="People">
      {tabs.map(([href, name]) => (
        <a key={href} href={href} {...(path === href ? { "aria-current": "page" as const } : {})}>{name}</a>
      ))}
    </nav>
  )
}
