import type { Provider } from "../providers/Provider.ts"
import { chargebeeApi } from "./ChargebeeApi.ts"
import { fastSpringApi } from "./FastSpringApi.ts"
import { lemonSqueezyApi } from "./LemonSqueezyApi.ts"
import { paddleApi } from "./PaddleApi.ts"
import type { ProviderApi } from "./ProviderApi.ts"
import { stripeApi } from "./StripeApi.ts"

/** The API of each payment provider. */
export const providerApis: Readonly<Record<Provider, ProviderApi>> = {
  stripe: stripeApi,
  paddle: paddleApi,
  lemon_squeezy: lemonSqueezyApi,
  fastspring: fastSpringApi,
  chargebee: chargebeeApi
}
