import { assert, describe, it } from "@effect/vitest"
import type { ProviderEvent } from "../../../../src/domain/sales/providers/ProviderEvent.ts"
import { fold } from "../../../../src/domain/sales/purchases/Fold.ts"
import { differences, foundIn, foundOf, nameOf } from "../../../fixtures/purchases/Compared.ts"
import { randomLife, sold } from "../../../fixtures/purchases/Life.ts"
import type { Step } from "../../../fixtures/purchases/Life.ts"
import { judged } from "../../../fixtures/purchases/Oracle.ts"
import type { Judged } from "../../../fixtures/purchases/Oracle.ts"
import { mappingOf, Shelf } from "../../../fixtures/purchases/Shelf.ts"
import { isOwed, orderStanding, standing } from "../../../fixtures/purchases/StandingOracle.ts"
import type { Choices } from "../../../fixtures/purchases/StandingOracle.ts"
import type { Dice } from "../../../fixtures/purchases/World.ts"
import { read } from "../../../fixtures/ReadInOrders.ts"
import { chance } from "../../../fixtures/Seeded.ts"
import { takesAll } from "../../../fixtures/Share.ts"

const livesOfEach = takesAll ? 150 : 50

const diceOf = (name: string): Dice => {
  const { upTo } = chance(name)
  return (below) => Math.floor(upTo(below))
}

const chosen = (dice: Dice): Choices => ({
  quantity: (["seats", "floating_seats", "users", "licenses", "none"] as const)[dice(5)]!,
  partial_refund: (["keep", "end"] as const)[dice(2)]!,
  paused_collection: (["keep", "suspend"] as const)[dice(2)]!,
  open_dispute: (["suspend", "keep"] as const)[dice(2)]!
})

/** The life up to a step, for whoever reads why it is judged wrongly. */
const story = (steps: ReadonlyArray<Step>, until: number): string =>
  steps.slice(0, until + 1).map(({ bodies, world }) =>
    [JSON.stringify(world), ...bodies.map((body) => `  ${JSON.stringify(body)}`)].join("\n")
  ).join("\n")

const shuffled = <A>(list: ReadonlyArray<A>, dice: Dice): ReadonlyArray<A> =>
  list.map((one) => [dice(1_000_000), one] as const).toSorted(([a], [b]) => a - b).map(([, one]) => one)

describe("a purchase of a random life", () => {
  const shares = { judged: 0, unknown: 0 }
  const checked = (verdicts: Judged, found: Readonly<Record<string, unknown>>, told: () => string) => {
    for (const verdict of Object.values(verdicts)) shares["unknown" in verdict ? "unknown" : "judged"]++
    const wrong = differences(verdicts, found)
    if (wrong.length > 0) assert.fail(`${told()}\n${wrong.join("\n")}`)
  }

  for (const [provider, kind] of sold) {
    const name = nameOf(provider, kind)

    it(`at ${provider} is what its ${kind} is, with the licenses that are owed, after each thing that happens to it`, () => {
      const dice = diceOf(`${provider} ${kind}`)
      for (let life = 0; life < livesOfEach; life++) {
        const choices = chosen(dice)
        const mapping = mappingOf(provider, choices)
        const shelf = new Shelf()
        const steps = randomLife(provider, kind, dice)
        const events: Array<ProviderEvent> = []
        for (const [at, { bodies, world }] of steps.entries()) {
          const told = () => `${story(steps, at)}\n${JSON.stringify(choices)}`
          events.push(...bodies.flatMap((body) => read(provider, body)))
          const state = fold(provider, name, events)
          checked(judged(world), foundIn(state), told)
          assert.deepStrictEqual(shelf.follow(state, mapping, kind), [], "a plan that is done has nothing more to do")
          for (const [slot, place] of world.places.entries()) {
            const verdicts = kind === "order" ? orderStanding(world, choices) : standing(world, place, choices)
            const found = foundOf(shelf, name, slot, !isOwed(verdicts))
            if (found !== undefined) checked(verdicts, found, told)
          }
        }
      }
    })

    it(`at ${provider} is the same in whatever order the events of a ${kind} arrive, and however often`, () => {
      const dice = diceOf(`${provider} ${kind} in orders`)
      for (let life = 0; life < 40; life++) {
        const steps = randomLife(provider, kind, dice)
        const events = steps.flatMap(({ bodies }) => bodies.flatMap((body) => read(provider, body)))
        const state = fold(provider, name, events)
        for (let order = 0; order < 4; order++) {
          const arrived = shuffled([...events, ...events.filter(() => dice(4) === 0)], dice)
          assert.deepStrictEqual(fold(provider, name, arrived), state, story(steps, steps.length))
        }
      }
    })
  }

  it("is judged in nine of ten things that are to be known of it", () => {
    const share = shares.unknown / (shares.judged + shares.unknown)
    assert.isBelow(share, 0.1, `${shares.judged} verdicts, and ${shares.unknown} that the documents leave open`)
  })
})
