/** The environments, the one of real customers first. */
export const environmentNames = ["live", "test"] as const
export type EnvironmentName = (typeof environmentNames)[number]

/** The environments that say their name in what they sign and send. What is live says nothing, as it always did. */
export type NamedEnvironment = Exclude<EnvironmentName, "live">
export const namedEnvironments: ReadonlyArray<NamedEnvironment> = environmentNames.filter((name) => name !== "live")

/** The member of what is signed, sent or recorded in an environment. */
export const environmentOfAnswer = (name: EnvironmentName): { readonly environment?: NamedEnvironment } =>
  name === "live" ? {} : { environment: name }
