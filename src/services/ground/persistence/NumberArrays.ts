/*
 * Arrays of numbers as parameters of statements. The driver infers the type of an array from its elements, and refuses one
 * of small whole numbers and ones beyond 2^31, or of whole and broken ones. A statement that sends plain numbers thus
 * fails for some values alone, at run time, and each repeat of it fails again. So each is sent in one form.
 */

/** Whole numbers, for `::smallint[]`, `::int[]` or `::bigint[]`. */
export const integers = (values: ReadonlyArray<number | bigint>): ReadonlyArray<bigint> => values.map(BigInt)

/** Any numbers, for `::float8[]`. */
export const floats = (values: ReadonlyArray<number>): ReadonlyArray<string> => values.map(String)
