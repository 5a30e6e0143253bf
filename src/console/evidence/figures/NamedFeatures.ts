import type { Feature } from "../../../client/api/index.ts"
import { amount } from "../../ground/design/Numbers.ts"

/** Features as figures show them, by their codes. */
export interface NamedFeatures {
  readonly names: ReadonlyMap<string, string>
  /** Decimal places of amounts; none where they are whole numbers. */
  readonly decimals: ReadonlyMap<string, number>
}

export const noFeatures: NamedFeatures = { names: new Map(), decimals: new Map() }

/**
 * Features by their codes. A code may mean different features in different products: where their names differ, the code is
 * shown, and where their decimal places do, the smallest steps, which add up to nothing else.
 */
export const namedFeatures = (
  features: ReadonlyArray<Pick<Feature, "code" | "decimals" | "name">>
): NamedFeatures => {
  const names = new Map<string, string>()
  const decimals = new Map<string, number>()
  for (const { code, decimals: places = 0, name } of features) {
    decimals.set(code, !names.has(code) || decimals.get(code) === places ? places : 0)
    names.set(code, names.has(code) && names.get(code) !== name ? code : name)
  }
  return { names, decimals }
}

/** The name of a feature, or its code. */
export const featureName = ({ names }: NamedFeatures, code: string): string => names.get(code) ?? code

/** An amount of a feature as people read it. */
export const featureAmount = ({ decimals }: NamedFeatures, code: string, units: number): string =>
  amount(units, decimals.get(code))
