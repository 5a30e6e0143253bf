import type { Chance } from "./Chance.ts"
import { makeChance } from "./Chance.ts"
import { customerNames } from "./Names.ts"
import type { CustomerNames } from "./Names.ts"
import { plans, renewals, scenes } from "./Story.ts"
import type { Plan, Scene } from "./Story.ts"

/** Days of the story. */
export const year = 365

/** Something that happens to a license, on a day of the year. */
export interface PlottedAct {
  readonly day: number
  readonly act: string
}

/** A license of the story, and what happens to it, in the order of time. */
export interface Plot {
  readonly number: number
  readonly plan: Plan
  /** The number of the customer, and the names. */
  readonly customer: number
  readonly names: CustomerNames
  /** A random source of its own, so that licenses can be played concurrently. */
  readonly chance: Chance
  readonly acts: ReadonlyArray<PlottedAct>
}

/** A day between two, later ones more often: the vendor's sales grow. */
const growing = (chance: Chance, from: number, to: number) => from + (to - from) * chance.upTo(1) ** 0.62

/** A sequence of acts, from a day on. */
const actsFrom = (acts: Scene["acts"], day: number): ReadonlyArray<PlottedAct> =>
  acts.map(([act, after = 0]) => ({ day: day += after, act }))

const renewalsOf = (chance: Chance, { churn, days }: Plan, bought: number): ReadonlyArray<PlottedAct> => {
  if (days === undefined) return []
  const periods: Array<ReadonlyArray<PlottedAct>> = []
  for (let end = bought + days; end - 8 < year && !chance.happens(churn); end += days) {
    periods.push(actsFrom(chance.weighted(renewals), end - 8))
  }
  return periods.flat()
}

const playedOf = (chance: Chance, { acts, from, lately, share, to }: Scene, bought: number) => {
  if (!chance.happens(share)) return []
  const earliest = Math.max(bought + from, lately === undefined ? 0 : year - lately)
  const latest = Math.min(year, to === undefined ? year : bought + to)
  return actsFrom(acts, earliest + chance.upTo(Math.max(0, latest - earliest)))
}

const usesOf = (chance: Chance, { uses }: Plan, bought: number): ReadonlyArray<PlottedAct> => {
  if (uses === undefined) return []
  const expected = uses.perYear * (year - bought) / year * chance.pick([0.2, 0.5, 1, 1, 1.6, 2.4])
  return Array.from({ length: Math.floor(expected + chance.upTo(1)) }, () => ({
    day: bought + 1 + chance.upTo(year - bought),
    act: "use"
  }))
}

/** The plots of a number of licenses. The same seed gives the same plots. */
export const plotsOf = (seed: string, licenses: number): ReadonlyArray<Plot> => {
  const chance = makeChance(seed)
  const plots: Array<Plot> = []
  for (let customer = 1; plots.length < licenses; customer++) {
    const names = customerNames(chance, customer)
    const owned = Math.min(
      licenses - plots.length,
      chance.weighted([[1, 50], [2, 22], [3, 12], [5, 8], [9, 4], [20, 1]])
    )
    let bought = growing(chance, 1, year - 0.5)
    for (let index = 0; index < owned; index++) {
      if (index > 0) bought = growing(chance, bought, year - 0.2)
      const number = plots.length + 1
      // The first licenses cover each plan, however few there are.
      const plan = plans[number - 1] ?? chance.weighted(plans.map((plan) => [plan, plan.share] as const))
      const own = makeChance(`${seed} ${number}`)
      const day = bought
      const acts = [
        ...renewalsOf(own, plan, day),
        ...scenes.filter(({ only }) => only === undefined || only.includes(plan.policy.code))
          .flatMap((scene) => playedOf(own, scene, day)),
        ...usesOf(own, plan, day)
      ].filter((act) => act.day < year)
      plots.push({
        number,
        plan,
        customer,
        names,
        chance: own,
        acts: [{ day, act: plan.sale === "trial" ? "open a trial" : "buy" }, ...acts.toSorted((a, b) => a.day - b.day)]
      })
    }
  }
  return plots
}
