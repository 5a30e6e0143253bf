import type { ServiceSettings } from "../../../client/api/index.ts"
import { showBrand, showNoBrand } from "../../ground/brand/Brand.tsx"
import { noRules, reasonRules } from "../../ground/design/Reason.ts"
import { pathPrefix } from "../../ground/session/Environment.ts"
import { ask } from "../../ground/session/Session.ts"

/** Has the console follow the settings: forms of actions ask for a reason where one is required, and its head shows the brand. */
export const showSettings = (settings: ServiceSettings): void => {
  const { brand_accent, brand_logo, brand_name, required_reasons, suggested_reasons } = settings
  reasonRules.value = { required: required_reasons, suggested: suggested_reasons }
  showBrand({
    ...(brand_name === undefined ? {} : { name: brand_name }),
    ...(brand_accent === undefined ? {} : { accent: brand_accent }),
    ...(brand_logo === undefined ? {} : { logo: brand_logo })
  }, pathPrefix())
}

/** Loads the settings. Until then, and where it fails, the service decides: the rules of another environment are none here. */
export const loadSettings = (): Promise<void> => {
  reasonRules.value = noRules
  return ask((client) => client.settings.get()).then(showSettings, showNoBrand)
}
