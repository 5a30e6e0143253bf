import { Effect, Random } from "effect"

/** Deterministic random numbers from a seed, in the order of the calls. */
export interface Chance {
  /** Uniform from 0 up to `below`. */
  readonly upTo: (below: number) => number
  /** A whole number from `from` to `to`, both included. */
  readonly whole: (from: number, to: number) => number
  /** Whether something happens that does with this probability. */
  readonly happens: (probability: number) => boolean
  readonly pick: <A>(choices: ReadonlyArray<A>) => A
  /** One of the choices, each as likely as its weight says. */
  readonly weighted: <A>(choices: ReadonlyArray<readonly [A, number]>) => A
  readonly bytes: (length: number) => Uint8Array
}

/** Chance by a seed: any text. */
export const makeChance = (seed: string): Chance => {
  const random = Effect.runSync(Random.Random.pipe(Random.withSeed(seed)))
  const upTo = (below: number) => random.nextDoubleUnsafe() * below
  const whole = (from: number, to: number) => from + Math.floor(upTo(to - from + 1))
  return {
    upTo,
    whole,
    happens: (probability) => upTo(1) < probability,
    pick: (choices) => choices[whole(0, choices.length - 1)]!,
    weighted: (choices) => {
      let left = upTo(choices.reduce((sum, [, weight]) => sum + weight, 0))
      for (const [choice, weight] of choices) {
        left -= weight
        if (left < 0) return choice
      }
      return choices.at(-1)![0]
    },
    bytes: (length) => {
      const words = Uint32Array.from({ length: Math.ceil(length / 4) }, () => random.nextDoubleUnsafe() * 2 ** 32)
      return new Uint8Array(words.buffer, 0, length)
    }
  }
}

/** People and companies as one script writes them, and what their addresses and codes are made of. */
interface Locale {
  readonly script: string
  /** The top-level label of the addresses, which are all under `.example` (RFC 2606). */
  readonly label: string
  readonly given: ReadonlyArray<string>
  readonly family: ReadonlyArray<string>
  /** The words before or after the name of a company. */
  readonly company: (name: string, field: string) => string
  readonly fields: ReadonlyArray<string>
  /** A person's whole name, in the order and with the separator of the script. */
  readonly whole: (given: string, family: string) => string
}

const west = (given: string, family: string) => `${given} ${family}`
const east = (given: string, family: string) => `${family}${given}`
const spaced = (name: string, field: string) => `${name} ${field}`

