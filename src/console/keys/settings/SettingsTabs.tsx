import { useLocation } from "preact-iso"

const tabs = [
  ["/console/settings", "Reasons"],
  ["/console/settings/sign-in", "Sign-in"],
  ["/console/settings/brand", "Brand"],
  ["/console/settings/mail", "Mail"]
] as const

/** The pages of the settings. */
export const SettingsTabs = () => {
  const { path } = useLocation()
  return (
    <nav class="tabs" aria-label="Settings">
      {tabs.map(([href, name]) => (
        <a
          key={href}
          href={href}
          {...(path === href || path === `${href}/reasons` ? { "aria-current": "page" as const } : {})}
        >
          {name}
        </a>
      ))}
    </nav>
  )
}
