import { Context } from "effect"
import type { EnvironmentName } from "../../../domain/ground/environments/EnvironmentName.ts"

/** The environment whose database the services work on. */
export const CurrentEnvironment = Context.Reference<EnvironmentName>(
  "countersign/services/platform/CurrentEnvironment",
  {
    defaultValue: () => "live"
  }
)