const locales: ReadonlyArray<readonly [Locale, number]> = [
  [{
    script: "Latin",
    label: "latin",
    given: ["Zoë", "Łukasz", "Søren", "Beatriz", "Émile", "Grace", "Tomáš", "Nguyễn", "İlker", "Aoife", "Mateo", "Ada"],
    family: ["Müller", "O’Brien", "García-Lopez", "Kowalski", "Åström", "Dvořák", "Nakagawa", "Smith", "Öztürk"],
    fields: ["GmbH", "Ltd", "S.A.", "AB", "Inc.", "s.r.o.", "& Sons", "B.V."],
    company: spaced,
    whole: west
  }, 34],
  [{
    script: "Cyrillic",
    label: "cyrillic",
    given: ["Олена", "Дмитро", "Ирина", "Борис", "Милица", "Йордан"],
    family: ["Шевченко", "Кузнецова", "Петровић", "Димитров", "Лысенко"],
    fields: ["Студия", "Проект", "Софт"],
    company: (name, field) => `ТОВ «${name} ${field}»`,
    whole: west
  }, 9],
  [{
    script: "Greek",
    label: "greek",
    given: ["Ελένη", "Γιώργος", "Σοφία", "Νίκος"],
    family: ["Παπαδοπούλου", "Γεωργίου", "Νικολάου", "Δημητρίου"],
    fields: ["Α.Ε.", "Ε.Π.Ε.", "Ο.Ε."],
    company: spaced,
    whole: west
  }, 5],
  [{
    script: "Arabic",
    label: "arabic",
    given: ["فاطمة", "محمد", "ليلى", "يوسف", "نور"],
    family: ["الحداد", "بن علي", "المصري", "الخطيب"],
    fields: ["للبرمجيات", "للتصميم", "والشركاء"],
    company: (name, field) => `شركة ${name} ${field}`,
    whole: west
  }, 8],
  [{
    script: "Hebrew",
    label: "hebrew",
    given: ["נועה", "דוד", "תמר", "יונתן"],
    family: ["כהן", "לוי", "מזרחי", "פרידמן"],
    fields: ["בע״מ", "תוכנה בע״מ"],
    company: spaced,
    whole: west
  }, 5],
  [{
    script: "Devanagari",
    label: "devanagari",
    given: ["प्रिया", "अर्जुन", "दीपिका", "रोहन"],
    family: ["शर्मा", "पाटील", "गुप्ता", "श्रेष्ठ"],
    fields: ["प्रा. लि.", "सॉफ्टवेयर", "एंड संस"],
    company: spaced,
    whole: west
  }, 7],
  [{
    script: "Thai",
    label: "thai",
    given: ["สมชาย", "กัญญา", "ณัฐวุฒิ", "พิมพ์ชนก"],
    family: ["ศรีสุวรรณ", "แก้วมณี", "วงศ์สวัสดิ์"],
    fields: ["จำกัด", "จำกัด (มหาชน)"],
    company: (name, field) => `บริษัท ${name} ${field}`,
    whole: west
  }, 5],
  [{
    script: "Han",
    label: "han",
    given: ["伟", "芳", "秀英", "志強", "雨桐"],
    family: ["王", "李", "張", "陈", "歐陽"],
    fields: ["科技有限公司", "設計股份有限公司", "软件集团"],
    company: (name, field) => `${name}${field}`,
    whole: east
  }, 9],
  [{
    script: "Hangul",
    label: "hangul",
    given: ["민준", "서연", "지우", "하은"],
    family: ["김", "이", "박", "최", "남궁"],
    fields: ["소프트", "디자인", "테크"],
    company: (name, field) => `주식회사 ${name}${field}`,
    whole: east
  }, 6],
  [{
    script: "Kana",
    label: "kana",
    given: ["さくら", "ひなた", "あおい", "ハルト"],
    family: ["サトウ", "すずき", "タカハシ", "いとう"],
    fields: ["システム", "デザイン", "スタジオ"],
    company: (name, field) => `カブシキガイシャ ${name}${field}`,
    whole: (given, family) => `${family} ${given}`
  }, 6],
  [{
    script: "Georgian",
    label: "georgian",
    given: ["ნინო", "გიორგი", "თამარი"],
    family: ["ბერიძე", "კაპანაძე", "მაისურაძე"],
    fields: ["სტუდია", "სოფტი"],
    company: (name, field) => `შპს „${name} ${field}“`,
    whole: west
  }, 2],
  [{
    script: "Armenian",
    label: "armenian",
    given: ["Անի", "Արամ", "Լիլիթ"],
    family: ["Պետրոսյան", "Սարգսյան", "Գրիգորյան"],
    fields: ["ՍՊԸ", "ՓԲԸ"],
    company: (name, field) => `«${name}» ${field}`,
    whole: west
  }, 2],
  [{
    script: "Ethiopic",
    label: "ethiopic",
    given: ["ሰላም", "አበበ", "ሄለን"],
    family: ["ተስፋዬ", "በቀለ", "ገብረ"],
    fields: ["ሶፍትዌር", "ዲዛይን"],
    company: (name, field) => `${name} ${field} ኃ.የተ.የግ.ማ`,
    whole: west
  }, 2]
]

/** The scripts that names are written in. */
export const scripts: ReadonlyArray<string> = locales.map(([{ script }]) => script)

/** A customer's name, address and code, and who uses a license of theirs. */
export interface CustomerNames {
  readonly name: string
  readonly code: string
  readonly email: string | undefined
  readonly person: (chance: Chance) => { readonly name: string; readonly email: string }
}

/** Names of the customer of this number, which makes code and addresses unlike any other's. */
export const customerNames = (chance: Chance, number: number): CustomerNames => {
  const locale = chance.weighted(locales)
  const person = (chance: Chance) => locale.whole(chance.pick(locale.given), chance.pick(locale.family))
  const isCompany = chance.happens(0.7)
  const name = isCompany ? locale.company(chance.pick(locale.family), chance.pick(locale.fields)) : person(chance)
  const domain = `c${number}.${locale.label}.example`
  return {
    name,
    code: `C-${String(100_000 + number)}`,
    email: chance.happens(0.95) ? `${isCompany ? "it" : "me"}@${domain}` : undefined,
    person: (chance) => ({ name: isCompany ? person(chance) : name, email: `user${chance.whole(1, 99)}@${domain}` })
  }
}
