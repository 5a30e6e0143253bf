import { useEffect, useRef, useState } from "preact/hooks"
import { TextField } from "../design/Field.tsx"
import { mayBeKey } from "./KeyLike.ts"
import { useSettled } from "./Settled.ts"

/** A word of so many characters is taken for a key rather than for the code of a customer or the id of a device. */
const long = 16

const isKey = (text: string): boolean => mayBeKey(text, long)

/** How long a person pauses before the list is asked for, in milliseconds. */
const pause = 200

/** A field that narrows a list while somebody types, once they pause; not by a license key, which no address may have. */
export const SearchField = (
  { label, onSettled, value }: {
    readonly label: string
    /** What the list is narrowed by now, as by the address of the page. */
    readonly value: string
    readonly onSettled: (value: string) => void
  }
) => {
  const [text, setText] = useState(value)
  const settled = useSettled(text.trim(), pause)
  // What it told itself comes back as the value, while somebody types on.
  const told = useRef(value)
  useEffect(() => {
    if (value === told.current) return
    told.current = value
    setText(value)
  }, [value])
  useEffect(() => {
    if (settled === told.current || settled !== text.trim() || isKey(settled)) return
    told.current = settled
    onSettled(settled)
  }, [settled])
  return (
    <TextField
      label={label}
      isLong
      type="search"
      value={text}
      onChange={setText}
      wrong={isKey(text.trim())
        ? "Search for license keys in the box at the top, so that they are not stored in the URL."
        : undefined}
    />
  )
}
